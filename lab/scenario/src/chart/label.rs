//! The label of a span's row.
//!
//! The text carries the whole meaning; the shape and colour of a bar only repeat it.

use std::time::Duration;

use http::StatusCode;
use wire::duration;

use super::decision::decision;
use crate::{
    outcome::in_words,
    trace::{FieldValue, Span, SpanName, field},
};

/// The `error.type` of an unusual status. For a failed status the `error.type` only
/// repeats the status, in this case less exactly; every other type says more than the
/// status.
const UNFORESEEN: &str = "other";

/// The kind of a span, as text. The text may contain data from the wire: escape it before you print
/// it.
pub(super) fn what(span: &Span) -> String {
    match span.name {
        SpanName::Run | SpanName::Operation => text(span, field::OTEL_NAME)
            .or_else(|| text(span, field::ENDPOINT))
            .unwrap_or_else(|| span.name.as_str().to_owned()),
        SpanName::Attempt => {
            let resends = span.fields.number(field::RESEND_COUNT).unwrap_or(0);
            format!("attempt {}", resends.saturating_add(1))
        }
        SpanName::Wait => {
            let length = length(span).map(|length| format!(" {}", duration(length)));
            let waiting = if span.end.is_some() {
                "wait"
            } else {
                "waiting"
            };
            format!("{waiting}{}{}", length.unwrap_or_default(), cut_off(span))
        }
        SpanName::Stop => "gave up".to_owned(),
        SpanName::Crash => "killed".to_owned(),
        SpanName::Queue => match span.end {
            Some(end) => format!("queued {}", duration(end.saturating_sub(span.start))),
            None => "queued".to_owned(),
        },
        SpanName::Request => "service".to_owned(),
    }
}

/// The result. `nested` is a request under the attempt that sent it, where method and
/// route would only repeat the client's side.
pub(super) fn how(span: &Span, nested: bool) -> String {
    match span.name {
        SpanName::Run | SpanName::Operation => operation(span),
        SpanName::Attempt => attempt(span),
        SpanName::Wait | SpanName::Stop => decision(span).unwrap_or_default(),
        SpanName::Crash => text(span, field::CRASH).unwrap_or_default(),
        SpanName::Queue => queue(span),
        SpanName::Request => request(span, nested),
    }
}

/// The decided length of a wait, or else the actual length.
pub(super) fn length(wait: &Span) -> Option<Duration> {
    let lasted = || wait.end.map(|end| end.saturating_sub(wait.start));
    wait.fields.seconds(field::WAIT_SECONDS).or_else(lasted)
}

fn operation(span: &Span) -> String {
    let mut words = Vec::new();
    match span.fields.number(field::ATTEMPTS) {
        Some(0) => words.push("no request".to_owned()),
        Some(1) => words.push("1 attempt".to_owned()),
        Some(attempts) => words.push(format!("{attempts} attempts")),
        None => {}
    }
    let ended = match problem_of(span) {
        Some(problem) => Some(in_words(&problem)),
        None => text(span, field::OUTCOME),
    };
    words.extend(ended);
    if span.end.is_none() {
        words.push("running".to_owned());
    }
    words.join(" · ")
}

fn attempt(span: &Span) -> String {
    match (failure(span), text(span, field::STATUS)) {
        (Some(error), _) => reason(&error).to_owned(),
        (None, Some(code)) => with_reason(code),
        (None, None) => without_status(span).to_owned(),
    }
}

/// Why an attempt has no complete response: its error, unless that is its status.
pub(super) fn failure(attempt: &Span) -> Option<String> {
    let status = text(attempt, field::STATUS);
    let error = text(attempt, field::ERROR_TYPE);
    error.filter(|error| status.is_none_or(|status| status != *error && error != UNFORESEEN))
}

/// The recorded problem of a response, or else the error of its call.
pub(super) fn problem_of(call: &Span) -> Option<&str> {
    let problem = call.fields.text(field::PROBLEM);
    problem.or_else(|| call.fields.text(field::ERROR_TYPE))
}

/// The text for a failure: a status unchanged, a kind of failure in words.
fn reason(label: &str) -> &str {
    match label {
        "connect_timeout" => "no connection in time",
        "read_timeout" => "no complete response in time",
        "connect" => "no connection",
        "tls" => "the TLS handshake failed",
        "connection_lost" => "the connection broke off",
        "protocol" => "the response is not HTTP",
        "body_too_large" => "the body is longer than allowed",
        "request" => "the request could not be sent",
        "queue_timeout" => "no free slot in time",
        status => status,
    }
}

