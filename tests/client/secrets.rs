//! Everything that a log could hold.

use std::fmt::Debug;

use client::{IdempotencyKey, JsonObject};
use serde_json::json as value;
use tests::{Bench, Script, Spans, Tally, every_text, json};

/// Stands wherever a secret could.
const SECRET: &str = "5ecret";

/// Responses that hold the secret, for a call that reads an object. The client's own
/// tests have more of them.
fn responses() -> [Script; 4] {
    let sentences = value!({
        "code": format!("a sentence with {SECRET}"),
        "detail": SECRET,
        "request_id": format!("/path?with={SECRET}"),
    });
    let wrong = value!({ "id": { SECRET: SECRET }, "attempt": SECRET });
    let not_found = json(404, &sentences).header("x-request-id", &format!("two {SECRET}s"));
    let unavailable = json(503, &sentences).header("retry-after", SECRET);
    let [a, b, c] = [not_found, unavailable, json(200, &wrong)].map(Script::always);
    [a, b, c, Script::lost()]
}

#[tokio::test]
async fn no_log_can_hold_a_secret() {
    let tally = Tally::new();
    let (spans, _watch) = Spans::watch();
    let mut texts = Vec::new();
    let mut note = |text: &dyn Debug| texts.push(format!("{text:?} {text:#?}"));
    let credential = format!("Bearer {SECRET}");
    let mut headers = http::HeaderMap::new();
    headers.insert("authorization", credential.parse().expect("a header value"));
    let session = || {
        let session = reqwest::Client::builder().tls_certs_only([]).no_proxy();
        session.default_headers(headers.clone())
    };
    let key = IdempotencyKey::new(SECRET).expect("a key");
    let body = JsonObject::from_iter([(SECRET.to_owned(), value!(SECRET))]);
    let mut errors = Vec::new();
    let path = format!("/{SECRET}");

    for script in responses() {
        // The errors of the transport know the URL that they speak of.
        let bench = Bench::below(&path, script, |builder| {
            let builder = builder.session(session()).recorder(tally.recorder());
            note(&builder);
            builder
        });
        let bench = bench.await;
        note(&bench.client);
        errors.extend(bench.client.flaky().await.err());
        errors.extend(bench.client.create_job(&key, &body).await.err());
        errors.extend(bench.client.redirect().await.err());
        let sent = bench.sent().await;
        assert!(sent.len() >= 3, "{:?}", bench.lines().await);
        for sent in sent {
            assert_eq!(sent.headers["authorization"], credential, "{sent:?}");
        }
    }
    assert_eq!(errors.len(), 12, "every call failed: {errors:#?}");
    let (traced, counted) = (spans.records(), tally.read());
    for name in ["wait", "retry", "give_up"] {
        let is_traced = traced.iter().any(|record| record.name == name);
        assert!(is_traced, "{name} is not in {traced:?}");
    }
    let is_counted = counted.iter().any(|series| series.value > 0.0);
    assert!(is_counted, "{counted:?}");
    texts.extend(errors.iter().map(|error| every_text(error)));
    texts.push(format!("{traced:?} {counted:?}"));
    // Every URL holds the secret in its path, so this searches for URLs as well.
    for text in texts {
        assert!(!text.contains(SECRET), "{text}");
    }
}
