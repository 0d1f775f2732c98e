//! The settings of a caller: their rules, for several clients together, and in place of a
//! part.

use std::{
    num::NonZeroU32,
    sync::{Arc, Mutex},
    time::{Duration, SystemTime},
};

use client::{
    ConfigError, Endpoint, FailureKind, NoWait, RetryBudget, RetryMiddleware, StopReason, Timeouts,
    teaching::{Builder, ReliableApiClient},
};
use http::{Extensions, HeaderValue, StatusCode};
use reqwest::{Request, Response};
use reqwest_middleware::{ClientBuilder, Middleware, Next};
use reqwest_retry::{RetryDecision, RetryPolicy};

use crate::bench::{
    Bench, Draw, NOWHERE, Reply, Script, cursor, http_error, page, read, retry_after, status,
    transport_error,
};
use crate::support::{quiet_session, scripted::scripted};

const TWO: NonZeroU32 = NonZeroU32::new(2).unwrap();

const ORDERS: Endpoint = Endpoint::new("orders", "/orders");

/// The rule of a setting is the same for a client and for a layer on a stack of one's own.
#[tokio::test]
async fn a_limit_that_breaks_its_rule_is_refused_before_anything_is_sent() {
    type Limit = (
        fn(Builder) -> Builder,
        fn(RetryMiddleware) -> RetryMiddleware,
        &'static str,
    );
    const TOO_LONG: Duration = Duration::new(86_400, 1);
    let limits: [Limit; 2] = [
        (
            |builder| builder.max_attempts(0),
            |layer| layer.max_attempts(0),
            "max_attempts must be",
        ),
        (
            |builder| builder.retry_after_spread(TOO_LONG),
            |layer| layer.retry_after_spread(TOO_LONG, Arc::new(Draw(0.5))),
            "retry_after_spread must be",
        ),
    ];
    for (of_client, of_layer, rule) in limits {
        let built = of_client(ReliableApiClient::builder(NOWHERE)).build();
        let transport = scripted(async |_| -> Result<Reply, _> { panic!("nothing is to be sent") });
        let stack = ClientBuilder::new(quiet_session())
            .with(of_layer(RetryMiddleware::new()))
            .with(transport);
        let sent = stack.build().get(NOWHERE).send().await;

        let built = built.expect_err(rule).to_string();
        assert!(built.starts_with(rule), "{built}");
        let Err(reqwest_middleware::Error::Middleware(sent)) = sent else {
            panic!("{rule}: {sent:?}")
        };
        let sent = sent.downcast_ref::<ConfigError>().expect("the rule");
        assert_eq!(sent.to_string(), built);
    }
}

#[tokio::test]
async fn one_budget_bounds_the_clients_that_share_it() {
    let budget = RetryBudget::with_ratio(3, TWO);
    let bench = async || {
        let shared = |builder: Builder| builder.retry_budget(budget.clone());
        Bench::with(Script::always(status(503)), shared).await
    };
    let orders = bench().await;
    let stock = bench().await;

    let first = http_error(orders.client.flaky().await);
    let second = http_error(stock.client.flaky().await);
    let third = http_error(orders.client.flaky().await);
    let fourth = http_error(stock.client.flaky().await);

    // Full with three; a first attempt deposits half a token.
    let attempts = [&first, &second, &third, &fourth].map(|error| error.attempts);
    assert_eq!(attempts, [3, 2, 2, 1]);
    assert_eq!(second.stopped, Some(StopReason::RetryBudgetEmpty));
    assert!((0.4..0.6).contains(&budget.tokens()), "{budget:?}");
}

/// Retries one second after the call began and three seconds after, and no more.
struct Twice;

impl RetryPolicy for Twice {
    fn should_retry(&self, start: SystemTime, past_retries: u32) -> RetryDecision {
        match [1, 3].get(past_retries as usize) {
            Some(seconds) => RetryDecision::Retry {
                execute_after: start + Duration::from_secs(*seconds),
            },
            None => RetryDecision::DoNotRetry,
        }
    }
}

