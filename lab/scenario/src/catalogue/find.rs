//! Scenarios by their names.

use wire::UnknownName;

use super::{CATALOGUE, Scenario};

/// The scenario of this name.
///
/// # Errors
///
/// [`UnknownName`], with the nearest name if one is near.
pub fn find(name: &str) -> Result<&'static Scenario, UnknownName> {
    let mut scenarios = CATALOGUE.iter();
    let found = scenarios.find(|scenario| scenario.words.name == name);
    found.ok_or_else(|| {
        let names = CATALOGUE.iter().map(|scenario| scenario.words.name);
        UnknownName::new("scenario", name, names, "lab list")
    })
}

/// The scenarios whose name contains a text, in the order of the course; all of them for
/// an empty text.
///
/// # Errors
///
/// [`NothingMatches`] if none does.
pub fn matching(filter: &str) -> Result<Vec<&'static Scenario>, NothingMatches> {
    let matching = CATALOGUE
        .iter()
        .filter(|scenario| scenario.words.name.contains(filter));
    let matching: Vec<_> = matching.collect();
    if matching.is_empty() {
        Err(NothingMatches(filter.to_owned()))
    } else {
        Ok(matching)
    }
}

/// No scenario's name contains the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no scenario's name contains '{0}'; `lab list` shows them all")]
pub struct NothingMatches(String);
