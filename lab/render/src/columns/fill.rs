//! How a series looks: its colour, its pattern, and its place in the stack.

use maud::{Markup, html};

/// The colour and the pattern of a series. In a stack they stand in this order from the ground up,
/// in every column and in every picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fill {
    /// A success: plain, in the colour of success.
    Good,
    /// A failure: crossed, in the colour of failure.
    Failed,
    /// Work that was of no use: upright stripes, in the colour of failure.
    Wasted,
    /// Something about waiting: hatched.
    Wait,
    /// Something else, plain.
    Plain,
    /// Something else, with dots.
    Dotted,
    /// Something else, with level lines.
    Lined,
}

impl Fill {
    /// All of them.
    #[cfg(test)]
    pub(crate) const ALL: [Self; 7] = [
        Self::Good,
        Self::Failed,
        Self::Wasted,
        Self::Wait,
        Self::Plain,
        Self::Dotted,
        Self::Lined,
    ];

    /// Its class in the style sheet, which has its colour and its pattern.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Good => "fill-good",
            Self::Failed => "fill-failed",
            Self::Wasted => "fill-wasted",
            Self::Wait => "fill-wait",
            Self::Plain => "fill-plain",
            Self::Dotted => "fill-dotted",
            Self::Lined => "fill-lined",
        }
    }
}

/// A sample of a series for a legend.
#[must_use]
pub fn sample(fill: Fill) -> Markup {
    html! { svg.sample aria-hidden="true" { rect class=(fill.class()) width="100%" height="100%" {} } }
}
