//! Under all settings, no request or call is lost or counted twice.

use std::{ops::ControlFlow, time::Duration};

use evidence::storm::{
    Abandoned, Backoff, ClientKind, Incident, Load, Order, Policy, PolicyRun, RetryAfter, Settings,
    Setup, Step, Work,
};
use proptest::{prelude::*, sample::select};

use super::{Plan, STORIES, simulate};

fn millis(range: std::ops::Range<u64>) -> impl Strategy<Value = Duration> {
    range.prop_map(Duration::from_millis)
}

fn service() -> impl Strategy<Value = Settings> {
    (
        (1_u32..12, 0_u32..60, 1_u32..4),
        select(vec![Work::Exponential, Work::Constant, Work::Growing]),
        (millis(1..300), millis(0..20), millis(10..800)),
    )
        .prop_map(|((workers, queue, workers_left), work, times)| Settings {
            workers,
            queue,
            workers_left,
            work,
            work_time: times.0,
            growth: times.1,
            timeout: times.2,
            ..Settings::DEFAULT
        })
}

fn settings() -> impl Strategy<Value = Settings> {
    let incidents = vec![
        Incident::Spike,
        Incident::Cut,
        Incident::Pause,
        Incident::Refusal,
        Incident::None,
    ];
    let headers = vec![RetryAfter::None, RetryAfter::Seconds, RetryAfter::Date];
    (
        service(),
        (1_u32..20, select(vec![Load::Open, Load::Closed])),
        (1.0..80.0_f64, 1_u32..30, millis(10..2_000)),
        (select(incidents), select(headers), 1.0..4.0_f64),
        (millis(0..1_500), millis(1..1_500)),
    )
        .prop_map(|(service, clients, load, incident, times)| Settings {
            clients: clients.0,
            load: clients.1,
            calls_per_second: load.0,
            callers: load.1,
            think: load.2,
            incident: incident.0,
            retry_after: incident.1,
            spike: incident.2,
            incident_starts: times.0,
            incident_lasts: times.1,
            length: Duration::from_secs(5),
            ..service
        })
}

fn setup() -> impl Strategy<Value = Setup> {
    let backoffs = vec![Backoff::Jitter, Backoff::Exponential, Backoff::None];
    (
        (
            select(vec![
                ClientKind::Reliable,
                ClientKind::Reliable,
                ClientKind::Naive,
            ]),
            1_u32..6,
            select(backoffs),
        ),
        (millis(1..500), millis(0..2_000)),
        (0_u32..12, 1_u32..12, 0_u32..6, 0_u32..30),
        (
            prop_oneof![Just(Duration::ZERO), millis(1..3_000)],
            millis(0..1_000),
        ),
    )
        .prop_map(|(client, waits, limits, times)| Setup {
            client: client.0,
            attempts: client.1,
            backoff: client.2,
            base: waits.0,
            cap: waits.0 + waits.1,
            budget: limits.0,
            calls_per_retry: limits.1,
            concurrency: limits.2,
            clients: limits.3,
            deadline: times.0,
            spread: times.1,
            ..Setup::DEFAULT
        })
}

/// The same clients with a service of their own, behind others.
fn with_service() -> impl Strategy<Value = Setup> {
    let orders = vec![Order::Oldest, Order::Newest];
    let abandoned = vec![Abandoned::Worked, Abandoned::Dropped];
    let headers = vec![RetryAfter::None, RetryAfter::Seconds, RetryAfter::Date];
    (
        setup(),
        (0_u32..30, select(orders), select(abandoned)),
        (prop_oneof![Just(0), 1_u32..40], select(headers)),
        (1_u32..=3, 1_u32..=3),
    )
        .prop_map(|(setup, queue, limit, layers)| Setup {
            queue: queue.0,
            order: queue.1,
            abandoned: queue.2,
            rate_limit: limit.0,
            retry_after_429: limit.1,
            layers: layers.0,
            layer_attempts: layers.1,
            ..setup
        })
}

/// The errors in the counts of a run; empty if they agree.
fn wrong(run: &PolicyRun) -> Vec<String> {
    let totals = run.totals;
    let of_steps = |count: fn(&Step) -> u32| -> u64 {
        run.steps.iter().map(|step| u64::from(count(step))).sum()
    };
    let worked_on =
        totals.rejected + totals.useful + totals.abandoned + totals.dropped + totals.unfinished;
    let caused = totals.retries_after_503 + totals.retries_after_429 + totals.retries_after_timeout;
    let is_layered = run.policy.setup.layers > 1;
    let ended = totals.succeeded + totals.failed + totals.in_flight;
    let came_or_did_not = totals.retries + totals.retries_not_sent;
    let [abandoned, calls, failed, answered] = [
        |step: &Step| step.abandoned,
        |step: &Step| step.calls,
        |step: &Step| step.failed,
        |step: &Step| step.answered,
    ]
    .map(of_steps);
    let rules = [
        ("calls that end or go on", totals.calls, ended),
        ("requests worked on", totals.requests, worked_on),
        ("abandoned work in steps", abandoned, totals.abandoned),
        ("causes of retries", totals.retries, caused),
        ("attempts", totals.counted_attempts, totals.settled),
        ("retries", totals.counted_retries, came_or_did_not),
        ("calls in steps", calls, totals.calls),
        ("failures in steps", failed, totals.failed),
        ("successes in steps", answered, totals.succeeded),
    ];
    let wrong = rules.iter().filter(|(_, one, other)| one != other);
    let mut wrong: Vec<_> = wrong
        .map(|(rule, one, other)| format!("{rule}: {one} and {other}"))
        .collect();
    if totals.useful < totals.succeeded || (!is_layered && totals.useful > totals.succeeded) {
        wrong.push(format!("a useful request is no success: {totals:?}"));
    }
    if !is_layered && totals.requests - totals.retries > totals.calls {
        wrong.push(format!("a call has two first requests: {totals:?}"));
    }
    if !is_layered && totals.requests - totals.settled > totals.in_flight {
        wrong.push(format!("a call waits for two responses: {totals:?}"));
    }
    wrong
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn nothing_is_lost_and_nothing_comes_from_nowhere(
        settings in settings(),
        setup in with_service(),
        seed in any::<u64>(),
    ) {
        let plan = Plan {
            settings,
            policies: vec![Policy::new("any", setup)],
            seed,
            ..Plan::of(&STORIES[0])
        };

        let storm = simulate(&plan, |_| ControlFlow::Continue(())).expect("it can be simulated");

        let wrong = wrong(&storm.policies[0]);
        prop_assert!(wrong.is_empty(), "{:#?}", wrong);
    }
}

/// Nor would it if one of its policies came to what another came to.
#[test]
fn every_story_shows_what_its_answer_says_and_its_counts_agree() {
    for story in STORIES {
        let storm = simulate(&Plan::of(story), |_| ControlFlow::Continue(())).expect("a storm");

        assert_eq!(storm.shows_the_answer, Some(true), "{}", story.words.name);
        for (number, run) in storm.policies.iter().enumerate() {
            let shows = storm.policies.iter().map(|other| {
                let mut storm = storm.clone();
                storm.policies[number] = PolicyRun {
                    policy: run.policy.clone(),
                    ..other.clone()
                };
                (story.shows)(&storm)
            });
            assert!(
                shows.into_iter().any(|shows| shows == Some(false)),
                "{}: whatever becomes of {}",
                story.words.name,
                run.policy.name
            );
            let wrong = wrong(run);
            assert!(
                wrong.is_empty(),
                "{} {}: {wrong:#?}",
                story.words.name,
                run.policy.name
            );
        }
    }
}
