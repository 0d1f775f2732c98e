//! The timelines of traces, as values.

mod properties;

use std::time::Duration;

use insta::assert_snapshot;
use render::timeline::{Bar, Kind, Timeline};

use super::{for_a_page, for_a_text};
use crate::trace::{
    Trace,
    testing::{id, span, trace, tree},
};

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// A line for each row: its depth, its kind, its texts and its bars.
fn rows(timeline: &Timeline) -> String {
    let bars = |bars: &[Bar]| {
        let bars = bars.iter().map(|bar| {
            let to = bar.to.map(|to| to.as_millis().to_string());
            let at_most = bar.at_most.map(|end| format!(" <= {}", end.as_millis()));
            format!(
                "{:?} {}-{}{}",
                bar.kind,
                bar.from.as_millis(),
                to.unwrap_or_default(),
                at_most.unwrap_or_default()
            )
        });
        bars.collect::<Vec<_>>().join(", ")
    };
    let rows = timeline.rows.iter().map(|row| {
        let folded = if row.folded { "+" } else { "" };
        let (level, kind) = (row.level, row.kind);
        let texts = format!("{}; {}", row.label, row.note);
        format!("{level}{folded} {kind:?}: {texts} [{}]", bars(&row.bars))
    });
    rows.collect::<Vec<_>>().join("\n")
}

fn page(spans: &str) -> String {
    rows(&for_a_page(&tree(spans), false))
}

