//! The row of a span: its texts and its bars.

use std::time::Duration;

use render::timeline::{Bar, Kind, Row};

use super::label::{failure, how, length, what};
use crate::trace::{Span, SpanName, field};

/// A timer may be this late without a reason.
const GRAIN: Duration = Duration::from_millis(5);

/// The row of a span, in a trace that was read at this time. A call has no bars of its own.
pub(super) fn row(
    span: &Span,
    level: u32,
    parent: Option<&Span>,
    neighbours: Neighbours<'_>,
    now: Duration,
) -> Row {
    let nested = parent.is_some_and(|parent| parent.name == SpanName::Attempt);
    let is_call = matches!(span.name, SpanName::Run | SpanName::Operation);
    let mut note = how(span, nested);
    if neighbours.is_rejected(span) {
        note.push_str(" · rejected");
    }
    if let Some(due) = due(span) {
        note = format!("{} left · {note}", left(due, now));
    }
    Row {
        id: span.id.to_string(),
        level,
        kind: kind(span, neighbours),
        is_call,
        at: span.start,
        end: span.end,
        label: what(span),
        note,
        tags: Vec::new(),
        bars: if is_call {
            Vec::new()
        } else {
            bars(span, neighbours, now)
        },
        folded: false,
    }
}

/// The bars of a span that is no call. A wait that lasted longer than decided is drawn as both.
pub(super) fn bars(span: &Span, neighbours: Neighbours<'_>, now: Duration) -> Vec<Bar> {
    let bar = Bar {
        kind: kind(span, neighbours),
        from: span.start,
        to: span.end,
        at_most: None,
    };
    if bar.kind != Kind::Wait {
        return vec![bar];
    }
    let ceiling = span.fields.seconds(field::WAIT_CEILING);
    let at_most = ceiling.map(|ceiling| span.start + ceiling).or(due(span));
    let wait = Bar { at_most, ..bar };
    let decided = length(span).map(|length| span.start + length);
    match decided.filter(|decided| span.end.unwrap_or(now) > *decided + GRAIN) {
        None => vec![wait],
        Some(decided) => vec![
            Bar {
                to: Some(decided),
                ..wait
            },
            Bar {
                kind: Kind::Late,
                from: decided,
                ..bar
            },
        ],
    }
}

/// When an open wait will end.
fn due(span: &Span) -> Option<Duration> {
    let is_open = span.name == SpanName::Wait && span.end.is_none();
    length(span)
        .filter(|_| is_open)
        .map(|length| span.start + length)
}

/// The time left of an open wait, rounded up, so that zero means zero.
fn left(due: Duration, now: Duration) -> String {
    let tenths = due.saturating_sub(now).as_millis().div_ceil(100);
    format!("{}.{} s", tenths / 10, tenths % 10)
}

fn kind(span: &Span, neighbours: Neighbours<'_>) -> Kind {
    match span.name {
        SpanName::Wait => Kind::Wait,
        SpanName::Queue => Kind::Queue,
        SpanName::Stop | SpanName::Crash => Kind::Stop,
        SpanName::Request => Kind::Service,
        SpanName::Attempt if has_broken_off(span) => Kind::Cut,
        _ if span.failed() || neighbours.is_rejected(span) => Kind::Failed,
        _ if span.end.is_none() => Kind::InFlight,
        SpanName::Run | SpanName::Operation | SpanName::Attempt => Kind::Good,
    }
}

/// Whether the response to an attempt began, and did not arrive whole.
fn has_broken_off(attempt: &Span) -> bool {
    attempt.failed() && attempt.fields.get(field::STATUS).is_some() && failure(attempt).is_some()
}

/// A span's place among the spans of its call.
#[derive(Clone, Copy, Default)]
pub(super) struct Neighbours<'a> {
    /// The call.
    pub(super) operation: Option<&'a Span>,
    /// The span that follows it in the call.
    pub(super) next: Option<&'a Span>,
}

impl<'a> Neighbours<'a> {
    /// Whether the client rejected the response to this attempt, which has no error of its
    /// own: it sent the request again or gave up, or it could not use the last response.
    pub(super) fn is_rejected(self, span: &Span) -> bool {
        let is_complete = span.name == SpanName::Attempt && span.end.is_some() && !span.failed();
        is_complete
            && match self.next {
                // A first attempt after it asks for the next page of a listing.
                Some(next) if next.name == SpanName::Attempt => {
                    next.fields.get(field::RESEND_COUNT).is_some()
                }
                Some(next) => matches!(next.name, SpanName::Wait | SpanName::Stop),
                None => self.operation.is_some_and(Span::failed),
            }
    }
}
