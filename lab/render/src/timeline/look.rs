//! How each kind looks, and nothing else decides that: its class, its sign and its words, its
//! bar in a picture, its sign in a text, and the patterns. The colours are in `timeline.css`.

use anstyle::{AnsiColor, Style};
use maud::{Markup, html};

use super::Kind;

impl Kind {
    /// Its class in the style sheet.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Failed => "failed",
            Self::Cut => "failed cut",
            Self::InFlight => "flying",
            Self::Wait => "wait",
            Self::Pause => "wait pause",
            Self::Late => "late",
            Self::Queue => "queue",
            Self::Service => "service",
            Self::Stop => "stop",
        }
    }

    /// Its sign beside a text.
    pub(super) fn sign(self) -> &'static str {
        match self {
            Self::Good => "✓",
            Self::Failed | Self::Cut => "✗",
            Self::InFlight => "…",
            Self::Wait | Self::Pause | Self::Late => "◷",
            Self::Queue => "⋯",
            Self::Service => "↳",
            Self::Stop => "■",
        }
    }

    /// What it means, for the legend.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Good => "succeeded",
            Self::Failed => "failed",
            Self::Cut => "broke off",
            Self::InFlight => "not finished",
            Self::Wait => "wait",
            Self::Pause => "the pause before a request",
            Self::Late => "late: what the machine lost",
            Self::Queue => "waits for a turn",
            Self::Service => "the service's side",
            Self::Stop => "the client stopped",
        }
    }

    /// Its colour in a terminal. It repeats the text and adds no meaning.
    pub(super) fn style(self) -> Style {
        match self {
            Self::Good => AnsiColor::Green.on_default(),
            Self::Failed | Self::Cut | Self::Stop => AnsiColor::Red.on_default(),
            Self::Wait | Self::Late => AnsiColor::Yellow.on_default(),
            Self::Queue => AnsiColor::Cyan.on_default(),
            Self::Service => Style::new().dimmed(),
            Self::Pause | Self::InFlight => Style::new(),
        }
    }

    /// Its bar in a row of a page, from and to these shares of the width in percent.
    pub(super) fn bar(self, from: f64, to: f64) -> Markup {
        let (y, height) = match self {
            Self::Late => return delay(from, to),
            Self::Service => ("40%", "20%"),
            _ => ("22%", "56%"),
        };
        let class = format!("bar {}", self.class());
        html! {
            rect class=(class) x=(percent(from)) width=(width(from, to)) y=(y) height=(height) rx="2" {}
        }
    }

    /// Its bar in the one line of a list. An attempt is as high as the line and at least three
    /// pixels wide, and a wait is half as high. A failed attempt is broken in two, so that it
    /// differs without its colour. It is moved to the right by so many marks.
    pub(super) fn small_bar(self, from: f64, to: f64, moved: usize) -> Markup {
        let halves: &[(&str, &str)] = match self {
            Self::Stop => &[],
            Self::Late => &[("44%", "12%")],
            Self::Wait | Self::Pause | Self::Queue => &[("27%", "46%")],
            Self::Failed | Self::Cut => &[("0", "40%"), ("60%", "40%")],
            Self::Good | Self::InFlight | Self::Service => &[("0", "100%")],
        };
        let shift = (moved > 0).then(|| format!("translate({})", moved * MARK));
        html! {
            @for (y, height) in halves {
                @if !self.is_waiting() {
                    rect class=(self.class()) x=(percent(from)) width=(MARK) y=(y) height=(height) transform=[&shift] {}
                }
                @if !self.is_mark(from, to) {
                    rect class=(self.class()) x=(percent(from)) width=(width(from, to)) y=(y) height=(height) {}
                }
            }
        }
    }

    /// Whether its bar in a list is so narrow that only its least width is drawn.
    pub(super) fn is_mark(self, from: f64, to: f64) -> bool {
        !self.is_waiting() && to - from <= NARROW
    }
}

/// The least width of an attempt in a list, in pixels.
const MARK: usize = 3;

/// A narrower bar of a list, in percent, is not wider than its least width.
const NARROW: f64 = 0.5;

/// A thin line with an end.
fn delay(from: f64, to: f64) -> Markup {
    let [x1, x2] = [from, to].map(percent);
    html! {
        line.bar.late x1=(x1) x2=(x2) y1="50%" y2="50%" {}
        line.bar.late x1=(x2) x2=(x2) y1="35%" y2="65%" {}
    }
}

