//! A session of the caller's, on a real transport: what the contract asks of a
//! session holds for it as it does for the client's own.

use client::{IdempotencyKey, JsonObject, teaching::ReliableApiClient};

use crate::support::{
    http_error,
    wire::{Then, Wire},
};

/// A client over a session that would follow redirects, as `reqwest` does by
/// default.
fn client(wire: &Wire) -> ReliableApiClient {
    let session = reqwest::Client::builder()
        .no_proxy()
        .tls_certs_only([])
        .redirect(reqwest::redirect::Policy::default());
    ReliableApiClient::builder(&wire.base_url())
        .session(session)
        .build()
        .expect("a client")
}

/// A service that sends everybody elsewhere, and would be asked again there.
async fn redirecting(status: u16) -> Wire {
    let response = format!(
        "HTTP/1.1 {status} \r\nlocation: /items\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
    );
    Wire::serve(&[(&response, Then::Close)]).await
}

#[tokio::test]
async fn a_given_session_hands_a_redirect_over_and_does_not_follow_it() {
    for status in [301, 302, 303, 307, 308] {
        let wire = redirecting(status).await;

        let redirect = client(&wire).redirect().await;

        let redirect = redirect.unwrap_or_else(|error| panic!("{status}: {error}"));
        assert_eq!(redirect.status.as_u16(), status);
        assert_eq!(redirect.location.as_deref(), Some("/items"));
        assert_eq!(wire.requests().len(), 1, "{:?}", wire.requests());
    }
}

#[tokio::test]
async fn a_given_session_sends_no_post_elsewhere() {
    // These two keep method and body (RFC 9110 §15.4.8 and §15.4.9).
    for status in [307, 308] {
        let wire = redirecting(status).await;
        let key = IdempotencyKey::new("order-4711").expect("a key");

        let job = client(&wire).create_job(&key, &JsonObject::new()).await;

        assert_eq!(http_error(job).status.as_u16(), status);
        assert_eq!(wire.requests().len(), 1, "{:?}", wire.requests());
    }
}
