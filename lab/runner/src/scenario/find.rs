//! Scenarios by their names.

use std::fmt;

use super::{CATALOGUE, Scenario};
use crate::nearest::nearest;

/// The scenario of this name.
///
/// # Errors
///
/// [`UnknownScenario`], with the nearest name if one is near.
pub fn find(name: &str) -> Result<&'static Scenario, UnknownScenario> {
    CATALOGUE
        .iter()
        .find(|scenario| scenario.words.name == name)
        .ok_or_else(|| UnknownScenario {
            name: name.to_owned(),
            nearest: nearest(name, CATALOGUE.iter().map(|scenario| scenario.words.name)),
        })
}

/// A name that no scenario has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownScenario {
    name: String,
    nearest: Option<&'static str>,
}

impl fmt::Display for UnknownScenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no scenario is called '{}'", self.name)?;
        match self.nearest {
            Some(nearest) => write!(f, "; did you mean '{nearest}'?"),
            None => f.write_str("; `lab list` shows them all"),
        }
    }
}

impl std::error::Error for UnknownScenario {}

/// The scenarios whose name contains a text, in the order of the course. All of
/// them contain an empty one.
///
/// # Errors
///
/// [`NothingMatches`] if none does.
pub fn matching(filter: &str) -> Result<Vec<&'static Scenario>, NothingMatches> {
    let matching = CATALOGUE
        .iter()
        .filter(|scenario| scenario.words.name.contains(filter));
    let matching: Vec<_> = matching.collect();
    match matching.is_empty() {
        true => Err(NothingMatches(filter.to_owned())),
        false => Ok(matching),
    }
}

/// A text that is in no scenario's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no scenario's name contains '{0}'; `lab list` shows them all")]
pub struct NothingMatches(String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_miss_is_told_what_is_near() {
        let error = find("flakey").expect_err("a near miss");

        assert_eq!(
            error.to_string(),
            "no scenario is called 'flakey'; did you mean 'flaky'?"
        );
        assert_eq!(
            find("xyzzy").expect_err("nothing near").to_string(),
            "no scenario is called 'xyzzy'; `lab list` shows them all"
        );
    }
}
