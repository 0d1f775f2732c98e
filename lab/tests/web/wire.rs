//! Requests that reach the service from other clients.

use http::Method;
use tokio::{io::AsyncWriteExt, net::TcpStream};

use crate::web::support::{Browser, serve};

/// The page of runs as soon as it has this text.
async fn shown(browser: &Browser, text: &str) -> String {
    let mut changes = browser.listen().await;
    loop {
        let page = browser.page("/runs").await.text();
        let (_, main) = page.split_once("<main").expect("a main part");
        if main.contains(text) {
            return main.to_owned();
        }
        changes.changed().await;
    }
}

#[tokio::test]
async fn a_page_that_listens_is_told_of_a_request_from_elsewhere() {
    let (dashboard, browser) = serve().await;
    let mut changes = browser.listen().await;
    let elsewhere = Browser::of(&dashboard.service_url());
    let traceparent = "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01";

    let headers = [("traceparent", traceparent)];
    elsewhere.send(Method::GET, "/items", &headers, "").await;

    changes.changed().await;
    let page = browser.page("/runs").await.text();
    for text in [
        "1 request to <code>http://127.0.0.1:",
        ">GET /items</td>",
        ">01234567</td>",
        "start of <code>lab serve</code>",
    ] {
        assert!(page.contains(text), "{text:?} is missing in {page}");
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

    let wire = browser.page("/runs").await.text();
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
    let service = dashboard.service_url();
    let address = service.trim_start_matches("http://");
    let mut upload = TcpStream::connect(address).await.expect("a connection");
    let head = format!(
        "POST /jobs HTTP/1.1\r\nhost: {address}\r\nidempotency-key: mine\r\n\
         content-type: application/json\r\ncontent-length: 2\r\n\r\n"
    );

    upload.write_all(head.as_bytes()).await.expect("sent");

    let open = shown(&browser, "<rect class=\"flying\"").await;
    upload.write_all(b"{}").await.expect("sent");
    let over = shown(&browser, "<rect class=\"good\"").await;
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
    let elsewhere = Browser::of(&dashboard.service_url());

    let headers = [("x-request-id", "<b>bold</b>")];
    elsewhere
        .send(Method::GET, "/%3Cb%3Ebold%3C/b%3E", &headers, "")
        .await;

    let page = browser.page("/runs").await.text();
    assert!(
        page.contains(">GET other</td>") && !page.contains("<b>bold"),
        "{page}"
    );
}
