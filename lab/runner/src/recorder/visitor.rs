//! Reads the fields of a span that are on the list, and no others.

use std::{fmt, sync::OnceLock};

use evidence::trace::{FieldValue, Fields, SpanContext, SpanId, SpanName, TraceId, field};
use smol_str::format_smolstr;
use tracing::{
    Metadata,
    callsite::Identifier,
    field::{Field, Visit},
};

/// Receives the fields of a span.
pub(super) trait Keep {
    /// Keeps a field, if it may be kept. The value is made only then, so that nothing
    /// else is even formatted.
    fn keep(&mut self, field: &Field, value: impl FnOnce() -> FieldValue);

    /// Keeps a field whose `Debug` is foreign code.
    fn keep_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.keep(field, || FieldValue::Str(format_smolstr!("{value:?}")));
    }
}

/// Visits the fields of a span and passes on those on the list.
pub(super) struct Visitor<K>(pub(super) K);

/// For each name of a span one callsite whose first fields are those of the list, in its
/// order: the first there was. None of them needs to be looked for.
#[derive(Debug, Default)]
pub(super) struct Callsites([OnceLock<Identifier>; SpanName::ALL.len()]);

impl Callsites {
    /// Learns of a callsite that opens spans of this name.
    #[inline]
    pub(super) fn learn(&self, name: SpanName, callsite: &Metadata<'_>) {
        let Some(known) = self.0.get(name as usize) else {
            return;
        };
        if known.get().is_none() {
            let fields = callsite.fields().iter().map(|field| field.name());
            if fields
                .take(name.fields().len())
                .eq(name.fields().iter().copied())
            {
                known.get_or_init(|| callsite.callsite());
            }
        }
    }

    /// Where a field stands on the list of a span of this name, and its name there.
    #[inline]
    pub(super) fn listed(&self, span: SpanName, field: &Field) -> Option<(usize, &'static str)> {
        let list = span.fields();
        let known = self.0.get(span as usize).and_then(OnceLock::get);
        let position = if known == Some(&field.callsite()) {
            field.index()
        } else {
            list.iter().position(|name| *name == field.name())?
        };
        Some((position, list.get(position)?))
    }
}

/// A span that opens, and what it may keep.
pub(super) struct Opening<'a> {
    pub(super) name: SpanName,
    callsites: &'a Callsites,
    pub(super) fields: Fields,
    /// How far on the list the fields have come. One from there on is not there yet.
    next: usize,
    trace_id: Option<TraceId>,
    parent_span_id: Option<SpanId>,
}

impl<'a> Opening<'a> {
    /// A span without fields.
    pub(super) fn new(name: SpanName, callsites: &'a Callsites) -> Self {
        Self {
            name,
            callsites,
            // Room for what will become known later, too.
            fields: Fields::with_capacity(name.fields().len()),
            next: 0,
            trace_id: None,
            parent_span_id: None,
        }
    }

    /// The span on the other side of the wire that caused this one, if both its
    /// ids are known: W3C Trace Context has no context with only one of them.
    pub(super) fn caller(&self) -> Option<SpanContext> {
        Some(SpanContext {
            trace_id: self.trace_id?,
            span_id: self.parent_span_id?,
        })
    }

    fn keep_caller(&mut self, field: &Field, value: impl FnOnce() -> FieldValue) {
        if ![field::TRACE_ID, field::PARENT_SPAN_ID].contains(&field.name()) {
            return;
        }
        let FieldValue::Str(hex) = value() else {
            return;
        };
        if field.name() == field::TRACE_ID {
            self.trace_id = TraceId::from_hex(&hex);
        } else {
            self.parent_span_id = SpanId::from_hex(&hex);
        }
    }
}

impl Keep for Opening<'_> {
    fn keep(&mut self, field: &Field, value: impl FnOnce() -> FieldValue) {
        match self.callsites.listed(self.name, field) {
            Some((position, name)) if position >= self.next => {
                self.next = position + 1;
                self.fields.push(name, value());
            }
            Some((_, name)) => self.fields.set(name, value()),
            None if self.name == SpanName::Request => self.keep_caller(field, value),
            None => {}
        }
    }
}

impl<K: Keep> Visit for Visitor<K> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.keep(field, || FieldValue::Str(value.into()));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.0.keep(field, || FieldValue::I64(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.keep(field, || FieldValue::U64(value));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.0.keep(field, || FieldValue::F64(value));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.0.keep(field, || FieldValue::Bool(value));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.keep_debug(field, value);
    }
}
