//! What a log could hold.

use std::fmt::Debug;

use client::{
    ApiError, Cursor, FailureKind, IdempotencyKey, JsonObject, MemoryCheckpoints,
    teaching::ReliableApiClient,
};
use runner::fault_proxy::Fault;
use serde_json::json as value;
use tests::{Bench, Loopback, Reply, Session, Spans, Tally, every_text, json, page, status};

/// Stands wherever a secret could.
const SECRET: &str = "5ecret";

/// Responses that hold the secret wherever a response can, for a call that reads
/// an object.
fn responses() -> [Reply; 6] {
    let problem = value!({
        "code": format!("a sentence with {SECRET}"),
        "detail": SECRET,
        "request_id": format!("/path?with={SECRET}"),
    });
    [
        json(404, &problem).header("x-request-id", format!("two {SECRET}s")),
        json(503, &problem).header("retry-after", SECRET),
        status(302).header("location", format!("/{SECRET}")),
        json(200, &value!([SECRET])),
        json(
            200,
            &value!({ "id": { SECRET: SECRET }, "attempt": SECRET }),
        ),
        Reply::failure(FailureKind::ReadTimeout),
    ]
}

#[tokio::test]
async fn nothing_that_a_log_could_hold_names_a_secret() {
    let tally = Tally::new();
    let (spans, _watch) = Spans::watch();
    let mut texts = Vec::new();
    let mut note = |text: &dyn Debug| texts.push(format!("{text:?} {text:#?}"));
    let credential = format!("Bearer {SECRET}").parse().expect("a header value");
    let mut headers = http::HeaderMap::new();
    headers.insert("authorization", credential);
    let session = || {
        reqwest::Client::builder()
            .tls_certs_only([])
            .no_proxy()
            .default_headers(headers.clone())
    };
    let key = IdempotencyKey::new(SECRET).expect("a key");
    let body = JsonObject::from_iter([(SECRET.to_owned(), value!(SECRET))]);
    let mut errors = Vec::new();

    for response in responses() {
        let bench = Bench::at(
            &format!("http://service.test/{SECRET}"),
            Session::always(response),
            |builder| {
                let builder = builder.session(session()).recorder(tally.recorder());
                note(&builder);
                builder
            },
        );
        note(&bench.client);
        errors.extend(bench.client.flaky().await.err());
        errors.extend(bench.client.create_job(&key, &body).await.err());
        let redirect = bench.client.redirect().await;
        note(&redirect.as_ref().ok());
        errors.extend(redirect.err());
    }
    let loops = Bench::with(Session::always(page(1, Some(SECRET))), |builder| {
        builder.recorder(tally.recorder())
    });
    let mut pages = loops.client.items().pages();
    note(&pages.next_page().await);
    errors.extend(pages.next_page().await.and_then(Result::err));
    let crawl = loops.client.items().crawl(MemoryCheckpoints::default());
    note(&crawl.await.expect("an empty store").next_page().await);
    note(&(&key, Cursor::new(SECRET)));

    // The errors of the real transport know the URL that they speak of.
    let upstream = Loopback::start();
    let proxy = upstream.behind(std::iter::repeat(Fault::CloseAtOnce)).await;
    let url = format!("{}/{SECRET}", proxy.base_url());
    let lost = Bench::at(&url, Session::watching(), |builder| {
        builder.session(session()).recorder(tally.recorder())
    });
    errors.extend(lost.client.flaky().await.err());
    for url in [
        format!("http://{SECRET}@service.test"),
        format!("//{SECRET}"),
    ] {
        let refused = ReliableApiClient::builder(&url).build();
        errors.extend(refused.err().map(ApiError::from));
    }

    assert_eq!(errors.len(), 21, "every call failed: {errors:#?}");
    let (traced, counted) = (spans.records(), tally.read());
    assert!(traced.iter().any(|span| span.name == "wait"), "{traced:?}");
    assert!(counted.iter().any(|series| series.count > 0), "{counted:?}");
    texts.extend(errors.iter().map(|error| every_text(error)));
    texts.push(format!("{traced:?} {counted:?}"));
    // Every URL holds the secret in its path, so this speaks of URLs as well.
    for text in texts {
        assert!(!text.contains(SECRET), "{text}");
    }
}
