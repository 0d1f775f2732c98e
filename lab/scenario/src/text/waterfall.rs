//! The waterfall of a run: a row for each attempt and each wait, in order of their start.

use render::{Options, timeline};

use crate::{chart::for_a_text, trace::Trace};

/// Draws a trace as a timeline; every row ends with a line break. Several operations each get a
/// heading. Without spans the text is empty.
#[must_use]
pub fn waterfall(trace: &Trace, options: &Options) -> String {
    let [waterfall] = waterfalls([trace], options);
    waterfall
}

/// Draws several runs as timelines that share one axis and one set of columns, so that equal
/// durations have equal lengths. Each may have as many rows as the options allow.
#[must_use]
pub fn waterfalls<const N: usize>(runs: [&Trace; N], options: &Options) -> [String; N] {
    let timelines = runs.map(|trace| for_a_text(trace, options.rows));
    timeline::text(timelines.each_ref(), options)
}
