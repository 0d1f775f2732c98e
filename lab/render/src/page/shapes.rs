//! The parts of pictures of time. Each kind has one colour and one pattern, wherever it
//! is drawn: in a row, in the line of a whole call, and in the legend.

use maud::{Markup, html};

/// The kind of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PartKind {
    /// It succeeded.
    Ok,
    /// It failed.
    Failed,
    /// A pause before another attempt.
    Wait,
    /// The longest that a wait of random length could have been.
    Ceiling,
    /// A wait for a turn.
    Queue,
    /// The service's side of a request.
    Service,
    /// The moment at which a client gave up, or was killed; a call that failed as it should.
    Stop,
    /// It has not ended, or it was interrupted.
    Open,
}

impl PartKind {
    /// Its class in the style sheet.
    #[must_use]
    pub fn class(self) -> &'static str {
        match self {
            Self::Ok => "good",
            Self::Failed => "failed",
            Self::Wait => "wait",
            Self::Ceiling => "ceiling",
            Self::Queue => "queue",
            Self::Service => "service",
            Self::Stop => "stop",
            Self::Open => "open",
        }
    }

    /// Its sign beside a text.
    #[must_use]
    pub fn sign(self) -> &'static str {
        match self {
            Self::Ok => "✓",
            Self::Failed => "✗",
            Self::Wait | Self::Ceiling => "◷",
            Self::Queue => "⋯",
            Self::Service => "↳",
            Self::Stop => "■",
            Self::Open => "…",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Ok => "succeeded",
            Self::Failed => "failed",
            Self::Wait => "wait",
            Self::Ceiling => "longest possible wait",
            Self::Queue => "waits for a turn",
            Self::Service => "the service's side",
            Self::Stop => "the client stopped",
            Self::Open => "not finished",
        }
    }

    /// Its bar in the legend: a stop is a moment.
    fn sample(self) -> Markup {
        match self {
            Self::Stop => self.bar(50.0, 50.0),
            _ => self.bar(6.0, 94.0),
        }
    }

    /// Its bar in the picture of one row, from and to these shares of the width in percent.
    #[must_use]
    pub fn bar(self, from: f64, to: f64) -> Markup {
        let (top, height) = match self {
            Self::Service => ("40%", "20%"),
            Self::Ceiling => ("12%", "76%"),
            _ => ("22%", "56%"),
        };
        let width = (to - from).max(0.01);
        html! {
            rect class={ "bar " (self.class()) } x={ (percent(from)) } width={ (percent(width)) }
                y=(top) height=(height) rx="2" {}
        }
    }
}

/// A share of a width or height, as an attribute.
#[must_use]
pub fn percent(share: f64) -> String {
    format!("{share:.3}%")
}

/// The meanings of these kinds, each once.
#[must_use]
pub fn legend(kinds: impl IntoIterator<Item = PartKind>) -> Markup {
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort_unstable();
    kinds.dedup();
    html! {
        ul.legend aria-label="Legend" {
            @for kind in kinds {
                li {
                    svg.sample aria-hidden="true" { (kind.sample()) }
                    span.sign aria-hidden="true" { (kind.sign()) }
                    (kind.words())
                }
            }
        }
    }
}

/// The patterns that fill waits and failures of the document.
#[must_use]
pub fn patterns() -> Markup {
    html! {
        svg.patterns aria-hidden="true" {
            pattern #hatch width="5" height="5" patternUnits="userSpaceOnUse"
                patternTransform="rotate(45)" { rect.wait width="2.6" height="5" {} }
            pattern #crossed width="5" height="5" patternUnits="userSpaceOnUse"
                patternTransform="rotate(45)" {
                rect.failed width="5" height="5" {}
                path.gap d="M0 0H5M0 0V5" {}
            }
        }
    }
}
