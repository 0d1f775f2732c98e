//! A session of the caller's obeys the same rules as the client's own.

use client::{IdempotencyKey, JsonObject};

use crate::bench::{Bench, Script, http_error, status};

/// A service that redirects every request, and a client over a session that would
/// follow, as `reqwest` does by default.
async fn redirecting(code: u16) -> Bench {
    let session = reqwest::Client::builder()
        .no_proxy()
        .tls_certs_only([])
        .redirect(reqwest::redirect::Policy::default());
    let redirect = status(code).insert_header("location", "/items");
    Bench::with(Script::always(redirect), |it| it.session(session)).await
}

#[tokio::test]
async fn a_given_session_hands_a_redirect_over_and_does_not_follow_it() {
    for code in [301, 302, 303, 307, 308] {
        let bench = redirecting(code).await;

        let redirect = bench.client.redirect().await;

        let redirect = redirect.unwrap_or_else(|error| panic!("{code}: {error}"));
        assert_eq!(redirect.status.as_u16(), code);
        assert_eq!(redirect.location.as_deref(), Some("/items"));
        assert_eq!(bench.lines().await, ["GET /redirect"]);
    }
}

#[tokio::test]
async fn a_given_session_sends_no_post_elsewhere() {
    // These two keep method and body (RFC 9110 §15.4.8 and §15.4.9).
    for code in [307, 308] {
        let bench = redirecting(code).await;
        let key = IdempotencyKey::new("order-4711").expect("a key");

        let job = bench.client.create_job(&key, &JsonObject::new()).await;

        assert_eq!(http_error(job).status.as_u16(), code);
        assert_eq!(bench.lines().await, ["POST /jobs"]);
    }
}