/// The longest that a wait could have been, as a frame around its bar.
pub(super) fn at_most(from: f64, to: f64) -> Markup {
    html! {
        rect.bar.ceiling x=(percent(from)) width=(width(from, to)) y="12%" height="76%" rx="2" {}
    }
}

/// A share of a width or a height, as an attribute.
pub(super) fn percent(share: f64) -> String {
    format!("{share:.3}%")
}

/// A width. Without any, a bar would not even have the stroke around it.
fn width(from: f64, to: f64) -> String {
    percent((to - from).max(0.01))
}

/// The patterns that fill the bars and columns of the document.
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
            pattern #stripes width="4" height="4" patternUnits="userSpaceOnUse" {
                rect.failed width="2.6" height="4" {}
            }
            pattern #dots width="4" height="4" patternUnits="userSpaceOnUse" {
                rect.service width="4" height="4" {}
                rect.hole x="1" y="1" width="1.6" height="1.6" {}
            }
            pattern #lines width="4" height="4" patternUnits="userSpaceOnUse" {
                rect.lined width="4" height="2.4" {}
            }
        }
    }
}

/// The signs of a text. Each is one column wide.
#[derive(Debug)]
pub(super) struct Signs {
    pub(super) left: char,
    pub(super) right: char,
    /// The right end of a bar that goes on.
    pub(super) open: char,
    pub(super) attempt: char,
    /// A failed attempt among others of its call.
    pub(super) failed: char,
    pub(super) wait: char,
    /// The rest of a wait up to the longest that it could have been.
    pub(super) ceiling: char,
    pub(super) pause: char,
    pub(super) late: char,
    pub(super) queue: char,
    pub(super) stop: char,
    pub(super) service: char,
    /// A limit between two of its changes.
    pub(super) limit: char,
    /// A break, where time was cut out.
    pub(super) cut: char,
}

pub(super) const UNICODE: Signs = Signs {
    left: '▕',
    right: '▏',
    open: '→',
    attempt: '█',
    failed: '×',
    wait: '░',
    ceiling: '·',
    pause: '─',
    late: '╍',
    queue: '┄',
    stop: '■',
    service: '─',
    limit: '─',
    cut: '╱',
};

pub(super) const ASCII: Signs = Signs {
    left: '|',
    right: '|',
    open: '>',
    attempt: '#',
    failed: 'x',
    wait: '.',
    ceiling: '_',
    pause: '-',
    late: '=',
    queue: '~',
    stop: 'X',
    service: '-',
    limit: '-',
    cut: '/',
};

impl Signs {
    /// The sign of a kind in the row of its own.
    pub(super) fn of(&self, kind: Kind) -> char {
        match kind {
            Kind::Good | Kind::Failed | Kind::Cut | Kind::InFlight => self.attempt,
            Kind::Wait => self.wait,
            Kind::Pause => self.pause,
            Kind::Late => self.late,
            Kind::Queue => self.queue,
            Kind::Service => self.service,
            Kind::Stop => self.stop,
        }
    }

    /// The sign of a kind in the line of a whole call, whose words are not about one attempt.
    pub(super) fn in_call(&self, kind: Kind) -> char {
        match kind {
            Kind::Failed | Kind::Cut => self.failed,
            kind => self.of(kind),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::STYLE;

    /// A bar whose pattern is missing would have no fill at all.
    #[test]
    fn the_style_sheet_names_only_patterns_that_exist() {
        let drawn = patterns().into_string();

        let named = STYLE.split("url(\"#").skip(1);
        let named: Vec<_> = named.filter_map(|rest| rest.split('"').next()).collect();
        assert!(named.contains(&"hatch"), "{named:?}");
        for pattern in named {
            assert!(drawn.contains(&format!("id=\"{pattern}\"")), "{pattern}");
        }
    }

    #[test]
    fn no_two_kinds_look_alike() {
        for one in Kind::ALL {
            for other in Kind::ALL {
                let looks = |kind: Kind| (kind.class(), kind.words());
                assert_eq!(
                    looks(one) == looks(other),
                    one == other,
                    "{one:?} {other:?}"
                );
            }
        }
    }
}
