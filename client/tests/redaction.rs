//! No secret is visible in any `Debug` or `Display`, span, event, metric
//! or label.

use std::{fs, time::Duration};

use client::{
    CheckpointError, CheckpointStore, FileCheckpoints, IdempotencyKey, ListingId,
    MemoryCheckpoints, RetryMiddleware, teaching::ReliableApiClient, telemetry::TARGET,
};
use proptest::{collection::vec, prelude::*, sample::select};

use crate::bench::{Spans, Tally, every_text, silently, status};
use crate::support::{
    checkpoint,
    secretive::{self, debugged, leaks},
    stack,
    wire::{Then, Wire},
};

#[tokio::test]
async fn no_response_no_error_no_span_and_no_metric_shows_a_secret() {
    let (spans, _watch) = Spans::watch();
    let tally = Tally::new();

    for (number, response) in secretive::responses().into_iter().enumerate() {
        let client = secretive::client(response, |builder| builder.recorder(tally.recorder()));

        let said = secretive::call_everything(&client).await;

        assert!(said.len() > 1000, "response {number} was printed: {said}");
        assert_eq!(leaks(&said), [""; 0], "response {number}");
    }

    let traced = spans.records();
    for name in ["operation", "attempt", "wait", "retry", "give_up"] {
        assert!(traced.iter().any(|span| span.name == name), "no {name}");
    }
    assert_eq!(leaks(&format!("{traced:#?}")), [""; 0]);
    let counted = tally.read();
    assert!(counted.len() > 100, "they were counted");
    assert_eq!(leaks(&format!("{counted:#?}")), [""; 0]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever a service may think of, every call comes to an end, and says nothing of
    /// what was sent. With a question mark the mark is no identifier, which may be shown.
    #[test]
    fn no_response_at_all_shows_a_secret(
        code in 100_u16..1000,
        headers in vec((HEADERS, "(c4n4ry\\?|[ -~]|[0-9]{1,20}|application/json)?"), 0..4),
        body in vec(select(&BODIES[..]), 0..8),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let respond = move || {
            let reply = status(code).body(body.concat());
            let headers = headers.iter();
            Ok(headers.fold(reply, |reply, (name, value)| reply.header(name, value)))
        };
        let client = secretive::client(respond, |builder| builder);

        let said = runtime?.block_on(secretive::call_everything(&client));

        prop_assert_eq!(leaks(&said), [""; 0]);
    }
}

/// Headers that a client reads, of which one decides what the body is.
const HEADERS: &str = "content-type|content-type|retry-after|location|x-request-id|date|x-c4n4ry";

/// The characters of bodies.
const BODIES: [&str; 14] = [
    "{\"items\":[{\"c4n4ry?\":1}],\"next_cursor\":\"c4n4ry?\"}",
    "{\"id\":\"c4n4ry?\",\"attempt\":3}",
    "{",
    "}",
    "[",
    ",",
    "\"items\":",
    "\"next_cursor\":",
    "\"code\":",
    "\"c4n4ry?\"",
    "\"c4n4ry?\":",
    "null",
    "\"",
    "\\ud800",
];

/// Ends each call of a service that is silent.
const DEADLINE: Duration = Duration::from_secs(5);

/// Failures that only a real transport has, with all that `reqwest` says.
#[tokio::test]
async fn no_failure_of_the_transport_shows_a_secret() {
    let broken = "HTTP/1.1 200 OK\r\nx-c4n4ry: c4n4ry\r\ncontent-length: 50\r\n\r\nc4n4ry";
    for (scheme, bytes, then) in [
        ("http", "", Then::Close),
        ("http", "", Then::Stall),
        ("http", "c4n4ry c4n4ry\r\n\r\n", Then::Close),
        ("http", "HTTP/1.1 200 OK\r\nc4n4ry\r\n\r\n", Then::Close),
        ("http", broken, Then::Close),
        ("http", broken, Then::Stall),
        ("https", "c4n4ry\r\n\r\n", Then::Close),
    ] {
        let wire = Wire::serve(&[(bytes, then)]).await;
        let base_url = wire.base_url().replace("http", scheme) + "/c4n4ry-prefix";
        let client = ReliableApiClient::builder(&base_url)
            .session(secretive::session())
            .max_attempts(1)
            .deadline(DEADLINE)
            .build()
            .expect("a client");

        let said = silently(DEADLINE, secretive::call_everything(&client)).await;

        assert!(said.contains("Transport"), "{said}");
        assert_eq!(leaks(&said), [""; 0], "{bytes:?}");

        let layer = RetryMiddleware::new().max_attempts(1).deadline(DEADLINE);
        let sent = stack(layer).get(base_url).send();
        let failed = silently(DEADLINE, sent).await.expect_err("no response");
        assert_eq!(leaks(&every_text(&failed)), [""; 0], "{bytes:?}");
    }
}

#[test]
fn no_configuration_shows_a_secret() {
    for base_url in [
        "http://c4n4ry:c4n4ry@127.0.0.1/",
        "http://127.0.0.1/?token=c4n4ry",
        "http://127.0.0.1/#c4n4ry",
        "c4n4ry:c4n4ry@127.0.0.1",
        "c4n4ry://127.0.0.1",
        "http://c4n4ry c4n4ry/",
        "c4n4ry",
    ] {
        let builder = ReliableApiClient::builder(base_url).session(secretive::session());

        let printed = debugged(&builder);
        let error = builder.build().expect_err("a base URL that is refused");

        assert_eq!(leaks(&printed), [""; 0], "{base_url}");
        assert_eq!(leaks(&every_text(&error)), [""; 0], "{base_url}");
    }
    let key = IdempotencyKey::new("c4n4ry key").expect_err("a space");
    for text in [every_text(&key), debugged(&RetryMiddleware::new())] {
        assert_eq!(leaks(&text), [""; 0]);
    }
}

#[tokio::test]
async fn no_checkpoint_shows_a_secret() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("crawl");
    let store = FileCheckpoints::new(&path);
    let checkpoint = checkpoint(ListingId::from_text("c4n4ry"), "c4n4ry");
    let memory = MemoryCheckpoints::default();
    memory.save(&checkpoint).await.expect("memory");
    let saved = FileCheckpoints::new(folder.path().join("saved"));
    saved.save(&checkpoint).await.expect("a file");
    fs::write(&path, r#"{"version":3,"cursor":"c4n4ry"}"#).expect("written");

    let unreadable = store.load().await.expect_err("no listing");
    let other = ReliableApiClient::builder("http://c4n4ry/").build();
    let other = other.expect("a client").items().crawl(memory.clone()).await;
    let other = other.expect_err("another listing");
    let foreign = CheckpointError::Store("c4n4ry".into());

    for text in [
        every_text(&unreadable),
        every_text(&other),
        debugged(&(store, checkpoint, memory)),
        // Its cause is the store's own, and says what the store says.
        format!("{foreign} {foreign:?}"),
        debugged(&saved),
    ] {
        assert_eq!(leaks(&text), [""; 0]);
    }
}

/// The searches above can fail.
#[tokio::test]
async fn a_leak_would_be_found() {
    #[derive(Debug, thiserror::Error)]
    #[error("it failed")]
    struct Leaky(#[source] std::io::Error);
    let error = Leaky(std::io::Error::other("cursor=C4N4RY"));
    let wire = Wire::serve(&[("", Then::Close)]).await;
    let url = format!("{}/?cursor=c4n4ry", wire.base_url());

    let (spans, watch) = Spans::watch();
    tracing::info!(target: TARGET, cursor = "c4n4ry");
    tracing::info_span!(target: TARGET, "leaky", url);
    drop(watch);
    let session = secretive::session().build().expect("a session");
    let failed = session.get(&url).send().await.expect_err("no response");

    assert!(leaks(&error.to_string()).is_empty());
    for (story, text) in [
        ("the chain is searched", every_text(&error)),
        ("reqwest prints the URL", every_text(&failed)),
        ("and the headers", debugged(&session)),
    ] {
        assert!(!leaks(&text).is_empty(), "{story}");
    }
    let traced = format!("{:#?}", spans.records());
    assert_eq!(leaks(&traced).len(), 2, "{traced}");
}
