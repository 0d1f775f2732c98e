//! A client with secrets in every place there is, and responses full of them.

use std::{fmt::Debug, future::ready};

use client::{
    ApiError, CheckpointStore, Failure, FailureKind, IdempotencyKey, JsonObject, MemoryCheckpoints,
    teaching::{Builder, ReliableApiClient, endpoint},
};
use http::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use reqwest_middleware::{Error, Result};
use serde_json::json;

use super::{checkpoint, offline, scripted::scripted};
use crate::bench::{Reply, every_text, status, typed};

/// Part of every secret that a test plants.
pub(crate) const CANARY: &str = "c4n4ry";

/// A value as `Debug` prints it, in both its forms.
pub(crate) fn debugged(value: &impl Debug) -> String {
    format!("{value:?}\n{value:#?}")
}

/// The lines that show the mark.
pub(crate) fn leaks(text: &str) -> Vec<&str> {
    let shows = |line: &&str| line.to_lowercase().contains(CANARY);
    text.lines().filter(shows).collect()
}

/// A session of a caller's who authenticates all requests.
pub(crate) fn session() -> reqwest::ClientBuilder {
    let mut headers = HeaderMap::new();
    headers.insert(AUTHORIZATION, HeaderValue::from_static("Bearer c4n4ry"));
    super::session()
        .default_headers(headers)
        .user_agent("c4n4ry-agent")
}

/// A response with the mark wherever it can stand.
pub(crate) fn responses() -> Vec<fn() -> Result<Reply>> {
    const JSON: (&str, &str) = ("content-type", "application/json");
    const TEXT: (&str, &str) = ("content-type", "text/c4n4ry");
    const LOCATION: (&str, &str) = ("location", "/c4n4ry?c4n4ry");
    const WRONG: &str = r#"{"items":["c4n4ry"],"id":1,"attempt":"c4n4ry"}"#;
    const WHOLE: &str = r#"{"items":[{"c4n4ry":"c4n4ry"},{}],"next_cursor":"c4n4ry",
        "id":"c4n4ry","attempt":3}"#;
    fn of(code: u16, (name, value): (&str, &str), body: &str) -> Result<Reply> {
        Ok(status(code).header(name, value).body(body))
    }
    vec![
        || Ok(problem(503, "1")),
        || Ok(problem(503, "120")),
        || Ok(problem(503, "c4n4ry")),
        || Ok(problem(404, "1")),
        || Ok(problem(409, "1")),
        || of(302, LOCATION, "c4n4ry"),
        || of(200, JSON, "c4n4ry {"),
        || of(200, JSON, r#""c4n4ry""#),
        || of(200, TEXT, "c4n4ry"),
        || of(204, ("x-c4n4ry", "c4n4ry"), ""),
        || of(200, JSON, WRONG),
        || of(200, JSON, r#"{"items":[],"next_cursor":["c4n4ry"]}"#),
        || of(200, JSON, WHOLE),
        || Err(Error::middleware(std::io::Error::other("c4n4ry"))),
        || Err(Failure(FailureKind::ReadTimeout).into()),
        || Err(Failure(FailureKind::Tls).into()),
    ]
}

fn problem(code: u16, retry_after: &str) -> Reply {
    let problem = json!({
        "type": "https://c4n4ry/", "title": "c4n4ry", "detail": "c4n4ry",
        "code": "c4n4ry code", "request_id": "c4n4ry id",
    });
    typed(code, "application/problem+json", problem.to_string())
        .header("retry-after", retry_after)
        .header("x-request-id", "c4n4ry (odd)")
}

/// A client whose service responds with `response`.
pub(crate) fn client(
    response: impl Fn() -> Result<Reply> + Send + Sync + 'static,
    configure: impl FnOnce(Builder) -> Builder,
) -> ReliableApiClient {
    let transport = scripted(move |_| ready(response()));
    let (client, _) = offline(transport, |builder| {
        configure(builder.max_pages(3).max_items(2))
    });
    client
}

/// Uses every way to call the service, and tells all that can be printed of
/// the results.
pub(crate) async fn call_everything(client: &ReliableApiClient) -> String {
    let key = IdempotencyKey::new("c4n4ry-key").expect("a key");
    let mut body = JsonObject::new();
    body.insert("c4n4ry".into(), "c4n4ry".into());

    let mut said = String::new();
    said += &result(&client.flaky().await);
    said += &result(&client.no_content().await);
    said += &result(&client.redirect().await);
    said += &result(&client.create_job(&key, &body).await);
    let request = client.put(endpoint::CREATE_JOB.query("c4n4ry", "c4n4ry"));
    let request = request.header("c4n4ry", "c4n4ry").idempotency_key(&key);
    let request = request.json(&body);
    said += &debugged(&request);
    let response = request.send().await;
    said += &result(&response);
    if let Ok(response) = response {
        let misread = response.json::<Vec<u8>>().expect_err("an object");
        said += &every_text(&misread);
    }

    let mut pages = client.items().pages();
    while let Some(page) = pages.next_page().await {
        said += &result(&page);
    }
    let mut items = client.items().items();
    while let Some(item) = items.next_item().await {
        said += &result(&item);
    }
    said += &debugged(&(client, client.items(), &pages, &items, &key));

    let store = MemoryCheckpoints::default();
    let checkpoint = checkpoint(client.items().id(), "c4n4ry-checkpoint");
    store.save(&checkpoint).await.expect("memory");
    let crawl = client.items().crawl(store.clone()).await.expect("begun");
    let mut crawl = crawl.pages().expect("not finished");
    match crawl.next_page().await.expect("not the end") {
        Ok(page) => said += &debugged(&page),
        Err(error) => said += &every_text(&error),
    }
    said + &debugged(&(crawl, store, checkpoint))
}

fn result<T: Debug>(result: &std::result::Result<T, ApiError>) -> String {
    match result {
        Ok(value) => debugged(value),
        Err(error) => every_text(error) + &debugged(error),
    }
}
