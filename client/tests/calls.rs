//! The counters of a call, which are there before it.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    pin::pin,
    sync::{Arc, Mutex},
    time::Duration,
};

use client::{
    ConcurrencyLimit, Endpoint, Failure, FailureKind, IdempotencyKey, JsonObject, ListingLimits,
    RETRY_STATUSES, RetryBudget,
    teaching::{Builder, ReliableApiClient, endpoint},
    telemetry::{CALL_ATTEMPTS, CALL_DURATION, CALLS, METRICS, Metric, MetricKind, Operation},
};
use reqwest::StatusCode;
use serde_json::json;

use crate::bench::{self, Reply, Tally, json, page, retry_after, status, typed};
use crate::support::{
    drive::{finish, poll},
    offline,
    scripted::scripted,
};

const STOCK: Endpoint = Endpoint::new("stock", "/stock");
const ORDERS: Endpoint = Endpoint::new("orders", "/orders");
const LOGS: Endpoint = Endpoint::new("logs", "/logs");
const LISTINGS: [Endpoint; 6] = [
    endpoint::ITEMS,
    endpoint::LOOPING_ITEMS,
    endpoint::ENDLESS_ITEMS,
    endpoint::BAD_ITEMS,
    endpoint::BAD_CURSOR,
    LOGS,
];

/// The reaction of the transport to a request.
#[derive(Clone)]
enum Step {
    Succeed,
    Send(Reply),
    Fail(FailureKind),
    Hang,
}

/// Clients that register with one recorder, over transports that follow a
/// script: one step for each request, then successes.
#[derive(Default)]
struct Scripted {
    tally: Tally,
    script: Arc<Mutex<VecDeque<Step>>>,
}

impl Scripted {
    fn client(&self, configure: impl FnOnce(Builder) -> Builder) -> ReliableApiClient {
        let script = Arc::clone(&self.script);
        let transport = scripted(move |request| {
            let step = script.lock().expect("no panic while held").pop_front();
            let path = request.url().path().to_owned();
            async move {
                match step.unwrap_or(Step::Succeed) {
                    Step::Succeed => Ok(success(&path)),
                    Step::Send(reply) => Ok(reply),
                    Step::Fail(kind) => Err(Failure(kind).into()),
                    Step::Hang => std::future::pending().await,
                }
            }
        });
        let (client, _) = offline(transport, |builder| {
            configure(builder.recorder(self.tally.recorder()).max_attempts(2))
        });
        client
    }

    fn follow(&self, script: &[Step]) {
        *self.script.lock().expect("no panic while held") = script.iter().cloned().collect();
    }

    /// The labels of the series of one metric that moved, and their values: what a
    /// histogram observed, or a count.
    fn observed(&self, name: &str) -> Vec<(String, Vec<f64>)> {
        let series = self.tally.read().into_iter();
        let moved = series.filter(|sample| sample.name == name && sample.value > 0.0);
        let mut moved: Vec<_> = moved
            .map(|series| {
                let labels: Vec<_> = series.labels.into_values().collect();
                let values = match &*series.observations {
                    [] => vec![series.value],
                    observations => observations.to_vec(),
                };
                (labels.join(" "), values)
            })
            .collect();
        moved.sort_by(|one, other| one.0.cmp(&other.0));
        moved
    }
}

/// The last page of a listing, and what every other endpoint promises.
fn success(path: &str) -> Reply {
    let items = [json!({"n": 1}), json!({"n": 2})];
    match path {
        "/no-content" => status(204),
        "/redirect" => status(302),
        _ => json(
            200,
            &json!({"items": items, "next_cursor": null, "attempt": 3, "id": "j-1"}),
        ),
    }
}

fn page_with_cursor() -> Step {
    Step::Send(page([1, 2], Some("again")))
}

fn down() -> Step {
    Step::Send(status(503))
}

