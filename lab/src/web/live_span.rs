//! A span on its way to the page.

use serde::Serialize;

use evidence::{trace::Span, trace::TraceId};

/// A span that stands alone, and so says which trace it belongs to.
#[derive(Debug, Serialize)]
pub(super) struct LiveSpan {
    trace_id: TraceId,
    #[serde(flatten)]
    span: Span,
}

impl From<Span> for LiveSpan {
    fn from(span: Span) -> Self {
        Self {
            trace_id: span.trace_id,
            span,
        }
    }
}
