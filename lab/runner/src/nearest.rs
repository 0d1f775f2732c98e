//! Names that nothing has, and the ones that were meant.

/// The name that is most like this one, if any is.
#[must_use]
pub fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let similarities = names
        .into_iter()
        .map(|other| (strsim::jaro_winkler(name, other), other));
    let near = similarities.filter(|(similarity, _)| *similarity > 0.7);
    let nearest = near.max_by(|one, other| one.0.total_cmp(&other.0));
    nearest.map(|(_, name)| name)
}

/// A name that nothing of its kind has.
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
    /// A name that is none of these of a kind, of which a command shows all.
    pub(crate) fn new<'a>(
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
    fn a_near_miss_is_told_what_is_near() {
        let told = |name| UnknownName::new("task", name, ["create", "flaky"], "lab tasks");

        for (name, words) in [
            (
                "flakey",
                "no task is called 'flakey'; did you mean 'flaky'?",
            ),
            (
                "xyzzy",
                "no task is called 'xyzzy'; `lab tasks` shows them all",
            ),
        ] {
            assert_eq!(told(name).to_string(), words);
        }
    }
}
