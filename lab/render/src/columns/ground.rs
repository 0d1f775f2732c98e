//! What all pictures of a page share: the axis of time, and what happened on it.

use std::{ops::Range, time::Duration};

use maud::{Markup, html};

use super::percent;
use crate::{Axis, page::class_and_mark};

/// The time that several pictures share, and what happened in it. Each picture draws it, so that
/// its lines run through all rows of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ground {
    /// The axis of time. Each tick has a line through all pictures.
    pub axis: Axis,
    /// The time that a column stands for.
    pub column: Duration,
    /// Whether there is a gap between two columns, so that each can be told apart.
    pub has_gaps: bool,
    /// Times that differ from the rest, such as an incident.
    pub bands: Vec<Range<Duration>>,
    /// Moments with a hairline, such as the starts of runs.
    pub hairlines: Vec<Duration>,
}

/// The sign at the beginning of a label that points at its moment.
const POINTER: char = '▲';

/// A sign in a lane of its own, which leads to what happened then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// When it happened.
    pub at: Duration,
    /// Whether each of the things that it stands for went well; none if that is not known, or not
    /// shown. More than one of a kind are told by their number.
    pub went_well: Vec<Option<bool>>,
    /// What happened, for those who point at it and for a screen reader.
    pub words: String,
    /// The address of the page about it.
    pub href: String,
}

/// A named stretch of the axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The stretch.
    pub time: Range<Duration>,
    /// Its name.
    pub name: String,
}

impl Ground {
    /// The horizontal position of a moment, in percent of the width.
    #[must_use]
    pub fn across(&self, moment: Duration) -> f64 {
        let length = self.axis.length.as_secs_f64();
        if length > 0.0 {
            (100.0 * moment.as_secs_f64() / length).min(100.0)
        } else {
            0.0
        }
    }

    /// How many columns the axis has.
    #[must_use]
    pub fn columns(&self) -> usize {
        let column = self.column.as_nanos().max(1);
        let columns = self.axis.length.as_nanos().div_ceil(column);
        usize::try_from(columns).unwrap_or(usize::MAX)
    }

    /// The moment at which a column begins.
    pub(super) fn start(&self, column: usize) -> Duration {
        self.column
            .saturating_mul(u32::try_from(column).unwrap_or(u32::MAX))
    }

    /// The lines of the axis and the bands, which stand behind everything else.
    pub(super) fn behind(&self) -> Markup {
        html! {
            (self.rules())
            (self.drawn_bands())
            @for moment in &self.hairlines { (line("hair", self.across(*moment))) }
        }
    }

    fn rules(&self) -> Markup {
        html! { @for tick in &self.axis.ticks { (line("rule", self.across(tick.at))) } }
    }

    pub(super) fn drawn_bands(&self) -> Markup {
        html! {
            @for band in &self.bands {
                @let (from, to) = (self.across(band.start), self.across(band.end));
                rect.band x=(percent(from)) width=(percent(to - from)) height="100%" {}
            }
        }
    }

    /// The lane of the marks, which stands above the pictures.
    #[must_use]
    pub fn marks(&self, marks: &[Mark]) -> Markup {
        html! {
            svg.marks {
                (self.rules())
                @for mark in marks {
                    @let x = self.across(mark.at);
                    a href=(mark.href) {
                        title { (mark.words) }
                        text x=(percent(x)) y="75%" text-anchor=(anchor(x, MARK_AT_END)) {
                            @for (class, sign, number) in mark.kinds() {
                                tspan class=(class) { (sign) @if number > 1 { (number) } } " "
                            }
                        }
                    }
                }
            }
        }
    }

    /// The labels of the axis, which stand below the pictures, and the named stretches under them.
    #[must_use]
    pub fn labels(&self, spans: &[Span]) -> Markup {
        html! {
            svg.axis-labels aria-hidden="true" {
                @for tick in &self.axis.ticks {
                    @let x = self.across(tick.at);
                    @if tick.label.starts_with(POINTER) {
                        // The pointer itself stands at the moment.
                        text.tick x=(percent(x)) dx="-.4em" y="1.1em" { (tick.label) }
                    } @else {
                        text.tick x=(percent(x)) y="1.1em" text-anchor=(anchor(x, LABEL_AT_END)) { (tick.label) }
                    }
                }
                @for span in spans {
                    @let (from, to) = (self.across(span.time.start), self.across(span.time.end));
                    line.span x1=(percent(from)) x2=(percent(to)) y1="1.5em" y2="1.5em" {}
                    text.tick x=(percent((from + to) / 2.0)) y="2.6em" text-anchor="middle" { (span.name) }
                }
            }
        }
    }
}

impl Mark {
    /// The classes and signs of what it stands for, each with its number.
    fn kinds(&self) -> impl Iterator<Item = (&'static str, &'static str, usize)> {
        let kinds = [Some(true), Some(false), None].into_iter().map(|kind| {
            let (class, sign) = class_and_mark(kind);
            let of_kind = self
                .went_well
                .iter()
                .filter(|went_well| **went_well == kind);
            (class, sign, of_kind.count())
        });
        kinds.filter(|(_, _, number)| *number > 0)
    }
}

/// A line from the top to the bottom.
fn line(class: &str, x: f64) -> Markup {
    html! { line class=(class) x1=(percent(x)) x2=(percent(x)) y2="100%" {} }
}

/// How close to an end of the axis, in percent of its width, a label begins or ends at its moment.
const LABEL_AT_END: f64 = 1.0;
/// A mark may be wider.
const MARK_AT_END: f64 = 5.0;

/// The side of a label that lies at its moment: at an end of the axis it stays inside.
fn anchor(x: f64, at_end: f64) -> &'static str {
    if x <= at_end {
        "start"
    } else if x >= 100.0 - at_end {
        "end"
    } else {
        "middle"
    }
}
