//! Unknown names, and the names that were probably meant.

/// The most similar name, if there is one. A name that starts with this one is the most
/// similar of all.
#[must_use]
pub fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let similarities = names.into_iter().map(|other| {
        let more = other.strip_prefix(name);
        let says_more = more.is_some_and(|more| more.starts_with('-'));
        let similarity = f64::from(u8::from(says_more)) + strsim::jaro_winkler(name, other);
        (similarity, other)
    });
    let near = similarities.filter(|(similarity, _)| *similarity > 0.7);
    let nearest = near.max_by(|one, other| one.0.total_cmp(&other.0));
    nearest.map(|(_, name)| name)
}

/// An unknown name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no {kind} is called '{name}'; {}", match .nearest {
    Some(nearest) => format!("did you mean '{nearest}'?"),
    None => format!("`{all}` shows them all"),
})]
pub struct UnknownName {
    kind: &'static str,
    name: String,
    nearest: Option<String>,
    all: &'static str,
}

impl UnknownName {
    /// An unknown name of this kind; the command lists the known names.
    #[must_use]
    pub fn new<'a>(
        kind: &'static str,
        name: &str,
        names: impl IntoIterator<Item = &'a str>,
        all: &'static str,
    ) -> Self {
        Self {
            kind,
            name: name.to_owned(),
            nearest: nearest(name, names).map(str::to_owned),
            all,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_name_suggests_the_nearest() {
        let names = ["create", "flaky", "retry-after-seconds", "retry-later"];
        let unknown = |name| UnknownName::new("task", name, names, "lab list tasks");

        for (name, words) in [
            (
                "flakey",
                "no task is called 'flakey'; did you mean 'flaky'?",
            ),
            (
                "retry-after",
                "no task is called 'retry-after'; did you mean 'retry-after-seconds'?",
            ),
            (
                "xyzzy",
                "no task is called 'xyzzy'; `lab list tasks` shows them all",
            ),
        ] {
            assert_eq!(unknown(name).to_string(), words);
        }
    }
}
