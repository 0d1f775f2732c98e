//! A mark that must never be seen, wherever it is planted.

use std::{error::Error, fmt::Debug};

/// Part of every secret that a test plants.
pub(crate) const CANARY: &str = "c4n4ry";

/// What `Debug` prints of a value, in both its forms.
pub(crate) fn debugged(value: &impl Debug) -> String {
    format!("{value:?}\n{value:#?}")
}

/// What `Debug` and `Display` print of an error and of all its causes.
pub(crate) fn told(error: &(dyn Error + 'static)) -> String {
    let mut told = String::new();
    let mut next = Some(error);
    while let Some(error) = next {
        told += &format!("{error}\n{error:?}\n{error:#?}\n");
        next = error.source();
    }
    told
}

/// The lines that show the mark.
pub(crate) fn leaks(text: &str) -> Vec<&str> {
    let shows = |line: &&str| line.to_lowercase().contains(CANARY);
    text.lines().filter(shows).collect()
}
