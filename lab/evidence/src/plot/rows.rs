//! What a waterfall shows, row by row, and in which order.

use std::{collections::HashMap, time::Duration};

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    label::{how, length, what},
    scale::Extent,
    why::{Place, why},
};
use crate::{
    decision::{Decision, Next},
    duration::duration,
    nanoseconds,
    trace::{Span, SpanId, SpanName, Trace, TraceId, field},
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
    /// Why it is so, step by step: from what came back to what was done about it.
    pub why: Vec<String>,
    /// Whether it is the service's side of a request and says only what the client's
    /// side says.
    #[serde(skip)]
    pub(super) repeats_client: bool,
    /// All that was recorded of it, in order.
    pub details: Vec<Detail>,
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
    pub(super) fn extents(&self, taken_at: Duration) -> impl Iterator<Item = Extent> {
        let own = (!self.is_nested() && !self.is_heading()).then(|| Extent {
            start: self.start,
            end: self.until(taken_at),
            pause: matches!(self.kind, SpanName::Wait | SpanName::Queue),
        });
        let ceiling = self.ceiling.map(|ceiling| Extent {
            start: self.start,
            end: ceiling.max(self.start),
            pause: true,
        });
        own.into_iter().chain(ceiling)
    }

    fn of(span: &Span, level: u32, parent: Option<&Span>, place: Place<'_>) -> Self {
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
            why: why(span, place),
            repeats_client: nested
                && span.fields.number(field::STATUS).is_some()
                && parent.is_some_and(|attempt| {
                    attempt.fields.number(field::STATUS) == span.fields.number(field::STATUS)
                }),
            details,
        }
    }
}

fn mark(span: &Span) -> Mark {
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

/// All rows in order: every root in order of time, and under it what belongs to
/// it. A run is no row, and a lone operation needs no heading, unless nothing
/// else is there to be seen.
pub(super) fn rows(traces: &[Trace]) -> Vec<Row> {
    let spans = || traces.iter().flat_map(|trace| &trace.spans);
    let operations = spans().filter(|span| span.name == SpanName::Operation);
    let lone = operations.count() == 1
        && spans().any(|span| !matches!(span.name, SpanName::Run | SpanName::Operation));
    let is_row = |span: &Span| match span.name {
        SpanName::Run => false,
        SpanName::Operation => !lone,
        SpanName::Attempt
        | SpanName::Wait
        | SpanName::Stop
        | SpanName::Queue
        | SpanName::Request => true,
    };

    let shown: Vec<&Span> = spans().filter(|span| is_row(span)).collect();
    let known: HashMap<_, _> = shown.iter().map(|span| (key(span), *span)).collect();
    let mut roots = Vec::new();
    let mut children: HashMap<_, Vec<&Span>> = HashMap::new();
    for span in shown {
        let parent = span.parent.map(|parent| (span.trace_id, parent));
        match parent.filter(|parent| known.contains_key(parent)) {
            Some(parent) => children.entry(parent).or_default().push(span),
            None => roots.push(span),
        }
    }
    roots.sort_by_key(|root| root.start);

    let places = places(traces);
    let mut rows = Vec::new();
    // The next row is the last of what is still to come.
    let mut coming: Vec<_> = roots
        .into_iter()
        .rev()
        .map(|root| (root, 1, None))
        .collect();
    while let Some((span, level, parent)) = coming.pop() {
        let place = places.get(&key(span)).copied().unwrap_or_default();
        rows.push(Row::of(span, level, parent, place));
        let children = children.remove(&key(span)).unwrap_or_default();
        let children = children.into_iter().rev();
        coming.extend(children.map(|child| (child, level + 1, Some(span))));
    }
    rows
}

/// Where every span stands in its call, whether the call has a row or not.
fn places(traces: &[Trace]) -> HashMap<(TraceId, SpanId), Place<'_>> {
    let spans = || traces.iter().flat_map(|trace| &trace.spans);
    let operations = spans().filter(|span| span.name == SpanName::Operation);
    let operations: HashMap<_, _> = operations.map(|span| (key(span), span)).collect();
    let mut places: HashMap<_, Place<'_>> = HashMap::new();
    let mut last: HashMap<_, &Span> = HashMap::new();
    for span in spans() {
        let parent = span.parent.map(|parent| (span.trace_id, parent));
        let Some(operation) = parent.and_then(|parent| operations.get(&parent)) else {
            continue;
        };
        places.entry(key(span)).or_default().operation = Some(operation);
        if let Some(before) = last.insert(key(operation), span) {
            places.entry(key(before)).or_default().next = Some(span);
        }
    }
    places
}

fn key(span: &Span) -> (TraceId, SpanId) {
    (span.trace_id, span.id)
}
