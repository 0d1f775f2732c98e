//! Snapshots of whole pictures.

use insta::assert_snapshot;

use super::*;

#[test]
fn draws_two_failures_and_a_success() {
    assert_snapshot!(flaky().draw(Options::default()), @"
      0 ms  ▕█▏                                attempt 1   503 Service Unavailable
      2 ms   ▕░░░░░░░░░▏                       wait 131 ms   backoff
    133 ms            ▕█▏                      attempt 2   503 Service Unavailable
    135 ms             ▕░░░░░░░░░░░░░░░░░░░▏   wait 287 ms   backoff
    422 ms                                ▕█▏  attempt 3   200 OK
    ");
}

#[test]
fn breaks_a_wait_that_is_much_longer_than_the_rest() {
    let story = Story::new()
        .operation("retry_later", 0, 120_004)
        .attempt(0, 0, 2, 503)
        .wait("retry_after", 2, 120_000, Some(120_002))
        .attempt(1, 120_002, 120_004, 200);

    assert_snapshot!(story.draw(Options::default()), @"
     0 ms  ▕███████▏                          attempt 1   503 Service Unavailable
     2 ms         ▕░░░░░░░╱╱░░░░░░░░▏         wait 120 s   Retry-After
    120 s                          ▕███████▏  attempt 2   200 OK
    ");
}

#[test]
fn breaks_a_wait_of_an_hour_in_ascii_beside_a_short_one() {
    let story = Story::new()
        .attempt(0, 0, 2, 503)
        .wait("backoff", 2, 131, Some(133))
        .attempt(1, 133, 135, 503)
        .wait("retry_after", 135, 3_600_000, Some(3_600_135))
        .attempt(2, 3_600_135, 3_600_137, 200);
    let options = Options {
        ascii: true,
        ..Options::default()
    };

    assert_snapshot!(story.draw(options), @"
         0 ms  |#|                               attempt 1   503 Service Unavailable
         2 ms   |...........|                    wait 131 ms   backoff
       133 ms              |#|                   attempt 2   503 Service Unavailable
       135 ms               |.......//.......|   wait 1 h 0 min   Retry-After
    1 h 0 min                               |#|  attempt 3   200 OK
    ");
}

#[test]
fn leaves_an_open_wait_open() {
    let trace = Story::new()
        .attempt(0, 0, 2, 503)
        .wait("retry_after", 2, 8_000, None)
        .taken_at(3_002);

    assert_snapshot!(waterfall(&[trace], &Options::default()), @"
    0 ms  ▕█▏                                attempt 1   503 Service Unavailable
    2 ms   ▕░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░→  waiting 8 s   Retry-After
    ");
}

#[test]
fn nests_the_service_row_if_it_differs_from_the_client() {
    let story = Story::new()
        .operation("jobs", 0, 152)
        .failure(0, 20, "connection_lost")
        .request(5, 15, 201, Some("lost_response"))
        .wait("backoff", 20, 112, Some(132))
        .attempt(1, 132, 152, 200)
        .request(137, 147, 200, None);

    assert_snapshot!(story.draw(Options::default()), @"
      0 ms  ▕████▏                            attempt 1   the connection broke off
      5 ms    ──                              └ service  201 · fault lost_response
     20 ms      ▕░░░░░░░░░░░░░░░░░░░░░░▏      wait 112 ms   backoff
    132 ms                            ▕████▏  attempt 2   200 OK
    ");
}

#[test]
fn heads_each_of_several_operations() {
    let story = Story::new()
        .operation("POST /jobs", 0, 3)
        .attempt(0, 0, 3, 201)
        .operation("POST /jobs", 4, 6)
        .attempt(0, 4, 6, 201);

    assert_snapshot!(story.draw(Options::default()), @"
    0 ms   ███████████████████████                          call 1 · 201 Created
    4 ms                                  ███████████████   call 2 · 201 Created
    ");
}

/// Sixteen workers: three are refused, and the last one waits for a slot.
fn workers() -> Story {
    let refused = (0..3).fold(Story::new(), |story, n| {
        story
            .operation("narrow", 0, 200)
            .attempt(0, 0, 0, 429)
            .moving_the_limit(64 >> n, 32 >> n)
            .wait("backoff", 0, 40, Some(40))
            .queue(40, 100)
            .attempt(1, 100, 200, 200)
    });
    let served = (0..12).fold(refused, |story, _| {
        story.operation("narrow", 0, 100).attempt(0, 0, 100, 200)
    });
    served
        .operation("narrow", 0, 200)
        .queue(0, 100)
        .attempt(0, 100, 200, 200)
        .moving_the_limit(8, 9)
}

#[test]
fn each_of_many_calls_has_a_line_and_the_limit_is_below() {
    assert_snapshot!(workers().draw(Options::default()), @"
    0 ms   ×░░░░░░░░┄┄┄┄┄┄┄┄┄┄┄┄██████████████████████   call 1 · 1 attempt · ok
    0 ms   ×░░░░░░░░┄┄┄┄┄┄┄┄┄┄┄┄██████████████████████   call 2 · 1 attempt · ok
    0 ms   ×░░░░░░░░┄┄┄┄┄┄┄┄┄┄┄┄██████████████████████   call 3 · 1 attempt · ok
    0 ms    ████████████████████                         call 4 · 200 OK
    0 ms    ████████████████████                         call 5 · 200 OK
    0 ms    ████████████████████                         call 6 · 200 OK
    0 ms    ████████████████████                         call 7 · 200 OK
    0 ms    ████████████████████                         call 8 · 200 OK
    0 ms    ████████████████████                         call 9 · 200 OK
    0 ms    ████████████████████                         call 10 · 200 OK
    0 ms    ████████████████████                         call 11 · 200 OK
    0 ms    ████████████████████                         call 12 · 200 OK
    0 ms    ████████████████████                         call 13 · 200 OK
    0 ms    ████████████████████                         call 14 · 200 OK
    0 ms    ████████████████████                         call 15 · 200 OK
    0 ms    ┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄██████████████████████   call 16 · 200 OK
           8─────────────────────────────────────────9   attempts in flight
    ");
}

#[test]
fn explains_each_row_if_asked() {
    let options = Options {
        explain: true,
        width: 60,
        ..Options::default()
    };

    assert_snapshot!(drawn_below().draw(options), @"
     0 ms  ▕█▏              attempt 1   503 Service Unavailable
     0 ms  ▕░░▏······       wait 59 ms   backoff, at most 200 ms
           503 → GET may be repeated → drew 59 ms of at most 200
           ms
    59 ms    ▕█▏            attempt 2   503 Service Unavailable
    59 ms     ▕░▏·········  wait 7 ms   backoff, at most 400 ms
           503 → GET may be repeated → drew 7 ms of at most 400
           ms
    66 ms      ▕█▏          attempt 3   503 Service Unavailable
    66 ms       ■           gave up   all 3 attempts used
           503 → attempt 3 of 3 → returned to the caller
    ");
}

/// Two waits: the second is shorter although its ceiling is higher.
fn drawn_below() -> Story {
    Story::new()
        .operation("flaky", 0, 66)
        .attempt(0, 0, 0, 503)
        .drawn_wait(0, 59, 200)
        .attempt(1, 59, 59, 503)
        .drawn_wait(59, 7, 400)
        .attempt(2, 66, 66, 503)
        .stop("attempts_exhausted", 66)
}

#[test]
fn an_operation_without_an_attempt_is_drawn() {
    let story = Story::new().operation("items", 0, 4);

    assert_snapshot!(story.draw(Options::default()), @r"
    0 ms  items · 1 attempt · ok
    ");
}

#[test]
fn draws_a_foreign_client_from_the_service_spans() {
    let story = Story::new().request(0, 3, 503, Some("flaky_503"));

    assert_snapshot!(story.draw(Options::default()), @r"
    0 ms   ─────────────────────────   service  GET /flaky 503 · fault flaky_503
    ");
}

#[test]
fn omits_the_middle_of_many_rows_and_says_so() {
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
            (94 rows not shown)
    291 ms                                              ▕█▏   attempt 98   200 OK
    294 ms                                               ▕█▏  attempt 99   200 OK
    297 ms                                               ▕█▏  attempt 100   200 OK
            (12 more spans were not recorded: the trace was full)
    ");
}

#[test]
fn colour_adds_only_escapes() {
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
fn without_traces_the_text_is_empty() {
    assert_eq!(waterfall(&[], &Options::default()), "");
}

fn without_ansi(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let head = parts.next().unwrap_or_default().to_owned();
    parts.fold(head, |text, part| text + part.split_once('m').unwrap().1)
}
