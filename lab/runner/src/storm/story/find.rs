//! Stories and policies by their names.

use std::fmt;

use evidence::storm::Policy;

use super::{STORIES, Story};
use crate::{nearest::nearest, storm::PRESETS};

/// The story of this name.
///
/// # Errors
///
/// [`UnknownName`], with the nearest name if one is near.
pub fn story(name: &str) -> Result<&'static Story, UnknownName> {
    let known = STORIES.iter().find(|story| story.words.name == name);
    known.ok_or_else(|| {
        let names = STORIES.iter().map(|story| story.words.name);
        UnknownName::new("story", name, names)
    })
}

/// The policy of this name, or of this word: one of the story's, one of any other story, or a preset.
///
/// # Errors
///
/// [`UnknownName`], with the nearest name if one is near.
pub fn policy(of: &Story, name: &str) -> Result<Policy, UnknownName> {
    let others = STORIES.iter().flat_map(|story| story.policies);
    let all = of.policies.iter().chain(others).chain(PRESETS);
    let known = all
        .clone()
        .find(|policy| policy.name == name || policy.word() == name);
    known.cloned().ok_or_else(|| {
        let words: Vec<_> = all.map(Policy::word).collect();
        UnknownName::new("policy", name, words.iter().map(String::as_str))
    })
}

/// A name that nothing has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    kind: &'static str,
    name: String,
    nearest: Option<String>,
}

impl UnknownName {
    fn new<'a>(kind: &'static str, name: &str, names: impl IntoIterator<Item = &'a str>) -> Self {
        Self {
            kind,
            name: name.to_owned(),
            nearest: nearest(name, names).map(str::to_owned),
        }
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kind,
            name,
            nearest,
        } = self;
        write!(f, "no {kind} is called '{name}'")?;
        match nearest {
            Some(nearest) => write!(f, "; did you mean '{nearest}'?"),
            None => f.write_str("; `lab storm --list` shows them all"),
        }
    }
}

impl std::error::Error for UnknownName {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_miss_is_told_what_is_near() {
        let of = &STORIES[0];

        for (error, words) in [
            (
                story("spikes").expect_err("a near miss"),
                "no story is called 'spikes'; did you mean 'spike'?",
            ),
            (
                story("xyzzy").expect_err("nothing near"),
                "no story is called 'xyzzy'; `lab storm --list` shows them all",
            ),
            (
                policy(of, "3-jiter").expect_err("a near miss"),
                "no policy is called '3-jiter'; did you mean '3-jitter'?",
            ),
            (
                policy(of, "grpcs").expect_err("a near miss"),
                "no policy is called 'grpcs'; did you mean 'grpc'?",
            ),
        ] {
            assert_eq!(error.to_string(), words);
        }
    }
}
