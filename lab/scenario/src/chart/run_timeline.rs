//! The timeline of a trace, which text and page draw.

use std::{collections::HashMap, iter::once, time::Duration};

use render::timeline::{Kind, Limit, Row, Timeline};
use wire::{WireRecord, WireRequest};

use super::{in_flight::InFlight, limit::LimitLine, order::rows};
use crate::trace::{SpanName, Trace, field};

/// The most rows of a page.
const ROWS: usize = 400;

/// The timeline for a page, on which a reader can unfold a row. In a run that went as expected, a call that failed only stopped.
pub(crate) fn for_a_page(trace: &Trace, is_as_expected: bool) -> Timeline {
    let mut timeline = timeline(trace);
    let calls = timeline.rows.iter_mut().filter(|row| row.is_call);
    for call in calls.filter(|call| is_as_expected && call.kind == Kind::Failed) {
        call.kind = Kind::Stop;
    }
    without_middle(timeline, ROWS)
}

/// The timeline for a text: without the rows under a folded row, and cut to so many lines.
pub(crate) fn for_a_text(trace: &Trace, lines: usize) -> Timeline {
    without_middle(timeline(trace).unfolded(), lines)
}

fn without_middle(timeline: Timeline, most: usize) -> Timeline {
    timeline.without_middle(most, |rows| format!("{} rows not shown", rows.len()))
}

fn timeline(trace: &Trace) -> Timeline {
    let dropped = trace.dropped_spans;
    let remark = format!("{dropped} more spans were not recorded: the trace was full");
    Timeline {
        rows: rows(trace),
        gap: None,
        now: trace.taken_at,
        limit: LimitLine::of(trace).map(|line| limit(line, trace)),
        remarks: (dropped > 0).then_some(remark).into_iter().collect(),
    }
}

/// The limit of attempts, and the attempts in flight, including those without a row.
fn limit(line: LimitLine, trace: &Trace) -> Limit {
    let in_flight = InFlight::of(trace);
    let changes = line.steps.iter().map(|step| (step.at, step.limit));
    Limit {
        label: "attempts in flight".to_owned(),
        note: format!("limit {}; at most {} in flight", line.text, in_flight.most),
        steps: once((Duration::ZERO, line.from)).chain(changes).collect(),
        used: in_flight.steps,
    }
}

/// The request that a row shows, by the id of the row: the only one of itself and of the rows
/// under it. A row under a folded one that shows the same does not show it again.
pub(crate) fn shown_requests<'a>(
    trace: &Trace,
    wire: &'a WireRecord,
    rows: &[Row],
) -> HashMap<String, &'a WireRequest> {
    let recorded = wire.entries.iter();
    let recorded = recorded.map(|request| (request.request_id.to_string(), request));
    let recorded: HashMap<_, _> = recorded.collect();
    let spans = trace
        .spans
        .iter()
        .filter(|span| span.name == SpanName::Request);
    let requests = spans.filter_map(|span| {
        let id = span.fields.get(field::REQUEST_ID)?.to_string();
        Some((span.id.to_string(), *recorded.get(&id)?))
    });
    let requests: HashMap<_, _> = requests.collect();
    let mut shown = HashMap::new();
    let mut shown_above = None;
    for (place, row) in rows.iter().enumerate() {
        if shown_above.is_some_and(|level| row.level > level) {
            continue;
        }
        shown_above = None;
        let is_heading = row.is_call && !row.folded;
        let is_beside_its_attempt = row.kind == Kind::Service && row.level > 1;
        if is_heading || is_beside_its_attempt {
            continue;
        }
        let later = rows.iter().skip(place + 1);
        let below = later.take_while(|next| next.level > row.level);
        let mut sides = once(row)
            .chain(below)
            .filter(|row| row.kind == Kind::Service);
        let only = sides.next().filter(|_| sides.next().is_none());
        if let Some(request) = only.and_then(|only| requests.get(&only.id)) {
            shown.insert(row.id.clone(), *request);
            shown_above = row.folded.then_some(row.level);
        }
    }
    shown
}
