//! Stories and policies by their names.

use evidence::storm::Policy;

use super::{STORIES, Story};
use crate::{UnknownName, storm::PRESETS};

/// The story of this name.
///
/// # Errors
///
/// [`UnknownName`], with the nearest name if one is near.
pub fn story(name: &str) -> Result<&'static Story, UnknownName> {
    let known = STORIES.iter().find(|story| story.words.name == name);
    known.ok_or_else(|| {
        let names = STORIES.iter().map(|story| story.words.name);
        UnknownName::new("story", name, names, "lab storm --list")
    })
}

/// The policy of this name or word: one of the story's, one of another story, or a preset.
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
        let words = words.iter().map(String::as_str);
        UnknownName::new("policy", name, words, "lab storm --list")
    })
}
