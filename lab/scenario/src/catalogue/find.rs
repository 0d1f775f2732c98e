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
