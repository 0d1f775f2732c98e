//! What a waterfall shows, row by row, and in which order.

use std::time::Duration;

use super::{label::label, scale::Extent};
use crate::trace::{Span, SpanName, Trace};

/// One span, and where it stands.
#[derive(Debug)]
pub struct Row<'a> {
    /// The span.
    pub span: &'a Span,
    /// The end of its bar: the time of the picture where it is open.
    pub until: Duration,
    nested: bool,
    /// What it says, in words. It may hold text from the wire.
    pub label: String,
}

impl Row<'_> {
    /// Whether it only gathers the rows under it.
    #[must_use]
    pub fn is_heading(&self) -> bool {
        self.span.name == SpanName::Operation
    }

    /// Its part in dividing the axis. A request under an attempt has none: that
    /// would make its attempt look longer than others.
    pub(super) fn extent(&self) -> Option<Extent> {
        (!self.nested && !self.is_heading()).then_some(Extent {
            start: self.span.start,
            end: self.until,
            pause: self.span.name == SpanName::Wait,
        })
    }
}

/// All rows in order: every root in order of time, and under it what belongs to
/// it. A run is no row, and a lone operation needs no heading, unless nothing
/// else is there to be seen.
pub(super) fn rows(traces: &[Trace]) -> Vec<Row<'_>> {
    let mut roots = Vec::new();
    for trace in traces {
        for root in trace.roots() {
            match root.name {
                SpanName::Run => roots.extend(trace.children_of(root.id).map(|it| (trace, it))),
                _ => roots.push((trace, root)),
            }
        }
    }
    roots.sort_by_key(|(_, root)| root.start);

    let mut rows = Vec::new();
    for (trace, root) in roots {
        descend(trace, root, false, &mut rows);
    }
    let headings = rows.iter().filter(|row| row.is_heading()).count();
    if headings == 1 && rows.len() > 1 {
        rows.retain(|row| !row.is_heading());
    }
    rows
}

fn descend<'a>(trace: &'a Trace, span: &'a Span, nested: bool, rows: &mut Vec<Row<'a>>) {
    let nested = nested && span.name == SpanName::Request;
    rows.push(Row {
        span,
        until: span.end.unwrap_or(trace.taken_at).max(span.start),
        nested,
        label: label(span, nested),
    });
    for child in trace.children_of(span.id) {
        descend(trace, child, span.name == SpanName::Attempt, rows);
    }
}
