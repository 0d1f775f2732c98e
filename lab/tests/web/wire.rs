//! Requests that reach the service from other clients.

use http::Method;
use serde_json::{Value, json};
use tokio::{io::AsyncWriteExt, net::TcpStream};

use crate::web::support::{Browser, Event, Events, serve};

/// The next request in the feed that has its response.
async fn responded(events: &mut Events) -> Value {
    let has_response = |event: &Event| event.kind == "wire" && !event.data["status"].is_null();
    events.until(has_response).await.pop().expect("it").data
}

#[tokio::test]
async fn the_feed_has_each_request_from_other_clients_with_its_response() {
    let (dashboard, browser) = serve().await;
    let mut events = browser.listen().await;
    let elsewhere = Browser::of(&dashboard.service_url());

    for (seq, status) in [(1, 503), (2, 503), (3, 200)] {
        // All requests have the same id, because it does not identify a request.
        let same = [("x-request-id", "mine")];
        elsewhere.send(Method::GET, "/flaky", &same, "").await;

        let request = responded(&mut events).await;

        assert_eq!(
            (&request["seq"], &request["status"]),
            (&json!(seq), &json!(status))
        );
    }
}

#[tokio::test]
async fn the_feed_and_the_list_agree_on_a_request() {
    let (dashboard, browser) = serve().await;
    let mut events = browser.listen().await;
    let elsewhere = Browser::of(&dashboard.service_url());
    let traceparent = "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01";

    let headers = [("traceparent", traceparent)];
    elsewhere.send(Method::GET, "/items", &headers, "").await;

    responded(&mut events).await;
    let wire = browser.get("/api/wire").await.text();
    for text in [
        "1 request to <code>http://127.0.0.1:",
        ">GET /items</td>",
        ">01234567</td>",
        "start of <code>lab serve</code>",
    ] {
        assert!(wire.contains(text), "{text:?} is missing in {wire}");
    }
}

/// The service keeps the last 200 of them.
#[tokio::test]
async fn the_newest_requests_are_listed_and_all_are_counted() {
    let (dashboard, browser) = serve().await;
    let elsewhere = Browser::of(&dashboard.service_url());

    for _ in 0..204 {
        elsewhere.get("/no-content").await;
    }

    let wire = browser.get("/api/wire").await.text();
    assert!(
        wire.contains(">204 requests to ") && wire.contains(" so far, the newest 50 are listed"),
        "{wire}"
    );
    let (_, rows) = wire.split_once("<tbody>").expect("rows");
    let rows: Vec<_> = rows.split("<tr").skip(1).collect();
    assert_eq!(rows.len(), 50);
    assert!(
        rows[0].contains(">204</th>") && rows[49].contains(">155</th>"),
        "{wire}"
    );
}

#[tokio::test]
async fn a_request_without_a_response_yet_is_drawn_as_open() {
    let (dashboard, browser) = serve().await;
    let mut events = browser.listen().await;
    let service = dashboard.service_url();
    let address = service.trim_start_matches("http://");
    let mut upload = TcpStream::connect(address).await.expect("a connection");
    let head = format!(
        "POST /jobs HTTP/1.1\r\nhost: {address}\r\nidempotency-key: mine\r\n\
         content-type: application/json\r\ncontent-length: 2\r\n\r\n"
    );

    upload.write_all(head.as_bytes()).await.expect("sent");

    let is_open = |event: &Event| event.kind == "wire" && event.data["status"].is_null();
    events.until(is_open).await;
    let open = browser.get("/api/wire").await.text();
    upload.write_all(b"{}").await.expect("sent");
    responded(&mut events).await;
    let over = browser.get("/api/wire").await.text();
    let kinds = |wire: &str| {
        ["flying", "good", "failed"]
            .map(|kind| wire.matches(&format!("<rect class=\"{kind}\"")).count())
    };
    assert_eq!(kinds(&open), [1, 0, 0], "{open}");
    assert_eq!(kinds(&over), [0, 1, 0], "{over}");
}

/// The path of a request is not shown, but that of its route.
#[tokio::test]
async fn a_request_cannot_write_markup_into_the_page() {
    let (dashboard, browser) = serve().await;
    let mut events = browser.listen().await;
    let elsewhere = Browser::of(&dashboard.service_url());

    let headers = [("x-request-id", "<b>bold</b>")];
    elsewhere
        .send(Method::GET, "/%3Cb%3Ebold%3C/b%3E", &headers, "")
        .await;

    responded(&mut events).await;
    let wire = browser.get("/api/wire").await.text();
    assert!(
        wire.contains(">GET other</td>") && !wire.contains("<b>bold"),
        "{wire}"
    );
}
