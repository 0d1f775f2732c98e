//! What people see, as pictures; and what holds of every picture.

use std::time::Duration;

use insta::assert_snapshot;
use proptest::{collection::vec, prelude::*};
use unicode_width::UnicodeWidthStr;

use super::*;
use crate::trace::{FieldValue, Span, SpanId, SpanName, TraceId, field};

/// Builds a trace as a run would leave it.
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
    FieldValue::Str(text.to_owned())
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

#[test]
fn draws_two_failures_and_a_success() {
    assert_snapshot!(flaky().draw(Options::default()), @r"
      0 ms  ▕█▏                                attempt 1   503 Service Unavailable
      2 ms   ▕░░░░░░░░░▏                       wait 131 ms   backoff (status 503)
    133 ms            ▕█▏                      attempt 2   503 Service Unavailable
    135 ms             ▕░░░░░░░░░░░░░░░░░░░▏   wait 287 ms   backoff (status 503)
    422 ms                                ▕█▏  attempt 3   200 OK
    ");
}

#[test]
fn draws_the_same_in_ascii() {
    let options = Options {
        ascii: true,
        ..Options::default()
    };

    assert_snapshot!(flaky().draw(options), @r"
      0 ms  |#|                                attempt 1   503 Service Unavailable
      2 ms   |.........|                       wait 131 ms   backoff (status 503)
    133 ms            |#|                      attempt 2   503 Service Unavailable
    135 ms             |...................|   wait 287 ms   backoff (status 503)
    422 ms                                |#|  attempt 3   200 OK
    ");
}

#[test]
fn draws_attempts_that_take_no_time() {
    let story = Story::new()
        .attempt(0, 0, 0, 503)
        .wait("backoff", 0, 131, Some(131))
        .attempt(1, 131, 131, 200);

    assert_snapshot!(story.draw(Options::default()), @r"
      0 ms  ▕█▏                                attempt 1   503 Service Unavailable
      0 ms   ▕░░░░░░░░░░░░░░░░░░░░░░░░░░░░░▏   wait 131 ms   backoff (status 503)
    131 ms                                ▕█▏  attempt 2   200 OK
    ");
}

#[test]
fn breaks_a_wait_that_dwarfs_the_rest() {
    let story = Story::new()
        .operation("retry_later", 0, 120_004)
        .attempt(0, 0, 2, 503)
        .wait("retry_after", 2, 120_000, Some(120_002))
        .attempt(1, 120_002, 120_004, 200);

    assert_snapshot!(story.draw(Options::default()), @r"
     0 ms  ▕███████▏                        attempt 1   503 Service Unavailable
     2 ms         ▕░░░░░░╱╱░░░░░░░▏         wait 120 s   Retry-After (status 503)
    120 s                        ▕███████▏  attempt 2   200 OK
    ");
}

#[test]
fn draws_a_refused_handshake() {
    let story = Story::new().operation("items", 0, 4).failure(0, 4, "tls");

    assert_snapshot!(story.draw(Options::default()), @r"
    0 ms  ▕███████████████████████████████████████████████████▏  attempt 1   tls
    ");
}

#[test]
fn leaves_an_open_wait_open() {
    let trace = Story::new()
        .attempt(0, 0, 2, 503)
        .wait("retry_after", 2, 8_000, None)
        .taken_at(3_002);

    assert_snapshot!(waterfall(&[trace], &Options::default()), @r"
    0 ms  ▕█▏                             attempt 1   503 Service Unavailable
    2 ms   ▕░░░░░░░░░░░░░░░░░░░░░░░░░░░→  waiting 8 s   Retry-After (status 503)
    ");
}

#[test]
fn nests_what_the_service_saw() {
    let story = Story::new()
        .operation("flaky", 0, 152)
        .attempt(0, 0, 20, 503)
        .request(5, 15, 503, Some("flaky_503"))
        .wait("backoff", 20, 112, Some(132))
        .attempt(1, 132, 152, 200)
        .request(137, 147, 200, None);

    assert_snapshot!(story.draw(Options::default()), @r"
      0 ms  ▕███▏                      attempt 1   503 Service Unavailable
      5 ms   ──                        └ service  GET /flaky 503 · fault flaky_503
     20 ms     ▕░░░░░░░░░░░░░░░░░▏     wait 112 ms   backoff (status 503)
    132 ms                      ▕███▏  attempt 2   200 OK
    137 ms                       ──    └ service  GET /flaky 200
    ");
}

#[test]
fn heads_each_of_several_operations() {
    let story = Story::new()
        .operation("POST /jobs", 0, 3)
        .attempt(0, 0, 3, 201)
        .operation("POST /jobs", 4, 6)
        .attempt(0, 4, 6, 201);

    assert_snapshot!(story.draw(Options::default()), @r"
    0 ms  POST /jobs · 1 attempt · ok
    0 ms  ▕██████████████████████▏                       attempt 1   201 Created
    4 ms  POST /jobs · 1 attempt · ok
    4 ms                               ▕██████████████▏  attempt 1   201 Created
    ");
}

#[test]
fn draws_a_foreign_client_by_what_the_service_saw() {
    let story = Story::new().request(0, 3, 503, Some("flaky_503"));

    assert_snapshot!(story.draw(Options::default()), @r"
    0 ms   ─────────────────────────   service  GET /flaky 503 · fault flaky_503
    ");
}

#[test]
fn leaves_out_the_middle_of_many_rows_and_says_so() {
    let mut story = (0..100).fold(Story::new(), |story, n| {
        story.attempt(n, 3 * n, 3 * n + 2, 200)
    });
    story.trace.dropped_spans = 12;
    let options = Options {
        rows: 7,
        ..Options::default()
    };

    assert_snapshot!(story.draw(options), @r"
      0 ms  ▕█▏                                               attempt 1   200 OK
      3 ms  ▕█▏                                               attempt 2   200 OK
      6 ms  ▕█▏                                               attempt 3   200 OK
            (94 rows left out)
    291 ms                                              ▕█▏   attempt 98   200 OK
    294 ms                                               ▕█▏  attempt 99   200 OK
    297 ms                                               ▕█▏  attempt 100   200 OK
            (12 more spans were not recorded: the trace was full)
    ");
}

#[test]
fn adds_colour_and_nothing_else() {
    let plain = flaky().draw(Options::default());
    let colored = flaky().draw(Options {
        color: true,
        ..Options::default()
    });

    assert!(
        colored.contains("\u{1b}[31m"),
        "a failed attempt is red: {colored:?}"
    );
    assert_eq!(without_ansi(&colored), plain);
}

#[test]
fn draws_nothing_from_nothing() {
    assert_eq!(waterfall(&[], &Options::default()), "");
}

fn without_ansi(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let head = parts.next().unwrap_or_default().to_owned();
    parts.fold(head, |text, part| text + part.split_once('m').unwrap().1)
}

/// Any tree of spans: overlapping, open, instant, with any text in them.
fn any_trace() -> impl Strategy<Value = Trace> {
    let name = prop::sample::select(vec![
        SpanName::Operation,
        SpanName::Attempt,
        SpanName::Wait,
        SpanName::Request,
    ]);
    let time = prop_oneof![0..50_u64, 0..5_000_u64, 0..10_000_000_u64, any::<u64>()];
    let span = (
        name,
        time.clone(),
        prop::option::of(time.clone()),
        any::<u8>(),
        ".{0,40}",
    );
    (vec(span, 0..40), time).prop_map(|(mut spans, taken_at)| {
        spans.sort_by_key(|(_, start, ..)| *start);
        let mut story = Story::new();
        for (name, start, end, parent, text) in spans {
            let parents = story.trace.spans.len();
            let parent = story.trace.spans.get(usize::from(parent) % (parents + 1));
            let parent = parent.map(|span| span.id);
            let fields = [
                field::OTEL_NAME,
                field::ERROR_TYPE,
                field::WAIT_SOURCE,
                field::FAULT,
            ]
            .map(|name| (name, str(&text)));
            story.span(name, parent, (start, end), &fields);
        }
        story.taken_at(taken_at)
    })
}

proptest! {
    #[test]
    fn no_row_is_wider_than_asked(trace in any_trace(), width in 0..200_usize, ascii: bool) {
        let options = Options { width, ascii, ..Options::default() };

        let text = waterfall(&[trace], &options);

        for row in text.lines() {
            prop_assert!(row.width() <= width.max(80), "{} columns: {row}", row.width());
            prop_assert!(!ascii || row.is_ascii(), "{row}");
        }
    }

    #[test]
    fn every_span_is_one_row(trace in any_trace()) {
        let options = Options { rows: usize::MAX, ..Options::default() };
        let operations = trace.spans.iter().filter(|span| span.name == SpanName::Operation);
        let unheaded = usize::from(operations.count() == 1);

        let text = waterfall(std::slice::from_ref(&trace), &options);

        prop_assert_eq!(text.lines().count(), trace.spans.len() - unheaded);
    }

    #[test]
    fn never_shows_more_rows_than_asked(trace in any_trace(), rows in 3..50_usize) {
        let options = Options { rows, ..Options::default() };

        let text = waterfall(&[trace], &options);

        prop_assert!(text.lines().count() <= rows);
    }

    #[test]
    fn what_starts_later_stands_no_further_left(
        mut starts in vec(0..200_000_u64, 1..40),
        lengths in vec(0..20_000_u64, 40),
    ) {
        starts.sort_unstable();
        starts.dedup();
        let story = starts.iter().zip(lengths).fold(Story::new(), |story, (start, length)| {
            story.wait("backoff", *start, length, Some(start + length))
        });

        let text = story.draw(Options { ascii: true, ..Options::default() });

        let columns: Vec<_> = text.lines().map(|row| row.find('|')).collect();
        prop_assert!(columns.is_sorted(), "{text}");
        prop_assert!(text.lines().all(|row| row.contains("|.") || row.contains("|/")), "{text}");
    }
}
