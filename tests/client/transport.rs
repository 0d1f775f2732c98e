//! The transport for real: timeouts, TLS, and connections that break off.

use client::{FailureKind, StopReason, Timeouts};
use host::{TlsRefusal, fault_injection::ResponseFault};
use serde_json::json as value;
use tests::{
    Bench, Loopback, NOWHERE, Script, client_of, json, never_resolving, silently, transport_error,
};
use tokio::time::{Instant, timeout};
#[tokio::test]
async fn a_server_that_stalls_is_a_read_timeout_and_is_asked_finitely_often() {
    let service = Loopback::with_faults(&[ResponseFault::Silence; 9]);

    let began = Instant::now();
    let call = service.client.flaky();
    let error = transport_error(silently(Timeouts::DEFAULT.read, call).await);
    let taken = began.elapsed();

    assert_eq!(error.kind, FailureKind::ReadTimeout);
    assert_eq!(error.attempts, 3);
    assert_eq!(error.stopped, Some(StopReason::AttemptsExhausted));
    assert!(taken >= 3 * Timeouts::DEFAULT.read, "{taken:?}");
    assert_eq!(service.clock.sleeps().len(), 2, "{:?}", service.clock);
    // A client that hangs up at once may be gone before its request is read.
    assert!(service.stop().await.total <= 3);
}

// No socket is opened, so the time may pass as soon as nothing else is to do.
#[tokio::test(start_paused = true)]
async fn a_name_that_is_never_resolved_is_a_connect_timeout() {
    let (client, _) = client_of("http://service.test", |builder| {
        builder.session(never_resolving())
    });

    let began = Instant::now();
    let call = timeout(10 * Timeouts::DEFAULT.connect, client.flaky());
    let error = transport_error(call.await.expect("the connect timeout ends it"));

    assert_eq!(error.kind, FailureKind::ConnectTimeout);
    assert_eq!(error.attempts, 3);
    let taken = began.elapsed();
    assert!(taken >= 3 * Timeouts::DEFAULT.connect, "{taken:?}");
    assert!(taken < 4 * Timeouts::DEFAULT.connect, "{taken:?}");
}

#[tokio::test]
async fn a_refused_handshake_gets_one_attempt() {
    let refusal = TlsRefusal::start().await.expect("a free port");
    let (client, clock) = client_of(&refusal.base_url(), |builder| {
        let session = reqwest::Client::builder().no_proxy().tls_certs_only([]);
        builder.session(session).max_attempts(5)
    });

    let error = transport_error(client.flaky().await);

    assert_eq!(error.kind, FailureKind::Tls, "{error:?}");
    assert_eq!(error.attempts, 1);
    assert_eq!(error.stopped, Some(StopReason::Tls));
    assert!(clock.sleeps().is_empty(), "{clock:?}");
    assert_eq!(refusal.connections(), 1);
    drop(client);
    refusal.stop().await;
}

#[tokio::test]
async fn a_request_without_a_complete_response_is_one_class_of_error() {
    let lost = Bench::new(Script::lost()).await;
    let too_large = json(200, &value!({ "attempt": 3 }));
    let capped = Bench::with(Script::always(too_large), |builder| {
        builder.max_body_bytes(12)
    })
    .await;
    let (to_nobody, _) = client_of(NOWHERE, |builder| builder);

    let refused = transport_error(to_nobody.flaky().await);
    let closed = transport_error(lost.client.flaky().await);
    let capped_error = transport_error(capped.client.flaky().await);

    // A refused connection counts as an attempt, though nothing was sent.
    assert_eq!((refused.kind, refused.attempts), (FailureKind::Connect, 3));
    let lost_thrice = (FailureKind::ConnectionLost, 3);
    assert_eq!((closed.kind, closed.attempts), lost_thrice);
    assert_eq!(lost.lines().await, ["GET /flaky"; 3]);
    let once = (FailureKind::BodyTooLarge, 1);
    assert_eq!((capped_error.kind, capped_error.attempts), once);
    assert_eq!(capped.lines().await, ["GET /flaky"]);
    drop((lost, capped));

    // A response that breaks off in its body is asked for again, and the complete one
    // counts.
    let service = Loopback::with_faults(&[ResponseFault::CutBody; 2]);

    let page = service.client.items().pages().next_page().await;

    let page = page.expect("a page").expect("the third response is whole");
    assert_eq!(page.items.len(), 2);
    assert_eq!(service.stop().await.total, 3);
}
