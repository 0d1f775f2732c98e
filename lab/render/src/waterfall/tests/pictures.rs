//! What people see.

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
fn draws_the_same_in_ascii() {
    let options = Options {
        ascii: true,
        ..Options::default()
    };

    assert_snapshot!(flaky().draw(options), @"
      0 ms  |#|                                attempt 1   503 Service Unavailable
      2 ms   |.........|                       wait 131 ms   backoff
    133 ms            |#|                      attempt 2   503 Service Unavailable
    135 ms             |...................|   wait 287 ms   backoff
    422 ms                                |#|  attempt 3   200 OK
    ");
}

#[test]
fn draws_attempts_that_take_no_time() {
    let story = Story::new()
        .attempt(0, 0, 0, 503)
        .wait("backoff", 0, 131, Some(131))
        .attempt(1, 131, 131, 200);

    assert_snapshot!(story.draw(Options::default()), @"
      0 ms  ▕█▏                                attempt 1   503 Service Unavailable
      0 ms   ▕░░░░░░░░░░░░░░░░░░░░░░░░░░░░░▏   wait 131 ms   backoff
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
fn draws_a_refused_handshake() {
    let story = Story::new().operation("items", 0, 4).failure(0, 4, "tls");

    assert_snapshot!(story.draw(Options::default()), @"
        0 ms  ▕██████████████████████████████▏  attempt 1   the TLS handshake failed
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
fn nests_what_the_service_saw() {
    let story = Story::new()
        .operation("flaky", 0, 152)
        .attempt(0, 0, 20, 503)
        .request(5, 15, 503, Some("flaky_503"))
        .wait("backoff", 20, 112, Some(132))
        .attempt(1, 132, 152, 200)
        .request(137, 147, 200, None);

    assert_snapshot!(story.draw(Options::default()), @"
      0 ms  ▕████▏                             attempt 1   503 Service Unavailable
     20 ms      ▕░░░░░░░░░░░░░░░░░░░░░░░▏      wait 112 ms   backoff
    132 ms                             ▕████▏  attempt 2   200 OK
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
fn a_run_around_its_operations_is_no_row() {
    let mut gathered = flaky();
    let run = gathered.span(SpanName::Run, None, (0, Some(424)), &[]);
    gathered.trace.spans[0].parent = Some(run);

    let text = gathered.draw(Options::default());

    assert_eq!(text, flaky().draw(Options::default()));
}

#[test]
fn an_operation_without_an_attempt_is_seen_all_the_same() {
    let story = Story::new().operation("items", 0, 4);

    assert_snapshot!(story.draw(Options::default()), @r"
    0 ms  items · 1 attempt · ok
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
