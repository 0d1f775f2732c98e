//! The label of a span's row.
//!
//! The text carries the whole meaning; the shape and colour of a bar only repeat it.

use std::time::Duration;

use http::StatusCode;

use crate::{
    decision::{Decision, reason},
    duration::duration,
    trace::{FieldValue, Span, SpanName, field},
};

/// The `error.type` of an unusual status. For a failed status the `error.type` only
/// repeats the status, in this case less exactly; every other type says more than the
/// status.
const UNFORESEEN: &str = "other";

/// What a span is. The text may contain data from the wire: escape it before you print
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
        SpanName::Wait | SpanName::Stop => decision(span),
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
    let outcome = text(span, field::OUTCOME);
    let error = text(span, field::ERROR_TYPE);
    // Some outcomes have the same name as their error type.
    let is_said = |error: &String| outcome.as_ref().is_some_and(|it| it.starts_with(&**error));
    let error = error.filter(|error| !is_said(error));
    words.extend(outcome);
    words.extend(error);
    if span.end.is_none() {
        words.push("running".to_owned());
    }
    words.join(" · ")
}

fn attempt(span: &Span) -> String {
    match (text(span, field::STATUS), text(span, field::ERROR_TYPE)) {
        (Some(code), Some(error)) if error != code && error != UNFORESEEN => reason(&error),
        (Some(code), _) => with_reason(code),
        (None, Some(error)) => reason(&error),
        (None, None) => without_status(span).to_owned(),
    }
}

/// The text for a request without a status.
fn without_status(span: &Span) -> &'static str {
    match span.end {
        Some(_) => "no response",
        None => "in flight",
    }
}

fn decision(span: &Span) -> String {
    let decision = Decision::of(span);
    decision.map_or_else(String::new, |decision| decision.in_short())
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
    let place: &[_] = match nested {
        true => &[],
        false => &[field::METHOD, field::ROUTE],
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
    use std::time::Duration;

    use super::*;
    use crate::trace::{SpanId, TraceId};

    fn span(name: SpanName, fields: &[(&'static str, FieldValue)]) -> Span {
        Span {
            id: SpanId::from_hex("0000000000000001").unwrap(),
            parent: None,
            trace_id: TraceId::from_hex("00000000000000000000000000000001").unwrap(),
            name,
            start: Duration::ZERO,
            end: Some(Duration::from_millis(7)),
            fields: fields.iter().cloned().collect(),
        }
    }

    /// Both columns of a row.
    fn words(span: &Span, nested: bool) -> [String; 2] {
        [what(span), how(span, nested)]
    }

    fn str(text: &str) -> FieldValue {
        FieldValue::Str(text.into())
    }

    #[test]
    fn an_attempt_is_labelled_with_its_result() {
        let (status, error) = (field::STATUS, field::ERROR_TYPE);
        let table = [
            (
                vec![(status, FieldValue::U64(200))],
                ["attempt 1", "200 OK"],
            ),
            (
                vec![(status, FieldValue::I64(200))],
                ["attempt 1", "200 OK"],
            ),
            (
                vec![(status, FieldValue::U64(503)), (error, str("503"))],
                ["attempt 1", "503 Service Unavailable"],
            ),
            (
                vec![(status, FieldValue::U64(418)), (error, str("other"))],
                ["attempt 1", "418 I'm a teapot"],
            ),
            (
                vec![(status, FieldValue::U64(200)), (error, str("body"))],
                ["attempt 1", "body"],
            ),
            (vec![(status, FieldValue::U64(799))], ["attempt 1", "799"]),
            (
                vec![(error, str("tls"))],
                ["attempt 1", "the TLS handshake failed"],
            ),
            (
                vec![(field::RESEND_COUNT, FieldValue::U64(2))],
                ["attempt 3", "no response"],
            ),
        ];

        for (fields, expected) in table {
            assert_eq!(words(&span(SpanName::Attempt, &fields), false), expected);
        }
    }

    #[test]
    fn an_operation_is_labelled_with_its_result() {
        let fields = [
            (field::OTEL_NAME, str("items")),
            (field::ATTEMPTS, FieldValue::U64(3)),
            (field::OUTCOME, str("error")),
            (field::ERROR_TYPE, str("503")),
        ];
        let failed = span(SpanName::Operation, &fields);
        let mut running = span(SpanName::Operation, &fields[..1]);
        running.end = None;

        assert_eq!(words(&failed, false), ["items", "3 attempts · error · 503"]);
        assert_eq!(words(&running, false), ["items", "running"]);
    }

    #[test]
    fn a_wait_is_labelled_with_its_source_and_upper_bound() {
        let fields = |source, seconds| {
            vec![
                (field::WAIT_SOURCE, str(source)),
                (field::WAIT_SECONDS, FieldValue::F64(seconds)),
            ]
        };
        let ceiling = (field::WAIT_CEILING, FieldValue::F64(0.2));
        let drawn = [fields("backoff", 0.131), vec![ceiling]].concat();
        let table = [
            (drawn, ["wait 131 ms", "backoff, at most 200 ms"]),
            (fields("retry_after", 120.0), ["wait 120 s", "Retry-After"]),
            (fields("backoff", 0.0), ["wait 0 ms", "backoff"]),
            (fields("backoff", f64::NAN), ["wait 7 ms", ""]),
            (vec![], ["wait 7 ms", ""]),
        ];

        for (fields, expected) in table {
            let mut wait = span(SpanName::Wait, &fields);
            wait.end = wait.fields.seconds(field::WAIT_SECONDS).or(wait.end);

            assert_eq!(words(&wait, false), expected);
        }
    }

    #[test]
    fn a_stop_is_labelled_with_its_reason_and_a_queue_with_its_limit() {
        let stop = span(SpanName::Stop, &[(field::STOP_REASON, str("tls"))]);
        let queue = span(SpanName::Queue, &[(field::LIMIT, FieldValue::I64(8))]);
        let mut open = queue.clone();
        open.end = None;

        assert_eq!(words(&stop, false), ["gave up", "TLS would fail again"]);
        assert_eq!(words(&queue, false), ["queued 7 ms", "limit of 8 attempts"]);
        assert_eq!(words(&open, false), ["queued", "limit of 8 attempts"]);
    }

    #[test]
    fn a_wait_that_was_cut_off_says_so() {
        let fields = [
            (field::WAIT_SOURCE, str("retry_after")),
            (field::RETRY_REASON, str("503")),
            (field::WAIT_SECONDS, FieldValue::F64(120.0)),
        ];
        let wait = span(SpanName::Wait, &fields);

        assert_eq!(
            words(&wait, false),
            ["wait 120 s, cut off after 7 ms", "Retry-After"]
        );
    }

    #[test]
    fn a_request_is_labelled_with_its_status_and_fault() {
        let fields = [
            (field::FAULT, str("bad_json")),
            (field::STATUS, FieldValue::U64(200)),
            (field::ROUTE, str("/bad-json")),
            (field::METHOD, str("GET")),
        ];
        let request = span(SpanName::Request, &fields);

        assert_eq!(words(&request, true), ["service", "200 · fault bad_json"]);
        assert_eq!(
            words(&request, false),
            ["service", "GET /bad-json 200 · fault bad_json"]
        );
    }
}