/// The effect of a setting on a client whose jitter draws 0.5: its waits in seconds.
#[tokio::test]
async fn settings_of_a_client_change_what_is_retried_and_waited_for() {
    fn other_statuses(builder: Builder) -> Builder {
        builder.retry_statuses([StatusCode::REQUEST_TIMEOUT, StatusCode::BAD_GATEWAY])
    }
    fn spread(builder: Builder, unit: f64) -> Builder {
        let builder = builder.random(Arc::new(Draw(unit)));
        builder.retry_after_spread(Duration::from_secs(4))
    }
    type Change = fn(Builder) -> Builder;
    let seven = || retry_after(503, "7");
    let rows: [(Change, Reply, &[f64]); 9] = [
        (
            |builder| builder.policy(Twice).max_attempts(9),
            status(503),
            &[1.0, 2.0],
        ),
        (|builder| builder.policy(NoWait), status(503), &[0.0, 0.0]),
        (|builder| builder.policy(NoWait), seven(), &[7.0, 7.0]),
        (other_statuses, status(408), &[0.1, 0.2]),
        (other_statuses, status(502), &[0.1, 0.2]),
        (other_statuses, status(503), &[]),
        (|builder| spread(builder, 0.0), seven(), &[7.0, 7.0]),
        (|builder| spread(builder, 0.5), seven(), &[9.0, 9.0]),
        (|builder| spread(builder, 0.999), seven(), &[10.996, 10.996]),
    ];
    for (number, (change, response, waits)) in rows.into_iter().enumerate() {
        let bench = Bench::with(Script::always(response), change).await;

        let error = http_error(bench.client.flaky().await);

        assert_eq!(error.attempts as usize, waits.len() + 1, "row {number}");
        let slept = bench.clock.sleeps();
        let slept: Vec<_> = slept.iter().map(Duration::as_secs_f64).collect();
        assert_eq!(slept, waits, "row {number}");
    }
}

#[test]
fn a_session_beside_a_transport_is_refused() {
    let both = ReliableApiClient::builder(NOWHERE)
        .session(reqwest::Client::builder())
        .transport(scripted(async |_| Ok(status(404))));

    let refused = both.build().expect_err("one of them would be ignored");

    assert!(matches!(refused, ConfigError::SessionAndTransport));
}

/// Marks each request that it passes on, and notes of which endpoint it is and how long
/// it may take.
#[derive(Default)]
struct PassesOn(&'static str, Arc<Mutex<Vec<Noted>>>);

type Noted = (Option<Endpoint>, Option<Timeouts>);

#[async_trait::async_trait]
impl Middleware for PassesOn {
    async fn handle(
        &self,
        mut request: Request,
        extensions: &mut Extensions,
        next: Next<'_>,
    ) -> Result<Response, reqwest_middleware::Error> {
        let mark = HeaderValue::from_static(self.0);
        request.headers_mut().append("x-mark", mark);
        let noted = (extensions.get().copied(), extensions.get().copied());
        self.1.lock().expect("no panic while held").push(noted);
        next.run(request, extensions).await
    }
}

#[tokio::test]
async fn what_a_transport_passes_on_is_never_sent() {
    let passing_on = |builder: Builder| builder.transport(PassesOn::default());
    let bench = Bench::with(Script::always(status(404)), passing_on).await;

    let nothing = transport_error(bench.client.flaky().await);

    assert_eq!(nothing.kind, FailureKind::Request);
    assert_eq!(bench.lines().await, [""; 0]);
}

#[tokio::test]
async fn middlewares_see_every_attempt_and_its_call_in_the_order_in_which_they_were_added() {
    let notes = Arc::default();
    let mark = |name| PassesOn(name, Arc::clone(&notes));
    let marking = |builder: Builder| {
        let builder = builder.middleware(mark("a")).middleware(mark("b"));
        builder.max_attempts(2)
    };
    let bench = Bench::with(Script::always(status(503)), marking).await;

    http_error(bench.client.get(ORDERS).send().await);

    let sent = bench.sent().await;
    let marks = sent
        .iter()
        .map(|request| request.headers.get_all("x-mark").iter());
    let marks: Vec<Vec<_>> = marks.map(Iterator::collect).collect();
    assert_eq!(marks, [["a", "b"], ["a", "b"]]);
    let found = (Some(ORDERS), Some(Timeouts::DEFAULT));
    assert_eq!(*notes.lock().expect("no panic while held"), [found; 4]);
}

#[tokio::test]
async fn settings_hold_for_every_page_of_a_listing() {
    let script = Script::by(|request| match cursor(&request.url) {
        None => page([1], Some("c")),
        Some(_) => status(503),
    });
    let bench = Bench::with(script, |builder| builder.max_attempts(1)).await;

    let read = read(bench.client.items()).await;

    assert_eq!(read.expect_err("no retry").attempts(), 1);
    assert_eq!(bench.sent().await.len(), 2);
}
