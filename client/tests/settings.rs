//! The settings of a caller: for one call, for several clients together, and in
//! place of a part.

use std::{
    num::NonZeroU32,
    sync::{Arc, Mutex},
    time::{Duration, SystemTime},
};

use client::{
    ApiError, CallSettings, ConcurrencyLimit, ConfigError, Endpoint, FailureKind, NoWait,
    RepeatPermission, RequestName, RetryBudget, RetryMiddleware, StopReason, Timeouts,
    VirtualClock, check,
    teaching::{Builder, ReliableApiClient},
    telemetry::BUDGET_TOKENS,
};
use http::{Extensions, HeaderValue, Method};
use reqwest::{Request, Response};
use reqwest_middleware::{ClientBuilder, Middleware, Next};
use reqwest_retry::{RetryDecision, RetryPolicy};

use crate::bench::{Bench, Draw, Script, Tally, cursor, http_error, page, retry_after, status};
use crate::support::{
    offline, quiet_session, scripted, virtual_clock,
    wire::{Then, Wire},
};

const TWO: NonZeroU32 = NonZeroU32::new(2).unwrap();

const ORDERS: Endpoint = Endpoint::new("orders", "/orders");

#[tokio::test]
async fn settings_of_a_call_take_the_place_of_the_clients() {
    use StopReason::{
        AttemptsExhausted as Spent, Deadline, NotEligible, RetryAfterOverBudget as TooLong,
    };
    let (set, seconds) = (CallSettings::new, Duration::from_secs);
    let [one, three, many] = [1, 3, 120].map(seconds);
    let asking = |seconds| retry_after(503, seconds);
    for (settings, response, attempts, stopped) in [
        (set().max_attempts(2), status(503), 2, Spent),
        (set().max_retry_after(one), asking("2"), 1, TooLong),
        (set().max_retry_after(many), asking("120"), 3, Spent),
        (set().deadline(three), asking("2"), 2, Deadline),
        (set().do_not_repeat(), status(503), 1, NotEligible),
    ] {
        let bench = Bench::new(Script::always(response)).await;

        let error = http_error(bench.client.with_settings(settings).flaky().await);

        assert_eq!(error.attempts, attempts, "{settings:?}");
        assert_eq!(error.stopped, Some(stopped), "{settings:?}");
        // The client itself goes by its own.
        let own = http_error(bench.client.flaky().await);
        assert_ne!((own.attempts, own.stopped), (attempts, Some(stopped)));
    }
}

#[tokio::test]
async fn settings_hold_for_requests_of_the_callers_own_and_the_nearest_wins() {
    let bench = Bench::new(Script::always(status(503))).await;
    let at_most = |attempts| Some(CallSettings::new().max_attempts(attempts));
    let once = Some(CallSettings::new().do_not_repeat());

    for (of_handle, of_request, attempts) in [
        (None, None, 3),
        (None, at_most(2), 2),
        (None, once, 1),
        (at_most(2), None, 2),
        (at_most(2), at_most(1), 1),
        (once, None, 1),
    ] {
        let own = bench.client.clone();
        let client = of_handle.map_or(own, |settings| bench.client.with_settings(settings));
        let request = client.http().post(bench.server.uri() + "/orders");
        let mut request = request.with_extension(RepeatPermission);
        if let Some(settings) = of_request {
            request = request.with_extension(settings);
        }

        let response = request.send().await.expect("a response");

        let report = response.extensions().get::<client::RetryReport>();
        let sent = report.expect("a report").attempts;
        assert_eq!(sent, attempts, "{of_handle:?} {of_request:?}");
    }
}

#[tokio::test]
async fn a_setting_has_one_rule_wherever_it_is_given() {
    let transport = || scripted::scripted(async |_| panic!("nothing is to be sent"));
    let too_long = CallSettings::LONGEST + Duration::from_nanos(1);
    let patient = CallSettings::new().max_retry_after(Duration::MAX);
    let name = RequestName::new(&Method::GET, ORDERS);

    let built = offline(&virtual_clock()).max_retry_after(too_long).build();
    let client = offline(&virtual_clock()).transport(transport()).build();
    let client = client.expect("a client");
    let of_handle = client.with_settings(patient).flaky().await;
    let request = client.http().get("http://127.0.0.1:1/");
    let of_request = request.with_extension(patient).send().await;
    let stack = ClientBuilder::new(quiet_session())
        .with(RetryMiddleware::new().max_retry_after(Duration::MAX))
        .with(transport());
    let of_layer = stack.build().get("http://127.0.0.1:1/").send().await;

    for refused in [
        built.map(drop).map_err(ApiError::from),
        of_handle.map(drop),
        check(name, of_request).await.map(drop),
        check(name, of_layer).await.map(drop),
    ] {
        let Err(ApiError::Config(error)) = refused else {
            panic!("another class: {refused:?}")
        };
        assert!(error.to_string().starts_with("max_retry_after"), "{error}");
    }
}

