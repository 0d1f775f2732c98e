//! The trace of a recorder and its bound.
//!
//! A plain data structure: the recorder locks it and passes times in. A full trace accepts no
//! further spans, because its first spans explain the rest.

use std::time::Duration;

use rand::{RngExt, SeedableRng, rngs::ChaCha12Rng};
use rustc_hash::FxHashMap;

use super::visitor::Visitor;
use crate::trace::{Fields, Span, SpanContext, SpanId, Trace, TraceId};

/// A span that is open.
struct Opened {
    /// Even a span that is not kept has an id, so that the header of its request does not lie.
    id: SpanId,
    /// Where it is kept, if it is.
    position: Option<usize>,
}

pub(super) struct Store {
    ids: ChaCha12Rng,
    most_spans: usize,
    trace: Trace,
    /// The open spans by their ids in the subscriber.
    open: FxHashMap<u64, Opened>,
}

impl Store {
    pub(super) fn new(seed: u64, most_spans: usize) -> Self {
        let mut ids = ChaCha12Rng::seed_from_u64(seed);
        let trace = Trace {
            id: TraceId(ids.random()),
            spans: Vec::new(),
            dropped_spans: 0,
            taken_at: Duration::ZERO,
        };
        Self {
            ids,
            most_spans,
            trace,
            open: FxHashMap::default(),
        }
    }

    /// Opens a span: under its caller on the other side of the wire if that is in this trace,
    /// or else under `parent`.
    pub(super) fn open(
        &mut self,
        open: u64,
        start: Duration,
        visited: Visitor,
        parent: Option<SpanId>,
    ) {
        let caller = visited.caller();
        let caller = caller.filter(|caller| caller.trace_id == self.trace.id);
        let span = Span {
            id: SpanId(self.ids.random()),
            parent: caller.map(|caller| caller.span_id).or(parent),
            name: visited.name,
            start,
            end: None,
            fields: visited.fields,
        };
        let opened = Opened {
            id: span.id,
            position: self.keep(span),
        };
        self.open.insert(open, opened);
    }

    /// The ids of an open span.
    pub(super) fn context(&self, span: u64) -> Option<SpanContext> {
        Some(SpanContext {
            trace_id: self.trace.id,
            span_id: self.open.get(&span)?.id,
        })
    }

    /// The id of an open span that is kept.
    pub(super) fn kept(&self, span: u64) -> Option<SpanId> {
        let opened = self.open.get(&span)?;
        opened.position.map(|_| opened.id)
    }

    /// Adds fields that became known after the span had opened; whether it is kept.
    pub(super) fn record(&mut self, span: u64, fields: &Fields) -> bool {
        let position = self.open.get(&span).and_then(|opened| opened.position);
        let span = position.and_then(|position| self.trace.spans.get_mut(position));
        let Some(span) = span else {
            return false;
        };
        for (name, value) in fields.iter() {
            span.fields.set(name, value.clone());
        }
        true
    }

    /// Takes a span from those that are open; whether it is kept.
    pub(super) fn close(&mut self, span: u64, end: Duration) -> bool {
        let position = self.open.remove(&span).and_then(|opened| opened.position);
        let span = position.and_then(|position| self.trace.spans.get_mut(position));
        span.map(|span| span.end = Some(end)).is_some()
    }

    pub(super) fn trace(&self) -> Trace {
        self.trace.clone()
    }

    fn keep(&mut self, span: Span) -> Option<usize> {
        let position = self.trace.spans.len();
        if position == self.most_spans {
            self.trace.dropped_spans += 1;
            return None;
        }
        self.trace.spans.push(span);
        Some(position)
    }
}
