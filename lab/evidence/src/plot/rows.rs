//! A row of a waterfall: what is said of a span, and where its bar stands.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    label::{how, length, what},
    scale::Extent,
    why::{Neighbours, why},
};
use crate::{
    decision::{Decision, Next},
    duration::duration,
    nanoseconds,
    trace::{Span, SpanId, SpanName},
};

/// One span: what is said of it, and where its bar stands.
///
/// What it says may hold text from the wire.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Row {
    /// The span.
    pub span: SpanId,
    /// The row that it stands under.
    pub parent: Option<SpanId>,
    /// How deep it stands; the first level is 1.
    pub level: u32,
    /// What it is about.
    pub kind: SpanName,
    /// How it went.
    pub mark: Mark,
    /// What it is, in words.
    pub what: String,
    /// How it went, in words.
    pub how: String,
    /// What the row is that it stands under, in words.
    pub within: Option<String>,
    /// When it began, in words.
    pub at: String,
    /// How long it lasted, in words.
    pub lasted: String,
    /// Where its bar begins.
    #[serde(rename = "start_ns", serialize_with = "nanoseconds::one")]
    #[schemars(with = "u64")]
    pub start: Duration,
    /// Where its bar ends; null while it is open.
    #[serde(rename = "end_ns", serialize_with = "nanoseconds::optional")]
    #[schemars(with = "Option<u64>")]
    pub end: Option<Duration>,
    /// When an open wait will be over.
    #[serde(rename = "due_ns", serialize_with = "nanoseconds::optional")]
    #[schemars(with = "Option<u64>")]
    pub due: Option<Duration>,
    /// What the length of a wait was drawn below: where it would have ended at most.
    #[serde(rename = "ceiling_ns", serialize_with = "nanoseconds::optional")]
    #[schemars(with = "Option<u64>")]
    pub ceiling: Option<Duration>,
    /// Of a call, the bars of what is in it: for a line that stands for all of it.
    pub parts: Vec<Part>,
    /// Whether it is shown without the rows under it, unless a reader asks for them:
    /// they say little more, or there are many like it.
    pub folded: bool,
    /// Why it is so, step by step: from what came back to what was done about it.
    pub why: Vec<String>,
    /// All that was recorded of it, in order.
    pub details: Vec<Detail>,
}

/// A bar in the line of a whole call.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Part {
    /// What it is about.
    pub kind: SpanName,
    /// How it went.
    pub mark: Mark,
    /// Where it begins.
    #[serde(rename = "start_ns", serialize_with = "nanoseconds::one")]
    #[schemars(with = "u64")]
    pub start: Duration,
    /// Where it ends; null while it is open.
    #[serde(rename = "end_ns", serialize_with = "nanoseconds::optional")]
    #[schemars(with = "Option<u64>")]
    pub end: Option<Duration>,
}

/// How a span went: what the colour and the sign of its row say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// It succeeded.
    Ok,
    /// It failed.
    Failed,
    /// It is a pause.
    Wait,
    /// It waits for a turn.
    Queue,
    /// It is the service's side of a request.
    Service,
    /// It has not ended.
    Open,
}

/// Something that was recorded of a span.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Detail {
    /// What it is called.
    pub name: String,
    /// What it was, in words.
    pub value: String,
}

impl Row {
    /// Whether it only gathers the rows under it.
    #[must_use]
    pub fn is_heading(&self) -> bool {
        matches!(self.kind, SpanName::Run | SpanName::Operation)
    }

    /// Whether it is a request under the attempt that sent it.
    #[must_use]
    pub fn is_nested(&self) -> bool {
        self.kind == SpanName::Request && self.within.is_some()
    }

    /// Why it is so, unless the rows under it say so.
    #[must_use]
    pub fn reason(&self) -> &[String] {
        match self.is_heading() && !self.folded && !self.parts.is_empty() {
            true => &[],
            false => &self.why,
        }
    }

    /// What it is and how it went, in a line.
    #[must_use]
    pub fn label(&self) -> String {
        let Self { what, how, .. } = self;
        match self.kind {
            _ if how.is_empty() => what.clone(),
            SpanName::Run | SpanName::Operation => format!("{what} · {how}"),
            SpanName::Request if self.is_nested() => format!("└ {what}  {how}"),
            SpanName::Request => format!("{what}  {how}"),
            SpanName::Attempt | SpanName::Wait | SpanName::Stop | SpanName::Queue => {
                format!("{what}   {how}")
            }
        }
    }

    /// The end of its bar in a picture of this time.
    #[must_use]
    pub fn until(&self, taken_at: Duration) -> Duration {
        self.end.unwrap_or(taken_at).max(self.start)
    }

    /// Its part in dividing the axis, and that of what its length was drawn below. A
    /// request under an attempt has none: that would make its attempt look longer than
    /// others.
    pub(super) fn extents(&self, taken_at: Duration) -> Vec<Extent> {
        let extent = |kind, start: Duration, end: Option<Duration>| Extent {
            start,
            end: end.unwrap_or(taken_at).max(start),
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

    /// The row of a span on its own; what is in a call is added to it.
    pub(super) fn of(
        span: &Span,
        level: u32,
        parent: Option<&Span>,
        neighbours: Neighbours<'_>,
    ) -> Self {
        let nested = parent.is_some_and(|parent| parent.name == SpanName::Attempt);
        let lasted = span.end.map(|end| duration(end.saturating_sub(span.start)));
        let lasted = lasted.unwrap_or_else(|| "still open".to_owned());
        let detail = |name: &str, value| Detail {
            name: name.to_owned(),
            value,
        };
        let mut details = vec![
            detail("started at", duration(span.start)),
            detail("lasted", lasted.clone()),
            detail("span", span.id.to_string()),
        ];
        let fields = span.fields.iter();
        details.extend(fields.map(|(name, value)| detail(name, value.to_string())));
        Self {
            span: span.id,
            parent: parent.map(|parent| parent.id),
            level,
            kind: span.name,
            mark: mark(span),
            what: what(span),
            how: how(span, nested),
            within: parent.map(what),
            at: duration(span.start),
            lasted,
            start: span.start,
            end: span.end,
            due: match (span.name, span.end) {
                (SpanName::Wait, None) => length(span).map(|length| span.start + length),
                _ => None,
            },
            ceiling: match Decision::of(span).map(|decision| decision.next) {
                Some(Next::Wait {
                    ceiling: Some(ceiling),
                    ..
                }) => Some(span.start + ceiling),
                _ => None,
            },
            parts: Vec::new(),
            folded: false,
            why: why(span, neighbours),
            details,
        }
    }
}

pub(super) fn mark(span: &Span) -> Mark {
    match span.name {
        SpanName::Wait => Mark::Wait,
        SpanName::Queue => Mark::Queue,
        SpanName::Stop => Mark::Failed,
        SpanName::Request => Mark::Service,
        _ if span.failed() => Mark::Failed,
        _ if span.end.is_none() => Mark::Open,
        SpanName::Run | SpanName::Operation | SpanName::Attempt => Mark::Ok,
    }
}
