//! The median and the slowest of something that takes time, for each column.

use std::time::Duration;

use maud::{Markup, html};
use wire::duration;

use super::{Ground, percent};

/// The ends of the scale, in powers of ten of a second: it is logarithmic, since a call takes from
/// a millisecond to minutes.
const SHORTEST: f64 = -3.5;
const LONGEST: f64 = 2.5;

/// The durations with a line through the whole picture.
const LEVELS: [Duration; 2] = [Duration::from_millis(10), Duration::from_secs(1)];

/// For each column the duration that half of all do not exceed, and the one that 99 of 100 do not
/// exceed. Neither has the colour of failure: to take time is no fault.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spread {
    /// What is shown, for a screen reader.
    pub title: String,
    /// The median and the 99th percentile of each column; none where nothing happened.
    pub columns: Vec<Option<(Duration, Duration)>>,
}

impl Spread {
    /// The picture for a cell of a table.
    #[must_use]
    pub fn draw(&self, ground: &Ground) -> Markup {
        let columns = self.columns.iter().take(ground.columns());
        let columns = columns
            .enumerate()
            .filter_map(|(column, spread)| Some((column, (*spread)?)));
        html! {
            svg.cols.spread role="img" aria-label=(self.title) {
                (ground.behind())
                @for level in LEVELS {
                    @let y = percent(down(level));
                    line.rule x2="100%" y1=(y) y2=(y) {}
                    text.tick.peak x="0" dx="4" y=(y) dy="-3" { (duration(level)) }
                }
                @for (column, (median, tail)) in columns {
                    @let x = percent(ground.across(ground.start(column)) + ground.across(ground.column) / 2.0);
                    @let (low, high) = (percent(down(median)), percent(down(tail)));
                    line.between x1=(x) x2=(x) y1=(low) y2=(high) {}
                    circle.median cx=(x) cy=(low) r="2.5" {}
                    circle.tail cx=(x) cy=(high) r="3" {}
                }
            }
        }
    }
}

/// The distance of a duration from the top, in percent.
fn down(duration: Duration) -> f64 {
    let power = duration.as_secs_f64().log10().clamp(SHORTEST, LONGEST);
    100.0 * (LONGEST - power) / (LONGEST - SHORTEST)
}

/// A sample of the median for a legend.
#[must_use]
pub fn sample_of_median() -> Markup {
    html! { svg.sample aria-hidden="true" { circle.median cx="50%" cy="50%" r="2.5" {} } }
}

/// A sample of the 99th percentile for a legend.
#[must_use]
pub fn sample_of_tail() -> Markup {
    html! { svg.sample aria-hidden="true" { circle.tail cx="50%" cy="50%" r="3" {} } }
}
