//! A row of a waterfall: the texts for a span, and its bar.

use std::time::Duration;

use render::{Extent, Mark};
use wire::duration;

use super::label::{how, length, what};
use crate::trace::{Span, SpanId, SpanName, field};

/// One span: its texts and its bar.
///
/// The texts may contain data from the wire.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The span.
    pub span: SpanId,
    /// Its depth; the first level is 1.
    pub level: u32,
    /// The kind of span.
    pub kind: SpanName,
    /// Its result.
    pub mark: Mark,
    /// Its label, as text.
    pub what: String,
    /// Its result, as text.
    pub how: String,
    /// When it began, as text.
    pub at: String,
    /// How long it took, as text.
    pub lasted: String,
    /// The start of its bar.
    pub start: Duration,
    /// The end of its bar; none while it is open.
    pub end: Option<Duration>,
    /// When an open wait will end.
    pub due: Option<Duration>,
    /// The latest end of a wait, given the upper bound of its random length.
    pub ceiling: Option<Duration>,
    /// For a call, the bars of the spans in it, for a line that represents all of them.
    pub parts: Vec<Part>,
    /// Whether the rows under it are collapsed at first, because they add little or are many
    /// of a kind.
    pub folded: bool,
    /// The id of its request, if it is one of the service's.
    pub request_id: Option<String>,
}

/// A bar in the line of a whole call.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The kind of span.
    pub kind: SpanName,
    /// Its result.
    pub mark: Mark,
    /// The start.
    pub start: Duration,
    /// The end; none while it is open.
    pub end: Option<Duration>,
}

impl Row {
    /// Whether it is only a heading for the rows under it.
    #[must_use]
    pub fn is_heading(&self) -> bool {
        matches!(self.kind, SpanName::Run | SpanName::Operation)
    }

    /// Whether it is a request under the attempt that sent it.
    #[must_use]
    pub fn is_nested(&self) -> bool {
        self.kind == SpanName::Request && self.level > 1
    }

    /// Its label and its result, on one line.
    #[must_use]
    pub fn label(&self) -> String {
        let Self { what, how, .. } = self;
        match self.kind {
            _ if how.is_empty() => what.clone(),
            SpanName::Run | SpanName::Operation => format!("{what} · {how}"),
            SpanName::Request if self.is_nested() => format!("└ {what}  {how}"),
            SpanName::Request => format!("{what}  {how}"),
            SpanName::Attempt
            | SpanName::Wait
            | SpanName::Stop
            | SpanName::Queue
            | SpanName::Crash => {
                format!("{what}   {how}")
            }
        }
    }

    /// Its share in dividing the axis, and that of the upper bound of its wait. A request
    /// under an attempt has none, because it would make its attempt look longer than others.
    pub(super) fn extents(&self, taken_at: Duration) -> Vec<Extent> {
        let extent = |kind, start: Duration, end: Option<Duration>| Extent {
            start,
            end: until(start, end, taken_at),
            pause: matches!(kind, SpanName::Wait | SpanName::Queue),
        };
        if self.is_heading() {
            let parts = self.parts.iter().filter(|_| self.folded);
            return parts
                .map(|part| extent(part.kind, part.start, part.end))
                .collect();
        }
        let own = (!self.is_nested()).then(|| extent(self.kind, self.start, self.end));
        let ceiling = self
            .ceiling
            .map(|ceiling| extent(SpanName::Wait, self.start, Some(ceiling)));
        own.into_iter().chain(ceiling).collect()
    }

    /// The row of a span without the spans of a call, which are added later.
    pub(super) fn of(
        span: &Span,
        level: u32,
        parent: Option<&Span>,
        neighbours: Neighbours<'_>,
    ) -> Self {
        let nested = parent.is_some_and(|parent| parent.name == SpanName::Attempt);
        let lasted = span.end.map(|end| duration(end.saturating_sub(span.start)));
        let lasted = lasted.unwrap_or_else(|| "still open".to_owned());
        Self {
            span: span.id,
            level,
            kind: span.name,
            mark: mark(span, neighbours),
            what: what(span),
            how: if neighbours.is_rejected(span) {
                format!("{} · rejected", how(span, nested))
            } else {
                how(span, nested)
            },
            at: duration(span.start),
            lasted,
            start: span.start,
            end: span.end,
            due: match (span.name, span.end) {
                (SpanName::Wait, None) => length(span).map(|length| span.start + length),
                _ => None,
            },
            ceiling: {
                let ceiling = span.fields.seconds(field::WAIT_CEILING);
                ceiling.map(|ceiling| span.start + ceiling)
            },
            parts: Vec::new(),
            folded: false,
            request_id: span.fields.get(field::REQUEST_ID).map(ToString::to_string),
        }
    }
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

/// The end of a bar in a snapshot taken at this time.
pub(super) fn until(start: Duration, end: Option<Duration>, taken_at: Duration) -> Duration {
    end.unwrap_or(taken_at).max(start)
}

pub(super) fn mark(span: &Span, neighbours: Neighbours<'_>) -> Mark {
    match span.name {
        SpanName::Wait => Mark::Wait,
        SpanName::Queue => Mark::Queue,
        SpanName::Stop | SpanName::Crash => Mark::Failed,
        SpanName::Request => Mark::Service,
        _ if span.failed() || neighbours.is_rejected(span) => Mark::Failed,
        _ if span.end.is_none() => Mark::Open,
        SpanName::Run | SpanName::Operation | SpanName::Attempt => Mark::Ok,
    }
}
