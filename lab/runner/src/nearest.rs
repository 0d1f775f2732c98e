//! The name that somebody may have meant.

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
