//! The place of a span among those of its call, and what it says about its response.

use crate::trace::{Span, SpanName, field};

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

/// The recorded problem of a response, or else the error of its call.
pub(super) fn problem_of(call: &Span) -> Option<&str> {
    let problem = call.fields.text(field::PROBLEM);
    problem.or_else(|| call.fields.text(field::ERROR_TYPE))
}
