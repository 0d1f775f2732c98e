//! A mark that must never be seen, wherever it is planted.

use std::fmt::Debug;

/// Part of every secret that a test plants.
pub(crate) const CANARY: &str = "c4n4ry";

/// A value as `Debug` prints it, in both its forms.
pub(crate) fn debugged(value: &impl Debug) -> String {
    format!("{value:?}\n{value:#?}")
}

/// The lines that show the mark.
pub(crate) fn leaks(text: &str) -> Vec<&str> {
    let shows = |line: &&str| line.to_lowercase().contains(CANARY);
    text.lines().filter(shows).collect()
}