/// The text for a request without a status.
fn without_status(span: &Span) -> &'static str {
    match span.end {
        Some(_) => "no response",
        None => "in flight",
    }
}

fn queue(span: &Span) -> String {
    match span.fields.number(field::LIMIT) {
        Some(1) => "limit of one attempt".to_owned(),
        Some(limit) => format!("limit of {limit} attempts"),
        None => String::new(),
    }
}

/// The text for a wait that a cancelled run ended early. A length in seconds is a float,
/// so a difference below a millisecond does not count.
fn cut_off(wait: &Span) -> String {
    let lasted = wait.end.map(|end| end.saturating_sub(wait.start));
    match (length(wait), lasted) {
        (Some(length), Some(lasted))
            if length.saturating_sub(lasted) >= Duration::from_millis(1) =>
        {
            format!(", cut off after {}", duration(lasted))
        }
        _ => String::new(),
    }
}

fn request(span: &Span, nested: bool) -> String {
    let place: &[_] = if nested {
        &[]
    } else {
        &[field::METHOD, field::ROUTE]
    };
    let mut words: Vec<_> = place.iter().filter_map(|name| text(span, name)).collect();
    words.push(text(span, field::STATUS).unwrap_or_else(|| without_status(span).to_owned()));
    let fault = text(span, field::FAULT).map(|fault| format!(" · fault {fault}"));
    words.join(" ") + &fault.unwrap_or_default()
}

fn with_reason(code: String) -> String {
    let status = StatusCode::from_bytes(code.as_bytes()).ok();
    match status.and_then(|status| status.canonical_reason()) {
        Some(reason) => format!("{code} {reason}"),
        None => code,
    }
}

fn text(span: &Span, name: &str) -> Option<String> {
    span.fields.get(name).map(FieldValue::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::testing::span;

    /// Spans, and the two parts of the label under each.
    const LABELS: &str = "
        attempt 0-7 http.response.status_code=200
            attempt 1 | 200 OK
        attempt 0-7 http.response.status_code=503 error.type='503'
            attempt 1 | 503 Service Unavailable
        attempt 0-7 http.response.status_code=418 error.type=other
            attempt 1 | 418 I'm a teapot
        attempt 0-7 http.response.status_code=200 error.type=body
            attempt 1 | body
        attempt 0-7 http.response.status_code=799
            attempt 1 | 799
        attempt 0-7 error.type=tls
            attempt 1 | the TLS handshake failed
        attempt 0-7 http.request.resend_count=2
            attempt 3 | no response
        operation 0-7 otel.name=items attempts=3 outcome=error error.type='503'
            items | 3 attempts · 503
        operation 0- otel.name=items
            items | running
        wait 0-131 wait.source=backoff wait.seconds=0.131 wait.ceiling_seconds=0.2
            wait 131 ms | backoff, at most 200 ms
        wait 0-7 wait.source=backoff wait.seconds=NaN
            wait 7 ms |
        wait 0-7
            wait 7 ms |
        wait 0-7 wait.source=retry_after wait.seconds=120.0
            wait 120 s, cut off after 7 ms | Retry-After
        stop 0-0 stop.reason=tls
            gave up | TLS would fail again
        queue 0-7 concurrency.max=8
            queued 7 ms | limit of 8 attempts
        queue 0- concurrency.max=8
            queued | limit of 8 attempts
    ";

    #[test]
    fn each_kind_of_span_has_its_label() {
        let mut lines = LABELS.trim().lines().map(str::trim);
        while let (Some(text), Some(label)) = (lines.next(), lines.next()) {
            let span = span(text);
            let shown = format!("{} | {}", what(&span), how(&span, false));

            assert_eq!(shown.trim_end(), label, "{text}");
        }
    }

    #[test]
    fn a_request_is_labelled_with_its_status_and_fault() {
        let request = span(
            "request 0-7 http.request.method=GET http.route=/bad-json \
             http.response.status_code=200 lab.fault=bad_json",
        );

        assert_eq!(what(&request), "service");
        assert_eq!(how(&request, true), "200 · fault bad_json");
        assert_eq!(how(&request, false), "GET /bad-json 200 · fault bad_json");
    }
}
