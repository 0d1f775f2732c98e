//! Reads the fields of a span that are on the list, and no others.

use std::fmt;

use smol_str::format_smolstr;
use tracing::field::{Field, Visit};

use crate::trace::{FieldValue, Fields, SpanContext, SpanId, SpanName, TraceId, field};

/// The fields of a span that are kept.
pub(super) struct Visitor {
    pub(super) name: SpanName,
    pub(super) fields: Fields,
    trace_id: Option<TraceId>,
    parent_span_id: Option<SpanId>,
}

impl Visitor {
    /// Nothing yet of a span of this name.
    pub(super) fn new(name: SpanName) -> Self {
        Self {
            name,
            // Room for what will become known later, too.
            fields: Fields::with_capacity(name.fields().len()),
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

    /// Keeps a field, if it is on the list. The value is made only then, so that nothing
    /// else is even formatted.
    fn keep(&mut self, field: &Field, value: impl FnOnce() -> FieldValue) {
        let mut list = self.name.fields().iter();
        match list.find(|name| **name == field.name()) {
            Some(name) => self.fields.set(name, value()),
            None if self.name == SpanName::Request => self.keep_caller(field, value),
            None => {}
        }
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

impl Visit for Visitor {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.keep(field, || FieldValue::Str(value.into()));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.keep(field, || FieldValue::I64(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.keep(field, || FieldValue::U64(value));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.keep(field, || FieldValue::F64(value));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.keep(field, || FieldValue::Bool(value));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.keep(field, || FieldValue::Str(format_smolstr!("{value:?}")));
    }
}