#[tokio::test]
async fn one_budget_bounds_the_clients_that_share_it() {
    let budget = RetryBudget::with_ratio(3, TWO);
    let tally = Tally::new();
    let bench = async |name: &'static str| {
        let shared = |builder: Builder| {
            let builder = builder.retry_budget(budget.clone()).name(name);
            builder.recorder(tally.recorder())
        };
        Bench::with(Script::always(status(503)), shared).await
    };
    let (orders, stock) = (bench("orders").await, bench("stock").await);

    let first = http_error(orders.client.flaky().await);
    let second = http_error(stock.client.flaky().await);
    let third = http_error(orders.client.flaky().await);
    let fourth = http_error(stock.client.flaky().await);

    // Full with three; a first attempt deposits half a token.
    let attempts = [&first, &second, &third, &fourth].map(|error| error.attempts);
    assert_eq!(attempts, [3, 2, 2, 1]);
    assert_eq!(second.stopped, Some(StopReason::RetryBudgetEmpty));
    assert!((0.4..0.6).contains(&budget.tokens()), "{budget:?}");
    let mut counted = tally.read();
    counted.retain(|series| series.name == BUDGET_TOKENS.name);
    let shown: Vec<f64> = counted.iter().map(|series| series.value).collect();
    assert_eq!(shown, [budget.tokens(); 2], "both gauges show one stock");
}

/// Cut in its body or not: a 429 is one by its head.
#[tokio::test]
async fn one_limit_falls_for_all_the_clients_that_share_it() {
    let cut = "HTTP/1.1 429 \r\nconnection: close\r\ncontent-length: 9\r\n\r\n{";
    let wire = Wire::serve(&[(cut, Then::Close)]).await;
    let limit = ConcurrencyLimit::new(32);
    let client = || {
        wire.client(|it| {
            it.concurrency_limit(limit.clone())
                .clock(Arc::new(virtual_clock()))
        })
    };

    let error = http_error(client().flaky().await);

    assert_eq!((error.status.as_u16(), error.attempts), (429, 3));
    assert_eq!(limit.current(), 32 / 8);
    let _ = http_error(client().flaky().await);
    assert_eq!(limit.current(), 1);
}

/// Waits a second more before each retry, and declines the third.
struct Linear(Arc<Mutex<Vec<u32>>>, VirtualClock);

impl RetryPolicy for Linear {
    fn should_retry(&self, _start: SystemTime, past_retries: u32) -> RetryDecision {
        self.0.lock().expect("no panic").push(past_retries);
        if past_retries == 2 {
            return RetryDecision::DoNotRetry;
        }
        let wait = Duration::from_secs(u64::from(past_retries) + 1);
        let now = client::Clock::wall(&self.1);
        RetryDecision::Retry {
            execute_after: now + wait,
        }
    }
}

#[tokio::test]
async fn a_policy_can_take_the_place_of_the_backoff() {
    let clock = virtual_clock();
    let asked = Arc::default();
    let linear = |builder: Builder| {
        let policy = Linear(Arc::clone(&asked), clock.clone());
        let builder = builder.clock(Arc::new(clock.clone())).max_attempts(9);
        builder.policy(policy)
    };
    let bench = Bench::with(Script::always(status(503)), linear).await;

    let error = http_error(bench.client.flaky().await);

    assert_eq!(error.stopped, Some(StopReason::AttemptsExhausted));
    assert_eq!(clock.sleeps(), [1, 2].map(Duration::from_secs));
    assert_eq!(*asked.lock().expect("no panic"), [0, 1, 2]);
}

#[tokio::test]
async fn without_a_wait_only_the_server_is_waited_for() {
    for (response, seconds) in [(status(503), 0), (retry_after(503, "7"), 7)] {
        let no_wait = |builder: Builder| builder.policy(NoWait);
        let bench = Bench::with(Script::always(response), no_wait).await;

        http_error(bench.client.flaky().await);

        assert_eq!(bench.clock.sleeps(), [Duration::from_secs(seconds); 2]);
    }
}

