//! The reasons of a row: the steps from a response or failure to the client's decision.

use crate::{
    chart::label::failure,
    decision::{Decision, problem, reason},
    trace::{FieldValue, Span, SpanName, field},
};

/// A span's place among the spans of its call.
#[derive(Clone, Copy, Default)]
pub(super) struct Neighbours<'a> {
    /// The call.
    pub(super) operation: Option<&'a Span>,
    /// The span that follows it in the call.
    pub(super) next: Option<&'a Span>,
}

impl<'a> Neighbours<'a> {
    /// The call, if it failed because its client could not use the response to this attempt,
    /// which has no error of its own.
    pub(super) fn rejecting(self, span: &Span) -> Option<&'a Span> {
        let is_last = span.name == SpanName::Attempt && span.end.is_some() && self.next.is_none();
        self.operation
            .filter(|operation| is_last && !span.failed() && operation.failed())
    }
}

/// The steps as text; empty if nothing was decided.
pub(super) fn why(span: &Span, neighbours: Neighbours<'_>) -> Vec<String> {
    match span.name {
        SpanName::Wait | SpanName::Stop => {
            Decision::of(span).map_or_else(Vec::new, |decision| decision.steps())
        }
        SpanName::Attempt => attempt(span, neighbours),
        SpanName::Queue => queue(span),
        SpanName::Request => fault(span),
        SpanName::Operation => limit(span),
        SpanName::Run | SpanName::Crash => Vec::new(),
    }
}

fn attempt(span: &Span, neighbours: Neighbours<'_>) -> Vec<String> {
    if let Some(decision) = neighbours.next.and_then(Decision::of) {
        return decision.steps();
    }
    let Some(found) = found(span) else {
        return Vec::new();
    };
    let is_followed = neighbours
        .next
        .is_some_and(|next| next.name == SpanName::Attempt);
    let then = match neighbours.rejecting(span) {
        _ if is_followed => steps(["sent again at once, regardless of the result"]),
        Some(operation) => wrong_response(operation),
        _ if span.failed() => steps(["not a transient failure", "returned to the caller"]),
        _ => received(span),
    };
    [vec![found], then].concat()
}

/// The result of an attempt: a status, or why there is none. None while it is open.
fn found(span: &Span) -> Option<String> {
    span.end?;
    let status = || span.fields.get(field::STATUS).map(FieldValue::to_string);
    failure(span).map(|error| reason(&error)).or_else(status)
}

fn steps<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).into()
}

fn received(span: &Span) -> Vec<String> {
    let what = match span.fields.number(field::STATUS) {
        Some(204) => "a success without a body",
        Some(300..400) => "a redirect is a response and is not followed",
        _ => "a success with a complete body",
    };
    steps([what, "returned to the caller"])
}

/// A success with an unusable response, which another attempt would get again.
fn wrong_response(operation: &Span) -> Vec<String> {
    let word = problem_of(operation);
    let problem = word.map_or_else(|| "unusable".to_owned(), problem);
    let end = "an error for the caller: a retry would get the same";
    steps(["its body is complete", &problem, end])
}

/// The recorded problem of a response, or else the error of its call.
pub(super) fn problem_of(call: &Span) -> Option<&str> {
    let problem = call.fields.text(field::PROBLEM);
    problem.or_else(|| call.fields.text(field::ERROR_TYPE))
}

/// A call that ended without a request.
fn limit(operation: &Span) -> Vec<String> {
    let ended_before = operation.fields.number(field::ATTEMPTS) == Some(0);
    match operation.fields.text(field::PROBLEM) {
        Some(word) if ended_before => steps([
            &problem(word),
            "no request is sent",
            "an error for the caller",
        ]),
        _ => Vec::new(),
    }
}

fn queue(span: &Span) -> Vec<String> {
    match span.fields.number(field::LIMIT) {
        Some(limit) => vec![
            format!("{limit} attempts were in flight, and the limit is {limit}"),
            "waits for one to end".to_owned(),
        ],
        None => Vec::new(),
    }
}

fn fault(request: &Span) -> Vec<String> {
    match request.fields.text(field::FAULT) {
        Some(fault) => vec![format!("injected by the service: {fault}")],
        None => Vec::new(),
    }
}
