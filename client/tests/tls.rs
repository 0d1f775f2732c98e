//! TLS: a certificate that is refused and a handshake that is broken off end the
//! call at once; a connection that was never made is tried again.

use std::{future::ready, io, time::Duration};

use bytes::Bytes;
use client::{ApiError, ApiTransportError, FailureKind, StopReason, teaching::ReliableApiClient};
use futures_util::stream;
use http_body_util::StreamBody;
use hyper::body::Frame;
use rustls::AlertDescription;

use crate::bench::transport_error;
use crate::support::{
    offline,
    scripted::scripted,
    session,
    tls::{Authority, HALF_A_SERVER_HELLO, HANDSHAKE_ENDS, responding},
    wire::{Then, Wire},
};

const WHOLE: &str = "{\"attempt\":3}";

/// A session that trusts `authority`, and needs nothing of its environment.
fn trusting(authority: &Authority) -> reqwest::ClientBuilder {
    session().tls_certs_only([authority.certificate()])
}

/// A session that reaches everything through `proxy`.
fn behind(proxy: &Wire) -> reqwest::ClientBuilder {
    let proxy = reqwest::Proxy::all(proxy.base_url()).expect("a proxy");
    let session = reqwest::Client::builder().tls_certs_only([]);
    session.proxy(proxy)
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

/// The end of an error's text, if a check failed in the handshake.
const FAILED: &str = "could not agree on TLS after 1 attempt: another attempt would fail in the \
                      same way; check the certificates and the address";

/// The end of an error's text, if the handshake broke off.
const BROKE_OFF: &str = "lost its connection in the TLS handshake after 1 attempt: a handshake \
                         that broke off is not retried; check that the address speaks TLS";

/// Asserts that the handshake failed, was not tried again, and that the error says how it ended.
fn assert_tls(result: Result<u64, ApiTransportError>, end: &str, story: &str) {
    let error = result.expect_err(story);
    assert_eq!(error.to_string(), format!("GET /flaky {end}"), "{story}");
    assert_eq!(error.kind, FailureKind::Tls, "{story}: {error:?}");
    assert_eq!(error.stopped, Some(StopReason::Tls), "{story}");
    assert_eq!(error.attempts, 1, "{story}");
}

#[tokio::test]
async fn a_certificate_that_is_refused_gets_one_attempt() {
    let (authority, stranger) = (Authority::new(), Authority::new());
    for (story, issuer) in [("accepted", &authority), ("untrusted", &stranger)] {
        let server = responding(issuer.issue("127.0.0.1"), WHOLE).await;

        let result = call(trusting(&authority), &server.address().to_string()).await;

        match story {
            "accepted" => assert_eq!(result.expect("a response"), 3),
            _ => assert_tls(result, FAILED, story),
        }
    }
}

/// A proxy's response to a request for a tunnel.
const OPENED: &str = "HTTP/1.1 200 OK\r\n\r\n";

#[tokio::test]
async fn a_handshake_gets_one_attempt_however_it_is_broken_off_and_through_a_proxy() {
    for end in &HANDSHAKE_ENDS {
        let server = Wire::serve(&[*end]).await;
        let proxy = Wire::serve(&[(OPENED, Then::Next(end.0, &end.1))]).await;

        let direct = call(trusting(&Authority::new()), &server.address().to_string()).await;
        let proxied = call(behind(&proxy), "service.test").await;

        let is_break = matches!(end.0, "" | HALF_A_SERVER_HELLO);
        let text = if is_break { BROKE_OFF } else { FAILED };
        assert_tls(direct, text, &format!("{end:?}"));
        assert_tls(proxied, text, &format!("{end:?} behind a proxy"));
        let requests = [server.requests().len(), proxy.requests().len()];
        assert_eq!(requests, [1, 2], "{end:?}");
    }
}

#[tokio::test]
async fn a_connection_that_is_not_made_is_tried_again() {
    let proxy = Wire::serve(&[("", Then::Reset)]).await;

    let reset = call(behind(&proxy), "service.test").await;

    let error = reset.expect_err("no connection");
    assert_eq!(error.kind, FailureKind::Connect, "{error:?}");
    assert_eq!(error.stopped, Some(StopReason::AttemptsExhausted));
    assert_eq!((error.attempts, proxy.requests().len()), (3, 3));
}

#[tokio::test]
async fn an_alert_within_a_body_is_a_lost_connection() {
    let transport = scripted(|_| {
        // What TLS says when the peer gives up.
        let alert = rustls::Error::AlertReceived(AlertDescription::InternalError);
        let alert = io::Error::new(io::ErrorKind::InvalidData, alert);
        let end = stream::once(ready(Err::<Frame<Bytes>, _>(alert)));
        let body = reqwest::Body::wrap(StreamBody::new(end));
        ready(Ok(http::Response::new(body)))
    });
    let (client, _) = offline(transport, |builder| builder);

    let error = transport_error(client.flaky().await);

    assert_eq!(error.kind, FailureKind::ConnectionLost, "{error:?}");
    assert_eq!(error.attempts, 3);
}

/// The handshake was long over.
#[tokio::test]
async fn what_tls_does_not_vouch_for_after_the_handshake_is_asked_for_again() {
    let authority = Authority::new();
    let server = responding(authority.issue("127.0.0.1"), "{\"attem").await;

    let result = call(trusting(&authority), &server.address().to_string()).await;

    let error = result.expect_err("half a body");
    assert_eq!(error.kind, FailureKind::Protocol, "{error:?}");
    assert_eq!(error.stopped, Some(StopReason::AttemptsExhausted));
    assert_eq!((error.attempts, server.requests().len()), (3, 3));
}
