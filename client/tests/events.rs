//! The events: each retry and each give-up is one, so that a subscriber that prints no spans
//! shows them.

use std::{
    future::{pending, ready},
    io,
    sync::Arc,
    time::Duration,
};

use client::{
    ConcurrencyLimit, Endpoint, Failure, FailureKind, RepeatPermission, RetryBudget, SeededRandom,
    teaching::{Builder, ReliableApiClient},
    telemetry::{GIVE_UPS, RETRIES},
};
use http::Method;
use reqwest_middleware::{Middleware, Result};
use tracing::Level;

use crate::bench::{
    NOWHERE, Reply, Spans, Tally, Watch, http_error, page, read, retry_after, status, sum,
};
use crate::support::{
    drive::{finish, poll},
    offline,
    scripted::scripted,
};

const STOCK: Endpoint = Endpoint::new("stock", "/stock/{id}");

/// A transport that always responds like this.
fn always(response: impl Fn() -> Result<Reply> + Send + Sync + 'static) -> impl Middleware {
    scripted(move |_| ready(response()))
}

/// The level of each event of what `work` does, and the reason of each give-up. The metrics
/// must count as many events.
async fn events(
    transport: impl Middleware,
    configure: impl FnOnce(Builder) -> Builder,
    work: impl AsyncFnOnce(ReliableApiClient),
) -> Vec<(Level, String)> {
    let (spans, _watch) = Spans::watch();
    let tally = Tally::new();
    let (client, _) = offline(transport, |builder| {
        configure(builder.recorder(tally.recorder()))
    });

    work(client).await;

    let mut events = spans.records();
    events.retain(|record| matches!(record.name, "retry" | "give_up"));
    let counted = tally.read();
    for (name, metric) in [("retry", RETRIES), ("give_up", GIVE_UPS)] {
        let events = events.iter().filter(|event| event.name == name).count();
        let count = sum(&counted, metric.name, &[]);
        assert_eq!(count, events as f64, "{name}");
    }
    let said = events.into_iter().map(|mut event| {
        let reason = event.fields.remove("reliable_api_client.stop.reason");
        (event.level, reason.unwrap_or_else(|| event.name.to_owned()))
    });
    said.collect()
}

/// The same of one GET.
async fn events_of_a_get(
    response: impl Fn() -> Result<Reply> + Send + Sync + 'static,
    configure: impl FnOnce(Builder) -> Builder,
) -> Vec<(Level, String)> {
    let get = async |client: ReliableApiClient| {
        drop(client.get(STOCK.path("id", 7)).send().await);
    };
    events(always(response), configure, get).await
}

fn warnings<const N: usize>(names: [&str; N]) -> Vec<(Level, String)> {
    names.map(|name| (Level::WARN, name.to_owned())).to_vec()
}

#[tokio::test]
async fn a_retry_and_a_give_up_are_a_warning_each() {
    let default = |builder| builder;
    let second = Duration::from_secs(1);

    let busy = events_of_a_get(|| Ok(status(503)), default).await;
    assert_eq!(busy, warnings(["retry", "retry", "attempts_exhausted"]));

    let lost = || Err(Failure(FailureKind::ConnectionLost).into());
    let lost = events_of_a_get(lost, default).await;
    assert_eq!(lost, warnings(["retry", "retry", "attempts_exhausted"]));

    let closed = events_of_a_get(|| Ok(retry_after(503, "120")), default).await;
    assert_eq!(closed, warnings(["retry_after_over_budget"]));

    let tls = || Err(Failure(FailureKind::Tls).into());
    let tls = events_of_a_get(tls, default).await;
    assert_eq!(tls, warnings(["tls"]));

    let late = |builder: Builder| builder.deadline(second);
    let late = events_of_a_get(|| Ok(retry_after(503, "2")), late).await;
    assert_eq!(late, warnings(["deadline"]));

    let spent = |builder: Builder| builder.retry_budget(RetryBudget::new(1));
    let spent = events_of_a_get(|| Ok(status(503)), spent).await;
    assert_eq!(spent, warnings(["retry", "retry_budget_empty"]));
}

#[tokio::test]
async fn a_call_that_has_no_turn_in_time_gives_up_with_a_warning() {
    let one_slot = |builder: Builder| {
        let limit = ConcurrencyLimit::new(1);
        builder
            .concurrency_limit(limit)
            .deadline(Duration::from_secs(1))
    };
    let silent = scripted(|_| pending::<Result<Reply>>());

    let late = events(silent, one_slot, async |client| {
        let mut holding = Box::pin(client.no_content());
        assert!(poll(holding.as_mut()).is_pending());
        finish(client.flaky())
            .expect("the deadline ends it")
            .expect_err("it had no turn");
    });

    assert_eq!(late.await, warnings(["deadline"]));
}

#[tokio::test]
async fn a_limit_of_a_listing_is_a_warning() {
    let endless = || always(|| Ok(page([1, 2], Some("next"))));

    let pages = |builder: Builder| builder.max_pages(1);
    let pages = events(endless(), pages, async |client| {
        read(client.items()).await.expect_err("there are more");
    });
    assert_eq!(pages.await, warnings(["page_limit"]));

    let items = |builder: Builder| builder.max_items(1);
    let items = events(endless(), items, async |client| {
        let mut items = client.items().items();
        items.next_item().await.expect("one").expect("an item");
        let limit = items.next_item().await.expect("there are more");
        limit.expect_err("and no more may be read");
    });
    assert_eq!(items.await, warnings(["item_limit"]));
}

#[tokio::test]
async fn a_request_that_must_not_be_repeated_is_no_warning() {
    for (permission, why) in [
        (None, "not_eligible"),
        (Some(RepeatPermission), "body_is_stream"),
    ] {
        let busy = always(|| Ok(status(503)));
        let given_up = events(
            busy,
            |builder| builder,
            async |client| {
                let body = reqwest::Body::wrap("a stream".to_owned());
                let mut request = client.http().request(Method::POST, NOWHERE).body(body);
                if let Some(permission) = permission {
                    request = request.with_extension(permission);
                }
                request.send().await.expect("a 503");
            },
        );

        assert_eq!(given_up.await, [(Level::DEBUG, why.to_owned())]);
    }
}

#[tokio::test]
async fn a_response_that_ends_a_call_is_no_event() {
    for code in [204, 302, 404] {
        let events = events_of_a_get(move || Ok(status(code)), |builder| builder).await;

        assert_eq!(events, [], "{code}");
    }
}

/// A text with single spaces between its words, and without the times at which its lines
/// begin.
fn unfolded(text: &str) -> String {
    let is_time = |word: &&str| word.starts_with("20") && word.ends_with('Z');
    let words = text.split_whitespace().filter(|word| !is_time(word));
    words.collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn the_readme_shows_the_lines_of_a_plain_subscriber() {
    const ORDER: Endpoint = Endpoint::new("order", "/orders/{id}");
    let readme = include_str!("../README.md");
    let (log, writer) = io::pipe().expect("a pipe");
    let lines = tracing_subscriber::fmt().with_ansi(false);
    let watch = Watch::by(lines.with_writer(Arc::new(writer)).finish());
    let (client, _) = offline(always(|| Ok(status(503))), |builder| {
        builder.random(Arc::new(SeededRandom::new(1)))
    });

    http_error(client.get(ORDER.path("id", 4711)).send().await);

    drop((client, watch));
    let log = io::read_to_string(log).expect("UTF-8");
    assert_eq!(log.lines().count(), 3, "{log}");
    assert!(unfolded(readme).contains(&unfolded(&log)), "{log}");
}