#[tokio::test]
async fn other_statuses_can_be_worth_a_retry() {
    let chosen = [
        http::StatusCode::REQUEST_TIMEOUT,
        http::StatusCode::BAD_GATEWAY,
    ];
    for (code, attempts) in [(408, 3), (502, 3), (503, 1)] {
        let other = |builder: Builder| builder.retry_statuses(chosen);
        let bench = Bench::with(Script::always(status(code)), other).await;

        let error = http_error(bench.client.flaky().await);

        assert_eq!(error.attempts, attempts, "{code}");
    }
}

#[tokio::test]
async fn a_spread_lies_on_top_of_what_the_server_asked_for() {
    for (unit, wait) in [(0.0, 7.0), (0.5, 9.0), (0.999, 10.996)] {
        let spread = |builder: Builder| {
            let builder = builder.random(Arc::new(Draw(unit)));
            builder.retry_after_spread(Duration::from_secs(4))
        };
        let bench = Bench::with(Script::always(retry_after(503, "7")), spread).await;

        http_error(bench.client.flaky().await);

        assert_eq!(bench.clock.sleeps(), [Duration::from_secs_f64(wait); 2]);
    }
}

#[tokio::test]
async fn a_date_is_measured_from_the_date_of_its_response_where_that_is_asked_for() {
    // The client's clock is twenty seconds ahead of this server.
    let response = || {
        let response = retry_after(503, "Sun, 06 Nov 1994 08:49:22 GMT");
        response.insert_header("date", "Sun, 06 Nov 1994 08:49:17 GMT")
    };
    for (corrected, seconds) in [(false, 0), (true, 5)] {
        let correcting = |builder: Builder| builder.correct_dates(corrected);
        let bench = Bench::with(Script::always(response()), correcting).await;

        http_error(bench.client.flaky().await);

        assert_eq!(bench.clock.sleeps()[0], Duration::from_secs(seconds));
    }
}

#[test]
fn a_session_beside_a_transport_is_refused() {
    let both = offline(&virtual_clock())
        .session(reqwest::Client::builder())
        .transport(scripted::scripted(async |_| Ok(scripted::status(404))));

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
async fn what_a_transport_passes_on_is_never_sent_and_what_a_middleware_does_is() {
    let whole = "HTTP/1.1 404 \r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
    let wire = Wire::serve(&[(whole, Then::Close)]).await;
    let builder = || ReliableApiClient::builder(&wire.base_url());
    let transport = builder()
        .transport(PassesOn::default())
        .build()
        .expect("a client");
    let middleware = builder()
        .middleware(PassesOn::default())
        .build()
        .expect("a client");

    let nothing = transport.flaky().await.expect_err("nothing below");
    let not_found = http_error(middleware.flaky().await);

    let ApiError::Transport(nothing) = nothing else {
        panic!("nothing was sent: {nothing:?}");
    };
    assert_eq!(nothing.kind, FailureKind::Request);
    assert_eq!(not_found.status.as_u16(), 404);
    assert_eq!(wire.requests().len(), 1);
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

    http_error(bench.client.get(ORDERS).await);

    let sent = bench.sent().await;
    let marks = sent.iter().map(|it| it.headers.get_all("x-mark").iter());
    let marks: Vec<Vec<_>> = marks.map(Iterator::collect).collect();
    assert_eq!(marks, [["a", "b"], ["a", "b"]]);
    let found = (Some(ORDERS), Some(Timeouts::DEFAULT));
    assert_eq!(*notes.lock().expect("no panic while held"), [found; 4]);
}

#[tokio::test]
async fn settings_hold_for_every_page_of_a_listing() {
    let script = Script::by(|request| match cursor(request) {
        None => page([1], Some("c")),
        Some(_) => status(503),
    });
    let bench = Bench::new(script).await;
    let once = CallSettings::new().do_not_repeat();
    let mut pages = bench.client.with_settings(once).items().pages();

    let first = pages.next_page().await.expect("a page");
    let second = pages.next_page().await.expect("an error");

    assert!(first.is_ok(), "{first:?}");
    assert_eq!(second.expect_err("no retry").attempts(), 1);
    assert_eq!(bench.sent().await.len(), 2);
}