/// Calls an endpoint to its end, or until it hangs, and drops it then.
fn call(client: &ReliableApiClient, endpoint: Endpoint) {
    let key = IdempotencyKey::new("k").expect("a key");
    let body = JsonObject::new();
    finish(async {
        match endpoint {
            LOGS => drop(bench::read(client.listing(LOGS)).await),
            ORDERS => {
                let order = client.post(ORDERS).idempotency_key(&key).json(&body);
                drop(order.send().await);
            }
            other => drop(bench::call(client, other).await),
        }
    });
}

/// Successes, statuses that are not retried, one outside of the closed set, and those
/// that are retried.
fn statuses() -> impl Iterator<Item = StatusCode> {
    let others = [200, 201, 204, 302, 404, 409, 418];
    let others = others.map(|code| StatusCode::from_u16(code).expect("three digits"));
    others.into_iter().chain(RETRY_STATUSES)
}

/// Lets a client run into everything that an endpoint can come to.
fn go_through_everything(scripted: &Scripted, client: &ReliableApiClient, endpoint: Endpoint) {
    let play = |client: &ReliableApiClient, script: &[Step]| {
        scripted.follow(script);
        call(client, endpoint);
    };
    for code in statuses().map(|status| status.as_u16()) {
        play(client, &[Step::Send(status(code))]);
        play(client, &[Step::Send(retry_after(code, "1"))]);
    }
    for kind in Operation::failures() {
        play(client, &[Step::Fail(kind)]);
    }
    // Each way a call can end, at once and after a retry.
    let endings = [
        Step::Succeed,
        Step::Send(typed(200, "text/plain", "hello")),
        Step::Send(status(200)),
        Step::Send(status(404)),
        Step::Fail(FailureKind::Tls),
        Step::Hang,
    ];
    for ending in endings {
        play(client, std::slice::from_ref(&ending));
        play(client, &[down(), ending]);
    }
    // Each reason to give up.
    play(client, &[down(), down()]);
    play(client, &[Step::Send(retry_after(503, "120"))]);
    let crowded = scripted.client(|builder| {
        let builder = builder.concurrency_limit(ConcurrencyLimit::new(1));
        builder.deadline(Duration::from_secs(1))
    });
    scripted.follow(&[Step::Hang]);
    let mut hung = pin!(crowded.get(STOCK).send());
    assert!(poll(hung.as_mut()).is_pending());
    play(&crowded, &[]);
    let spent = scripted.client(|builder| builder.retry_budget(RetryBudget::new(0)));
    play(&spent, &[down()]);

    if LISTINGS.contains(&endpoint) {
        let (first, again) = (page_with_cursor(), page_with_cursor());
        play(client, &[first.clone(), again.clone()]);
        play(client, &[first.clone(), down(), again]);
        let mut one = ListingLimits::DEFAULT;
        one.max_pages = std::num::NonZeroU32::MIN;
        one.max_items = std::num::NonZeroU32::MIN;
        let limited = || client.listing(endpoint).limits(one);
        scripted.follow(&[first]);
        finish(bench::read(limited()));
        let mut items = limited().items();
        finish(async { while items.next_item().await.is_some_and(|item| item.is_ok()) {} });
    }
}

#[test]
fn every_counter_is_there_before_its_first_event_and_none_that_cannot_move() {
    let scripted = Scripted::default();
    let plenty = RetryBudget::new(1_000_000);
    let client = scripted.client(|builder| {
        let own = [
            Operation::get(STOCK),
            Operation::post(ORDERS),
            Operation::listing(LOGS),
        ];
        let all = endpoint::ALL.into_iter().map(|endpoint| match endpoint {
            endpoint::CREATE_JOB => Operation::post_repeatable(endpoint),
            other => Operation::get(other),
        });
        let all = all
            .chain(own)
            .map(|operation| operation.statuses(statuses()));
        builder.retry_budget(plenty).operations(all)
    });
    let counters = |moved: bool| -> BTreeSet<(String, BTreeMap<String, String>)> {
        let is_counter = |name: &str| {
            let metric = METRICS.iter().find(|metric| metric.name == name);
            metric.is_some_and(|metric| metric.kind == MetricKind::Counter)
        };
        let series = scripted.tally.read().into_iter();
        let counters =
            series.filter(|sample| is_counter(&sample.name) && (!moved || sample.value > 0.0));
        counters
            .map(|counter| (counter.name, counter.labels))
            .collect()
    };
    let before = counters(false);

    for endpoint in endpoint::ALL.into_iter().chain([STOCK, ORDERS, LOGS]) {
        go_through_everything(&scripted, &client, endpoint);
    }

    let after = counters(true);
    let born: Vec<_> = after.difference(&before).collect();
    assert!(born.is_empty(), "born by an event: {born:#?}");
    let idle: Vec<_> = before.difference(&after).collect();
    assert!(idle.is_empty(), "nothing moves them: {idle:#?}");
}

