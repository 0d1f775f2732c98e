//! Snapshots of whole pictures.

use insta::assert_snapshot;

use super::*;

fn draw(spans: &str, options: Options) -> String {
    waterfall(&tree(spans), &options)
}

#[test]
fn breaks_a_wait_that_is_much_longer_than_the_rest() {
    let spans = "
        attempt 0-2 503
        wait 2-120002 wait.source=retry_after wait.seconds=120.0
        attempt 120002-120004 http.request.resend_count=1 200
    ";

    assert_snapshot!(draw(spans, Options::default()), @"
     0 ms  ▕███████▏                          attempt 1   503 Service Unavailable
     2 ms         ▕░░░░░░░╱╱░░░░░░░░▏         wait 120 s   Retry-After
    120 s                          ▕███████▏  attempt 2   200 OK
    ");
}

#[test]
fn leaves_an_open_wait_open() {
    let wait = "wait 2- wait.source=retry_after wait.seconds=8.0";
    let spans = ["attempt 0-2 503", wait].map(span);

    assert_snapshot!(waterfall(&trace(spans.into(), 3_002), &Options::default()), @"
    0 ms  ▕█▏                                attempt 1   503 Service Unavailable
    2 ms   ▕░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░→  waiting 8 s   Retry-After
    ");
}

#[test]
fn nests_the_service_row_if_it_differs_from_the_client() {
    let spans = "
        operation 0-152 otel.name=jobs
          attempt 0-20 otel.status_code=ERROR error.type=connection_lost
            request 5-15 lab.fault=lost_response
          wait 20-132 wait.source=backoff wait.seconds=0.112
          attempt 132-152 http.request.resend_count=1 200
            request 137-147 200
    ";

    assert_snapshot!(draw(spans, Options::default()), @"
      0 ms  ▕███▏                     attempt 1   the connection broke off
      5 ms   ──                       └ service  no response · fault lost_response
     20 ms     ▕░░░░░░░░░░░░░░░░▏     wait 112 ms   backoff
    132 ms                     ▕███▏  attempt 2   200 OK
    ");
}

#[test]
fn heads_each_of_several_operations() {
    let spans = "
        operation 0-3 otel.name=jobs
          attempt 0-3 201
        operation 4-6 otel.name=jobs
          attempt 4-6 201
    ";

    assert_snapshot!(draw(spans, Options::default()), @"
    0 ms   ███████████████████████                          call 1 · 201 Created
    4 ms                                  ███████████████   call 2 · 201 Created
    ");
}

/// Seven workers: three are refused, and the last one waits for a slot.
fn workers() -> String {
    let refused = [64, 32, 16].map(|limit| {
        format!(
            "
            operation 0-200 attempts=1 outcome=ok
              attempt 0-0 429 concurrency.limit_before={limit} concurrency.limit_after={}
              wait 0-40 wait.source=backoff wait.seconds=0.04
              queue 40-100 concurrency.max=8
              attempt 100-200 http.request.resend_count=1 200",
            limit / 2
        )
    });
    let served = "
            operation 0-100 attempts=1 outcome=ok
              attempt 0-100 200";
    let last = "
            operation 0-200 attempts=1 outcome=ok
              queue 0-100 concurrency.max=8
              attempt 100-200 200 concurrency.limit_before=8 concurrency.limit_after=9";
    refused.concat() + &served.repeat(3) + last
}

#[test]
fn each_of_many_calls_has_a_line_and_the_limit_is_below() {
    assert_snapshot!(draw(&workers(), Options::default()), @"
    0 ms   ×░░░░░░░░┄┄┄┄┄┄┄┄┄┄┄┄██████████████████████   call 1 · 1 attempt · ok
    0 ms   ×░░░░░░░░┄┄┄┄┄┄┄┄┄┄┄┄██████████████████████   call 2 · 1 attempt · ok
    0 ms   ×░░░░░░░░┄┄┄┄┄┄┄┄┄┄┄┄██████████████████████   call 3 · 1 attempt · ok
    0 ms    ████████████████████                         call 4 · 200 OK
    0 ms    ████████████████████                         call 5 · 200 OK
    0 ms    ████████████████████                         call 6 · 200 OK
    0 ms    ┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄██████████████████████   call 7 · 200 OK
           8─────────────────────────────────────────9   attempts in flight
    ");
}

#[test]
fn a_number_of_the_limit_without_room_is_left_out() {
    let refused = [(64, 100), (32, 101), (16, 102)].map(|(limit, at)| {
        format!(
            "
            operation 0-200 attempts=1 outcome=failed
              attempt 0-{at} 429 concurrency.limit_before={limit} concurrency.limit_after={}",
            limit / 2
        )
    });

    let drawn = draw(&refused.concat(), Options::default());

    let mut lines = drawn.lines();
    let line = lines.find(|line| line.ends_with("attempts in flight"));
    let numbers = line.expect("a line").split(|sign: char| !sign.is_numeric());
    let numbers: Vec<_> = numbers.filter(|number| !number.is_empty()).collect();
    assert_eq!(numbers, ["64", "8"]);
}

#[test]
fn an_operation_without_an_attempt_is_drawn() {
    let spans = "operation 0-4 otel.name=items attempts=1 outcome=ok";

    assert_snapshot!(draw(spans, Options::default()), @r"
    0 ms  items · 1 attempt · ok
    ");
}

#[test]
fn draws_a_foreign_client_from_the_service_spans() {
    let spans = "request 0-3 http.request.method=GET http.route=/flaky 503 lab.fault=flaky_503";

    assert_snapshot!(draw(spans, Options::default()), @r"
    0 ms   ─────────────────────────   service  GET /flaky 503 · fault flaky_503
    ");
}

#[test]
fn omits_the_middle_of_many_rows_and_says_so() {
    let attempt = |n| {
        let (start, end) = (3 * n, 3 * n + 2);
        span(&format!(
            "attempt {start}-{end} http.request.resend_count={n} 200"
        ))
    };
    let mut trace = trace((0..100).map(attempt).collect(), 299);
    trace.dropped_spans = 12;
    let options = Options {
        rows: 7,
        ..Options::default()
    };

    assert_snapshot!(waterfall(&trace, &options), @r"
      0 ms  ▕█▏                                               attempt 1   200 OK
      3 ms  ▕█▏                                               attempt 2   200 OK
      6 ms  ▕█▏                                               attempt 3   200 OK
            (94 rows not shown)
    291 ms                                              ▕█▏   attempt 98   200 OK
    294 ms                                               ▕█▏  attempt 99   200 OK
    297 ms                                               ▕█▏  attempt 100   200 OK
            (12 more spans were not recorded: the trace was full)
    ");
}

/// Two waits: the second is shorter although its ceiling is higher.
const DRAWN_BELOW: &str = "
    operation 0-66
      attempt 0-0 503
      wait 0-59 wait.source=backoff retry.reason='503' wait.seconds=0.059 \
        wait.ceiling_seconds=0.2 http.request.method=GET retry.allowed_by=method
      attempt 59-59 http.request.resend_count=1 503
      wait 59-66 wait.source=backoff retry.reason='503' wait.seconds=0.007 \
        wait.ceiling_seconds=0.4 http.request.method=GET retry.allowed_by=method
      attempt 66-66 http.request.resend_count=2 503
      stop 66-66 stop.reason=attempts_exhausted retry.reason='503' retry.attempt=3 \
        retry.max_attempts=3
";

#[test]
fn colour_adds_only_escapes() {
    let plain = draw(DRAWN_BELOW, Options::default());
    let options = Options {
        color: true,
        ..Options::default()
    };
    let colored = draw(DRAWN_BELOW, options);

    assert!(
        colored.contains("\u{1b}[31m"),
        "a failed attempt is red: {colored:?}"
    );
    assert_eq!(without_ansi(&colored), plain);
}

#[test]
fn without_spans_the_text_is_empty() {
    assert_eq!(draw("", Options::default()), "");
}

fn without_ansi(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let head = parts.next().unwrap_or_default().to_owned();
    parts.fold(head, |text, part| text + part.split_once('m').unwrap().1)
}
