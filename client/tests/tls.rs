//! TLS: a certificate that is refused and a handshake that is broken off end the
//! call at once; a connection that was never made is tried again.

use std::time::Duration;

use client::{ApiError, ApiTransportError, FailureKind, ReliableApiClient, StopReason};

use crate::support::{
    tls::{Authority, HandshakeEnd, Server},
    wire::Nobody,
};

/// A session that trusts `authority`, and needs nothing of its environment.
fn trusting(authority: &Authority) -> reqwest::ClientBuilder {
    reqwest::Client::builder()
        .no_proxy()
        .tls_certs_only([authority.certificate()])
}

/// Makes one call over TLS.
async fn call(session: reqwest::ClientBuilder, host: &str) -> Result<u64, ApiTransportError> {
    let client = ReliableApiClient::builder(&format!("https://{host}"))
        .session(session)
        .backoff(Duration::from_nanos(1), Duration::from_nanos(1))
        .build()
        .expect("a client");
    match client.flaky().await {
        Ok(flaky) => Ok(flaky.attempt),
        Err(ApiError::Transport(error)) => Err(error),
        Err(error) => panic!("no complete response came: {error:?}"),
    }
}

/// Asserts that the handshake failed and was not tried again.
fn assert_tls(result: Result<u64, ApiTransportError>, server: &Server, story: &str) {
    let error = result.expect_err(story);
    assert_eq!(error.kind, FailureKind::Tls, "{story}: {error:?}");
    assert_eq!(error.stopped, Some(StopReason::Tls), "{story}");
    assert_eq!((error.attempts, server.connections()), (1, 1), "{story}");
}

#[tokio::test]
async fn a_certificate_that_holds_is_accepted() {
    let authority = Authority::new();
    let server = Server::tls(authority.issue("127.0.0.1", [2000, 4000])).await;

    let attempt = call(trusting(&authority), &server.address().to_string()).await;

    assert_eq!(attempt.expect("a response"), 3);
}

#[tokio::test]
async fn a_certificate_that_is_refused_gets_one_attempt() {
    let (authority, stranger) = (Authority::new(), Authority::new());
    for (story, issuer, name, years) in [
        ("untrusted", &stranger, "127.0.0.1", [2000, 4000]),
        ("expired", &authority, "127.0.0.1", [2000, 2001]),
        ("not valid yet", &authority, "127.0.0.1", [3999, 4000]),
        (
            "of another name",
            &authority,
            "elsewhere.test",
            [2000, 4000],
        ),
    ] {
        let server = Server::tls(issuer.issue(name, years)).await;

        let result = call(trusting(&authority), &server.address().to_string()).await;

        assert_tls(result, &server, story);
    }
}

const ENDS: [HandshakeEnd; 5] = [
    HandshakeEnd::Alert,
    HandshakeEnd::Close,
    HandshakeEnd::Reset,
    HandshakeEnd::ResetMidway,
    HandshakeEnd::PlainText,
];

#[tokio::test]
async fn a_handshake_gets_one_attempt_however_it_is_broken_off() {
    for end in ENDS {
        let server = Server::ending(end).await;

        let session = trusting(&Authority::new());
        let result = call(session, &server.address().to_string()).await;

        assert_tls(result, &server, &format!("{end:?}"));
    }
}

#[tokio::test]
async fn a_handshake_through_a_proxy_gets_one_attempt_however_it_is_broken_off() {
    for end in ENDS {
        let proxy = Server::proxy_ending(end).await;

        let result = call(behind(&proxy), "service.test").await;

        assert_tls(result, &proxy, &format!("{end:?}"));
    }
}

#[tokio::test]
async fn a_connection_that_is_not_made_is_tried_again() {
    let nobody = Nobody::new();
    let proxy = Server::proxy_without_tunnels().await;

    let refused = call(trusting(&Authority::new()), &nobody.address().to_string()).await;
    let reset_by_the_proxy = call(behind(&proxy), "service.test").await;

    for result in [refused, reset_by_the_proxy] {
        let error = result.expect_err("no connection");
        assert_eq!(error.kind, FailureKind::Connect, "{error:?}");
        assert_eq!(error.stopped, Some(StopReason::AttemptsExhausted));
        assert_eq!(error.attempts, 3);
    }
    assert_eq!(proxy.connections(), 3);
}

/// A session that reaches everything through `proxy`.
fn behind(proxy: &Server) -> reqwest::ClientBuilder {
    let proxy = reqwest::Proxy::all(format!("http://{}", proxy.address()));
    reqwest::Client::builder()
        .tls_certs_only([])
        .proxy(proxy.expect("a proxy"))
}