#[test]
fn what_a_client_does_without_is_not_registered() {
    let scripted = Scripted::default();

    scripted.client(|builder| builder.retry_budget(None).concurrency_limit(None));

    let series = scripted.tally.read();
    let named = |name: &str| {
        let mut series = series.iter();
        series
            .any(|sample| sample.name == name || sample.labels.values().any(|value| value == name))
    };
    assert!(named("attempts_exhausted"));
    assert!(!named("retry_budget_empty"));
    assert!(!named("client_concurrency_reductions_total"));
}

#[test]
fn a_call_lasts_as_long_as_its_caller_waits_and_its_attempts_are_observed_once() {
    let scripted = Scripted::default();
    let client = scripted.client(|builder| builder);
    let observed = |metric: Metric, script: &[Step]| {
        scripted.follow(script);
        call(&client, endpoint::FLAKY);
        scripted.observed(metric.name)
    };
    let of = |labels: &str, value| vec![(labels.to_owned(), vec![value])];
    let once_later = &[Step::Send(retry_after(503, "2"))];

    assert_eq!(observed(CALL_DURATION, once_later), of("flaky ok", 2.0));
    assert_eq!(observed(CALL_ATTEMPTS, once_later), of("flaky", 2.0));
    assert_eq!(observed(CALL_ATTEMPTS, &[]), of("flaky", 1.0));
    // One that was cancelled has no final number.
    assert_eq!(observed(CALL_ATTEMPTS, &[Step::Hang]), []);
}

#[test]
fn a_call_that_is_dropped_is_cancelled_and_counted_once() {
    let scripted = Scripted::default();
    let client = scripted.client(|builder| builder.concurrency_limit(ConcurrencyLimit::new(1)));
    scripted.follow(&[down(), Step::Hang]);
    let mut hangs = Box::pin(client.flaky());
    let mut has_no_turn = Box::pin(client.no_content());
    let never_polled = client.redirect();
    assert!((0..10).all(|_| poll(hangs.as_mut()).is_pending()));
    assert!(poll(has_no_turn.as_mut()).is_pending());

    drop((hangs, has_no_turn, never_polled));

    let counted = scripted.observed(CALLS.name);
    let flaky = "flaky cancelled true".to_owned();
    let no_content = "no_content cancelled false".to_owned();
    assert_eq!(counted, [(flaky, vec![1.0]), (no_content, vec![1.0])]);
}

#[test]
fn each_page_of_a_listing_is_a_call_and_so_is_asking_for_more_than_is_allowed() {
    let ok = |pages: f64| ("items ok false".to_owned(), vec![pages]);
    let refused = || ("items contract_error false".to_owned(), vec![1.0]);
    for (max_pages, max_items, expected) in [
        (2, 4, vec![ok(2.0)]),
        (1, 4, vec![refused(), ok(1.0)]),
        (2, 3, vec![refused(), ok(2.0)]),
    ] {
        let scripted = Scripted::default();
        let client = scripted.client(|builder| builder.max_pages(max_pages).max_items(max_items));
        scripted.follow(&[page_with_cursor()]);

        let mut items = client.items().items();
        finish(async { while items.next_item().await.is_some() {} });

        assert_eq!(scripted.observed(CALLS.name), expected);
    }
}
