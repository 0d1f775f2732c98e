//! Verdicts and levels in words and marks, so that text, report and web UI agree.

use std::fmt;

use crate::rules::{RuleLevel, Verdict};

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Kept => "kept",
            Self::Broken => "broken",
            Self::Skipped => "skipped",
            Self::NotExercised => "not exercised",
            Self::CannotTell => "cannot tell",
        })
    }
}

impl fmt::Display for RuleLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Standard => "standard",
            Self::GoodPractice => "good practice",
            Self::Contract => "this contract",
        })
    }
}

/// Whether a verdict is good; none if it is neither good nor bad. A known failure is
/// neither.
#[must_use]
pub fn is_good(verdict: Verdict, is_known: bool) -> Option<bool> {
    match verdict {
        Verdict::Kept => Some(true),
        Verdict::Broken if !is_known => Some(false),
        _ => None,
    }
}

/// A verdict that may be about a known failure, in words.
#[must_use]
pub fn in_words(verdict: Verdict, is_known: bool) -> String {
    match verdict {
        Verdict::Broken if is_known => "known to fail".to_owned(),
        verdict => verdict.to_string(),
    }
}
