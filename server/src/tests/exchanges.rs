use axum::Router;
use axum::body::Body;
use axum::routing::get;
use http_body_util::BodyExt;

use crate::testing::{JSON, Service, percent_encode};
use host::{MAX_RECORDED_BODY, RecordedExchange, ServiceConfig};
use wire::Header;

fn recorded() -> ServiceConfig {
    ServiceConfig {
        record_exchanges: true,
        ..ServiceConfig::default()
    }
}

fn recording() -> Service {
    Service::with(recorded())
}

fn with_routes(routes: Router) -> Service {
    Service::adding(routes, recorded())
}

fn line(header: &Header) -> String {
    let value = header.value.as_deref().unwrap_or("-");
    format!("{}: {value}", header.name)
}

/// Everything that an exchange holds, as text.
fn whole(exchange: &RecordedExchange) -> String {
    let mut lines: Vec<_> = exchange.request.headers.iter().map(line).collect();
    if let Some(response) = &exchange.response {
        lines.push(response.status.to_string());
        lines.extend(response.headers.iter().map(line));
        lines.push(response.body.text.clone());
    }
    lines.join("\n")
}

#[tokio::test]
async fn a_plain_service_keeps_none() {
    let service = Service::new();

    service.get("/items").await;

    assert!(service.exchanges().is_empty());
    assert_eq!(service.ledger().total, 1);
}

#[tokio::test]
async fn a_response_is_kept_as_it_was_sent() {
    let service = recording();

    let sent = service.get("/retry-later").await;

    let [exchange] = &*service.exchanges() else {
        panic!("one exchange")
    };
    let response = exchange.response.as_ref().expect("a response");
    let header = |name: &str| {
        let mut lines = response.headers.iter().filter(|header| header.name == name);
        let value = lines.next().and_then(|header| header.value.as_deref());
        assert!(lines.next().is_none(), "{name} stands there once");
        value
    };
    assert_eq!((exchange.seq, response.status), (1, 503));
    assert_eq!(header("retry-after"), Some("120"));
    let request_id = sent.headers["x-request-id"].to_str().ok();
    assert_eq!(header("x-request-id"), request_id);
    let length = sent.body.len().to_string();
    assert_eq!(header("content-length"), Some(&*length));
    assert_eq!(response.body.text, sent.text());
    assert_eq!(response.body.length, sent.body.len() as u64);
    assert!(response.body.is_whole && !response.body.is_cut());
}

#[tokio::test]
async fn no_cursor_is_kept_whoever_issued_it() {
    let service = recording();

    let cursors = service.follow("/looping-items", 3).await;

    let kept = service.exchanges();
    assert_eq!(kept.len(), 4);
    for exchange in &kept {
        let text = whole(exchange);
        for cursor in &cursors {
            assert!(!text.contains(cursor.as_str()), "{text}");
            assert!(!text.contains(&percent_encode(cursor)), "{text}");
        }
        let body = &exchange.response.as_ref().expect("a response").body;
        let position = body.cursor.expect("the place of the cursor");
        let before = &body.text[..position];
        assert!(before.ends_with("\"next_cursor\":\""), "{text}");
    }
}

#[tokio::test]
async fn of_a_request_only_what_is_harmless_is_kept() {
    let service = recording();
    let headers = [
        JSON,
        ("accept", "application/json"),
        ("user-agent", "tested/1"),
        ("authorization", "Bearer SECRET"),
        ("cookie", "a=SECRET"),
        ("idempotency-key", "SECRET-KEY"),
        ("x-api-key", "SECRET"),
        ("referer", "http://127.0.0.1/?SECRET"),
        ("traceparent", "SECRET"),
    ];
    let body = r#"{"a":"SECRET"}"#;

    service.post("/jobs?SECRET=SECRET", &headers, body).await;
    service.post("/jobs", &headers, body).await;
    service.get("/SECRET?cursor=SECRET").await;
    service.get("/items?cursor=SECRET").await;

    let kept = service.exchanges();
    assert_eq!(kept.len(), 4);
    for exchange in &kept {
        assert!(!whole(exchange).contains("SECRET"), "{}", whole(exchange));
    }
    let text = whole(&kept[0]);
    for line in [
        "content-type: application/json",
        "user-agent: tested/1",
        "authorization: -",
        "x-api-key: -",
    ] {
        let is_there = text.lines().any(|other| other == line);
        assert!(is_there, "{line} is not in\n{text}");
    }
    assert!(!text.contains("x-request-id: -"), "the client sent none");
    assert!(whole(&kept[1]).contains("idempotency-replayed: true"));
}

/// A body that breaks off after more than is kept.
fn broken() -> Body {
    let begin = Body::from("x".repeat(MAX_RECORDED_BODY + 2));
    Body::new(begin.with_trailers(async { Some(Err(axum::Error::new("it broke off"))) }))
}

#[tokio::test]
async fn a_long_body_is_cut_and_a_broken_one_says_so() {
    let service = with_routes(
        Router::new()
            .route("/long", get(async || "é".repeat(MAX_RECORDED_BODY)))
            .route("/broken", get(async || broken())),
    );

    service.get("/long").await;
    let broken = http::Request::get("/broken").body(Body::empty()).unwrap();
    let response = service.respond(broken).await;
    let read = axum::body::to_bytes(response.into_body(), usize::MAX).await;

    assert!(read.is_err());
    let bodies: Vec<_> = service
        .exchanges()
        .into_iter()
        .map(|exchange| exchange.response.expect("a response").0.body)
        .collect();
    assert_eq!(bodies[0].text, "é".repeat(MAX_RECORDED_BODY / 2));
    assert_eq!(bodies[0].length, 2 * MAX_RECORDED_BODY as u64);
    assert!(bodies[0].is_whole && bodies[0].is_cut());
    assert_eq!(bodies[1].text.len(), MAX_RECORDED_BODY);
    assert!(!bodies[1].is_whole && bodies[1].is_cut());
}

#[tokio::test]
async fn a_body_that_nobody_reads_has_not_broken_off() {
    let service = recording();

    service.head("/items").await;
    service.get("/no-content").await;
    service.get("/redirect").await;

    for exchange in service.exchanges() {
        let body = exchange.response.expect("a response").0.body;
        assert_eq!((body.is_whole, body.length), (true, 0));
    }
}

#[tokio::test]
async fn nothing_of_an_exchange_is_printed() {
    let service = recording();

    let agent = [("user-agent", "SECRET")];
    service.request("GET", "/items", &agent, "").await;

    let kept = service.exchanges();
    assert!(whole(&kept[0]).contains("SECRET"));
    assert!(!format!("{kept:#?}").contains("SECRET"), "{kept:#?}");
}
