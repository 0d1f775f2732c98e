//! The recorder's store and its bounds.
//!
//! A plain data structure: the recorder locks it and passes times in. It has two bounds.
//! A full trace accepts no further spans, because its first spans explain the rest. With
//! too many traces, the oldest is removed, because a reader watches the latest.

use std::{collections::VecDeque, num::NonZeroUsize, time::Duration};

use rand::{RngExt, SeedableRng, rngs::ChaCha12Rng};
use rustc_hash::FxHashMap;

use super::visitor::Visitor;
use crate::trace::{Fields, Span, SpanContext, SpanId, Trace, TraceId};

/// How much a recorder keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecorderLimits {
    /// How many traces; by default [`RecorderLimits::TRACES`]. The oldest goes first.
    pub traces: NonZeroUsize,
    /// How many spans of one trace; by default [`RecorderLimits::SPANS_PER_TRACE`]. The
    /// first ones stay.
    pub spans_per_trace: NonZeroUsize,
}

impl RecorderLimits {
    /// Enough for a crawl in which every page is a trace of its own.
    pub const TRACES: NonZeroUsize = NonZeroUsize::new(128).expect("not zero");
    /// Enough for a crawl of a hundred pages with a retry on each.
    pub const SPANS_PER_TRACE: NonZeroUsize = NonZeroUsize::new(1024).expect("not zero");
}

impl Default for RecorderLimits {
    fn default() -> Self {
        Self {
            traces: Self::TRACES,
            spans_per_trace: Self::SPANS_PER_TRACE,
        }
    }
}

/// A span that is open: which layer was told of it, and its id there.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct OpenSpan {
    pub(super) layer: u32,
    pub(super) id: u64,
}

/// The result of opening a span.
struct Opened {
    /// Even a span that is not kept has ids, so that the header of its request
    /// does not lie about the trace.
    context: SpanContext,
    /// Where it is kept, if it is.
    position: Option<Position>,
}

/// Where a span is kept. Traces are counted from the first ever, so a position
/// stays right while old traces go.
#[derive(Clone, Copy)]
pub(super) struct Position {
    trace: u64,
    span: usize,
}

pub(super) struct Store {
    ids: ChaCha12Rng,
    limits: RecorderLimits,
    traces: VecDeque<Trace>,
    open: FxHashMap<OpenSpan, Opened>,
    /// How many traces have made room for later ones.
    gone: u64,
}

impl Store {
    pub(super) fn new(seed: u64, limits: RecorderLimits) -> Self {
        Self {
            ids: ChaCha12Rng::seed_from_u64(seed),
            limits,
            traces: VecDeque::new(),
            open: FxHashMap::default(),
            gone: 0,
        }
    }

    /// Opens a span: under its caller on the other side of the wire if it has
    /// one, else under `parent`, else as the root of a new trace. A caller whose
    /// trace is not known starts it, under the id the caller chose.
    pub(super) fn open(
        &mut self,
        open: OpenSpan,
        start: Duration,
        visited: Visitor,
        parent: Option<(SpanContext, Position)>,
    ) {
        let (parent, known) = match (visited.caller(), parent) {
            (Some(caller), _) => (Some(caller), self.number_of(caller.trace_id)),
            (None, Some((parent, position))) => (Some(parent), Some(position.trace)),
            (None, None) => (None, None),
        };
        let trace_id = match parent {
            Some(parent) => parent.trace_id,
            None => TraceId(self.ids.random()),
        };
        let trace = known.unwrap_or_else(|| self.start_trace(trace_id));
        let span = Span {
            id: SpanId(self.ids.random()),
            parent: parent.map(|parent| parent.span_id),
            trace_id,
            name: visited.name,
            start,
            end: None,
            fields: visited.fields,
        };
        let context = SpanContext {
            trace_id,
            span_id: span.id,
        };
        let position = self.keep(trace, span);
        self.open.insert(open, Opened { context, position });
    }

    /// The ids of an open span.
    pub(super) fn context(&self, span: OpenSpan) -> Option<SpanContext> {
        Some(self.open.get(&span)?.context)
    }

    /// The ids of an open span that is kept, and where.
    pub(super) fn kept(&self, span: OpenSpan) -> Option<(SpanContext, Position)> {
        let opened = self.open.get(&span)?;
        Some((opened.context, opened.position?))
    }

    /// Adds fields that became known after the span had opened; whether it is kept.
    pub(super) fn record(&mut self, span: OpenSpan, fields: &Fields) -> bool {
        let Some((_, position)) = self.kept(span) else {
            return false;
        };
        if let Some(span) = self.span_mut(position) {
            for (name, value) in fields.iter() {
                span.fields.set(name, value.clone());
            }
        }
        true
    }

    /// Takes a span from those that are open; whether it is kept.
    pub(super) fn close(&mut self, span: OpenSpan, end: Duration) -> bool {
        let position = self.open.remove(&span).and_then(|opened| opened.position);
        let span = position.and_then(|position| self.span_mut(position));
        span.map(|span| span.end = Some(end)).is_some()
    }

    pub(super) fn traces(&self) -> Vec<Trace> {
        self.traces.iter().cloned().collect()
    }

    /// The number of a trace that is still kept.
    fn number_of(&self, id: TraceId) -> Option<u64> {
        let index = self.traces.iter().rposition(|trace| trace.id == id)?;
        Some(self.gone + index as u64)
    }

    fn start_trace(&mut self, id: TraceId) -> u64 {
        if self.traces.len() == self.limits.traces.get() {
            self.gone += 1;
            self.traces.pop_front();
        }
        self.traces.push_back(Trace {
            id,
            spans: Vec::new(),
            dropped_spans: 0,
            taken_at: Duration::ZERO,
        });
        self.gone + self.traces.len() as u64 - 1
    }

    fn keep(&mut self, number: u64, span: Span) -> Option<Position> {
        let room = self.limits.spans_per_trace.get();
        match self.trace_mut(number) {
            Some(trace) if trace.spans.len() < room => {
                trace.spans.push(span);
                let span = trace.spans.len() - 1;
                let trace = number;
                return Some(Position { trace, span });
            }
            Some(trace) => trace.dropped_spans += 1,
            None => {}
        }
        None
    }

    fn trace_mut(&mut self, number: u64) -> Option<&mut Trace> {
        let index = number.checked_sub(self.gone)?;
        self.traces.get_mut(usize::try_from(index).ok()?)
    }

    /// A span, unless its trace was removed.
    fn span_mut(&mut self, position: Position) -> Option<&mut Span> {
        self.trace_mut(position.trace)?.spans.get_mut(position.span)
    }
}
