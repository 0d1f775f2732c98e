//! Traces for the tests of waterfalls.

mod pictures;
mod properties;

use std::time::Duration;

use super::*;
use evidence::trace::{FieldValue, Span, SpanId, SpanName, TraceId, field};

/// Builds a trace as a run would record it.
struct Story {
    trace: Trace,
    operation: Option<SpanId>,
}

impl Story {
    fn new() -> Self {
        let trace = Trace {
            id: TraceId::from_hex(&format!("{:032x}", 1)).unwrap(),
            spans: Vec::new(),
            dropped_spans: 0,
            taken_at: Duration::ZERO,
        };
        Self {
            trace,
            operation: None,
        }
    }

    fn span(
        &mut self,
        name: SpanName,
        parent: Option<SpanId>,
        millis: (u64, Option<u64>),
        fields: &[(&'static str, FieldValue)],
    ) -> SpanId {
        let (start, end) = millis;
        let id = SpanId::from_hex(&format!("{:016x}", self.trace.spans.len() + 1)).unwrap();
        self.trace.taken_at = Duration::from_millis(end.unwrap_or(start)).max(self.trace.taken_at);
        self.trace.spans.push(Span {
            id,
            parent,
            trace_id: self.trace.id,
            name,
            start: Duration::from_millis(start),
            end: end.map(Duration::from_millis),
            fields: fields.iter().cloned().collect(),
        });
        id
    }

    fn operation(mut self, title: &str, start: u64, end: u64) -> Self {
        let fields = [
            (field::OTEL_NAME, str(title)),
            (field::ATTEMPTS, FieldValue::U64(1)),
            (field::OUTCOME, str("ok")),
        ];
        self.operation = Some(self.span(SpanName::Operation, None, (start, Some(end)), &fields));
        self
    }

    fn attempt(mut self, resend: u64, start: u64, end: u64, status: u64) -> Self {
        let mut fields = vec![
            (field::RESEND_COUNT, FieldValue::U64(resend)),
            (field::STATUS, FieldValue::U64(status)),
        ];
        if status >= 400 {
            fields.push((field::OTEL_STATUS_CODE, str("ERROR")));
            fields.push((field::ERROR_TYPE, str(&status.to_string())));
        }
        self.span(
            SpanName::Attempt,
            self.operation,
            (start, Some(end)),
            &fields,
        );
        self
    }

    fn failure(mut self, start: u64, end: u64, error: &str) -> Self {
        let fields = [
            (field::OTEL_STATUS_CODE, str("ERROR")),
            (field::ERROR_TYPE, str(error)),
        ];
        self.span(
            SpanName::Attempt,
            self.operation,
            (start, Some(end)),
            &fields,
        );
        self
    }

    fn wait(mut self, source: &str, start: u64, millis: u64, end: Option<u64>) -> Self {
        let fields = [
            (field::WAIT_SOURCE, str(source)),
            (field::RETRY_REASON, str("503")),
            (field::WAIT_SECONDS, FieldValue::F64(millis as f64 / 1e3)),
        ];
        self.span(SpanName::Wait, self.operation, (start, end), &fields);
        self
    }

    /// A backoff drawn with jitter below this ceiling.
    fn drawn_wait(mut self, start: u64, millis: u64, ceiling: u64) -> Self {
        self = self.wait("backoff", start, millis, Some(start + millis));
        let ceiling = FieldValue::F64(ceiling as f64 / 1e3);
        self.note(field::WAIT_CEILING, ceiling)
            .note(field::METHOD, str("GET"))
            .note(field::ALLOWED_BY, str("method"))
    }

    fn stop(mut self, why: &str, at: u64) -> Self {
        let fields = [
            (field::STOP_REASON, str(why)),
            (field::RETRY_REASON, str("503")),
            (field::ATTEMPT, FieldValue::U64(3)),
            (field::MAX_ATTEMPTS, FieldValue::U64(3)),
        ];
        self.span(SpanName::Stop, self.operation, (at, Some(at)), &fields);
        self
    }

    fn queue(mut self, start: u64, end: u64) -> Self {
        let fields = [(field::LIMIT, FieldValue::U64(8))];
        self.span(SpanName::Queue, self.operation, (start, Some(end)), &fields);
        self
    }

    /// The effect of the last attempt on the concurrency limit.
    fn moving_the_limit(self, before: u64, after: u64) -> Self {
        self.note(field::LIMIT_BEFORE, FieldValue::U64(before))
            .note(field::LIMIT_AFTER, FieldValue::U64(after))
    }

    /// A field of the last span.
    fn note(mut self, name: &'static str, value: FieldValue) -> Self {
        let last = self.trace.spans.last_mut().expect("a span");
        last.fields.set(name, value);
        self
    }

    /// The service's side of the last attempt.
    fn request(mut self, start: u64, end: u64, status: u64, fault: Option<&str>) -> Self {
        let mut fields = vec![
            (field::METHOD, str("GET")),
            (field::ROUTE, str("/flaky")),
            (field::STATUS, FieldValue::U64(status)),
        ];
        fields.extend(fault.map(|fault| (field::FAULT, str(fault))));
        let parent = self.trace.spans.last().map(|span| span.id);
        self.span(SpanName::Request, parent, (start, Some(end)), &fields);
        self
    }

    fn taken_at(mut self, millis: u64) -> Trace {
        self.trace.taken_at = Duration::from_millis(millis);
        self.trace
    }

    fn draw(self, options: Options) -> String {
        waterfall(&[self.trace], &options)
    }
}

fn str(text: &str) -> FieldValue {
    FieldValue::Str(text.into())
}

fn flaky() -> Story {
    Story::new()
        .operation("flaky", 0, 424)
        .attempt(0, 0, 2, 503)
        .wait("backoff", 2, 131, Some(133))
        .attempt(1, 133, 135, 503)
        .wait("backoff", 135, 287, Some(422))
        .attempt(2, 422, 424, 200)
}