#[test]
fn attempts_and_waits_are_rows_with_their_bars() {
    let spans = "
        operation 0-66
          attempt 0-2 503
          wait 2-59 wait.source=backoff wait.seconds=0.057 wait.ceiling_seconds=0.2
          attempt 59-61 http.request.resend_count=1 503
          stop 61-61 stop.reason=attempts_exhausted retry.attempt=2 retry.max_attempts=2
    ";

    assert_snapshot!(page(spans), @"
    1 Failed: attempt 1; 503 Service Unavailable [Failed 0-2]
    1 Wait: wait 57 ms; backoff, at most 200 ms [Wait 2-59 <= 202]
    1 Failed: attempt 2; 503 Service Unavailable [Failed 59-61]
    1 Stop: gave up; no attempt left [Stop 61-61]
    ");
}

/// The machine was busy: the bar of the wait keeps its decided length.
#[test]
fn a_wait_that_lasted_longer_than_decided_is_drawn_as_both() {
    let wait = |end: u64| {
        let wait =
            format!("wait 0-{end} wait.source=backoff wait.seconds=0.188 wait.ceiling_seconds=0.2");
        for_a_page(&tree(&wait), false).rows.remove(0)
    };
    let decided = Bar {
        at_most: Some(ms(200)),
        ..Bar::new(Kind::Wait, ms(0), ms(188))
    };

    let late = wait(500);
    assert_eq!(late.label, "wait 188 ms");
    assert_eq!(late.bars, [decided, Bar::new(Kind::Late, ms(188), ms(500))]);
    assert_eq!(late.end, Some(ms(500)));
    assert_eq!(wait(188).bars, [decided]);
    // A timer is a few milliseconds late on a quiet machine, too.
    for end in [100, 190] {
        let to = Some(ms(end));
        assert_eq!(wait(end).bars, [Bar { to, ..decided }]);
    }
}

#[test]
fn an_open_wait_extends_to_when_it_is_due() {
    let open = "wait 10- wait.source=retry_after wait.seconds=1.2";

    let due = for_a_page(&trace(vec![span(open)], 510), false);
    let past = for_a_page(&trace(vec![span(open)], 1_510), false);

    assert_snapshot!(rows(&due), @"1 Wait: waiting 1.2 s; 0.7 s left · Retry-After [Wait 10- <= 1210]");
    assert_snapshot!(rows(&past), @"1 Wait: waiting 1.2 s; 0.0 s left · Retry-After [Wait 10-1210 <= 1210, Late 1210-]");
}

#[test]
fn the_service_is_below_its_attempt_and_folded_if_it_only_repeats_it() {
    let spans = "
        operation 0-152 otel.name=jobs
          attempt 0-20 otel.status_code=ERROR error.type=connection_lost
            request 5-15 lab.fault=lost_response
          wait 20-132 wait.source=backoff wait.seconds=0.112
          attempt 132-152 http.request.resend_count=1 200
            request 137-147 200
    ";

    assert_snapshot!(page(spans), @"
    1 Failed: attempt 1; the connection broke off [Failed 0-20]
    2 Service: service; no response · fault lost_response [Service 5-15]
    1 Wait: wait 112 ms; backoff [Wait 20-132]
    1+ Good: attempt 2; 200 OK [Good 132-152]
    2 Service: service; 200 [Service 137-147]
    ");
}

#[test]
fn a_response_that_broke_off_is_not_one_that_failed() {
    let attempts = "
        attempt 0-1 503
        attempt 1-2 200 otel.status_code=ERROR error.type=connection_lost
        attempt 2-3 otel.status_code=ERROR error.type=connection_lost
    ";

    let kinds = for_a_page(&tree(attempts), false).rows.into_iter();

    let kinds: Vec<_> = kinds.map(|row| row.kind).collect();
    assert_eq!(kinds, [Kind::Failed, Kind::Cut, Kind::Failed]);
}

#[test]
fn a_single_operation_has_no_row_but_each_of_several_does() {
    let one = "
        run 0-
          operation 0-2
            attempt 0-2";
    let both = format!("{one}\n          operation 2-");

    assert_snapshot!(page(one), @"1 Good: attempt 1; no response [Good 0-2]");
    assert_snapshot!(page(&both), @"
    1+ Good: call 1; no response [Good 0-2]
    2 Good: attempt 1; no response [Good 0-2]
    1 InFlight: call 2; running []
    ");
}

#[test]
fn an_operation_without_an_attempt_has_a_row() {
    let spans = "operation 0-4 otel.name=items attempts=1 outcome=ok";

    assert_snapshot!(page(spans), @"1 Good: items; 1 attempt · ok []");
}

#[test]
fn a_foreign_client_has_rows_of_the_service() {
    let spans = "request 0-3 http.request.method=GET http.route=/flaky 503 lab.fault=flaky_503";

    assert_snapshot!(page(spans), @"1 Service: service; GET /flaky 503 · fault flaky_503 [Service 0-3]");
}

/// Seven callers: the first is refused, and the last one waits for a slot.
const CALLERS: &str = "
    operation 0-200 attempts=2 outcome=ok
      attempt 0-0 429 concurrency.limit_before=16 concurrency.limit_after=8
      wait 0-40 wait.source=backoff wait.seconds=0.04 wait.ceiling_seconds=0.2
      queue 40-100 concurrency.max=8
      attempt 100-200 http.request.resend_count=1 200
    operation 0-100 attempts=1 outcome=ok
      attempt 0-100 200
    operation 0-100 attempts=1 outcome=ok
      attempt 0-100 200
    operation 0-100 attempts=1 outcome=ok
      attempt 0-100 200
    operation 0-100 attempts=1 outcome=ok
      attempt 0-100 200
    operation 0-100 attempts=1 outcome=ok
      attempt 0-100 200
    operation 0-200 attempts=1 outcome=ok
      queue 0-100 concurrency.max=8
      attempt 100-200 200 concurrency.limit_before=8 concurrency.limit_after=9
";

#[test]
fn each_of_many_calls_is_one_line_with_all_its_bars() {
    let timeline = for_a_text(&tree(CALLERS), 60);

    assert_snapshot!(rows(&timeline), @"
    1+ Good: call 1; 2 attempts · ok [Failed 0-0, Wait 0-40, Queue 40-100, Good 100-200]
    1+ Good: call 2; 200 OK [Good 0-100]
    1+ Good: call 3; 200 OK [Good 0-100]
    1+ Good: call 4; 200 OK [Good 0-100]
    1+ Good: call 5; 200 OK [Good 0-100]
    1+ Good: call 6; 200 OK [Good 0-100]
    1+ Good: call 7; 200 OK [Queue 0-100, Good 100-200]
    ");
}

#[test]
fn the_limit_and_the_attempts_in_flight_are_steps() {
    let limit = for_a_text(&tree(CALLERS), 60)
        .limit
        .expect("a limit that moved");

    assert_eq!(limit.steps, [(ms(0), 16), (ms(0), 8), (ms(200), 9)]);
    assert_eq!(limit.used, [(ms(0), 5), (ms(100), 2), (ms(200), 0)]);
    assert_eq!(
        limit.note,
        "limit 16 → 8 after one response with 429; later successes raised it to 9; at most 5 in flight"
    );
}

#[test]
fn a_call_that_failed_as_expected_only_stopped() {
    let spans = "
        operation 0-2 otel.status_code=ERROR error.type=http_error
          attempt 0-2 404
        operation 2-4
          attempt 2-4 200
    ";
    let kinds = |is_as_expected| {
        let rows = for_a_page(&tree(spans), is_as_expected).rows.into_iter();
        rows.filter(|row| row.is_call)
            .map(|row| row.kind)
            .collect::<Vec<_>>()
    };

    assert_eq!(kinds(false), [Kind::Failed, Kind::Good]);
    assert_eq!(kinds(true), [Kind::Stop, Kind::Good]);
}

#[test]
fn the_middle_of_very_many_rows_is_left_out() {
    let attempts: String = (1..=450).map(|n| format!("attempt {n}-{n}\n")).collect();

    let timeline = for_a_page(&tree(&attempts), false);

    let ends = [0, 199, 200, 398].map(|row| timeline.rows[row].id.clone());
    assert_eq!(
        ends,
        [1, 200, 252, 450].map(|number| id(number).to_string())
    );
    assert_eq!(timeline.rows.len(), 399);
    let gap = timeline.gap.expect("a gap");
    assert_eq!((gap.at, &*gap.words), (200, "51 rows not shown"));
}

#[test]
fn no_row_is_shown_without_the_row_it_is_folded_under() {
    let pairs = (1..=225).map(|n| format!("attempt {n}-{n} 200\n request {n}-{n} 200\n"));

    let timeline = for_a_page(&tree(&pairs.collect::<String>()), false);

    assert!(timeline.rows[0].folded);
    assert_eq!(timeline.rows.len(), 398);
    assert_eq!(timeline.rows[200].id, id(253).to_string());
    assert_eq!(timeline.gap.expect("a gap").words, "52 rows not shown");
}

#[test]
fn a_full_trace_says_so() {
    let full = Trace {
        dropped_spans: 12,
        ..trace(Vec::new(), 0)
    };

    let remarks = for_a_page(&full, false).remarks;

    assert_eq!(
        remarks,
        ["12 more spans were not recorded: the trace was full"]
    );
}
