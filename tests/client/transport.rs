//! The transport for real: timeouts, TLS, and connections that break off.

use std::{
    future::pending,
    iter,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use client::{FailureKind, StopReason, teaching::Builder};
use reqwest::dns::{Name, Resolve, Resolving};
use runner::fault_proxy::Fault;
use tests::{Bench, Loopback, Reply, Session, transport_error};
use tokio::{
    io::AsyncReadExt,
    net::{TcpListener, TcpStream},
    time::timeout,
};

/// Long enough for loopback, and short enough to wait for.
const SOON: Duration = Duration::from_millis(20);
/// Longer than any test may take.
const NEVER: Duration = Duration::from_secs(3600);
/// Less than either of the default timeouts.
const GIVEN_UP: Duration = Duration::from_secs(3);

#[tokio::test]
async fn a_server_that_stalls_is_a_read_timeout_and_is_asked_finitely_often() {
    let upstream = Loopback::start();
    let proxy = upstream.behind(iter::repeat(Fault::Stall)).await;
    let bench = Bench::at(&proxy.base_url(), Session::watching(), |builder| {
        builder.timeouts(NEVER, SOON).max_attempts(2)
    });

    let flaky = timeout(GIVEN_UP, bench.client.flaky()).await;

    let error = transport_error(flaky.expect("the configured timeout strikes"));
    assert_eq!(error.kind, FailureKind::ReadTimeout);
    assert_eq!(error.attempts, 2);
    assert_eq!(error.stopped, Some(StopReason::AttemptsExhausted));
    assert_eq!(proxy.seen(Fault::Stall), 2, "{}", bench.session);
    assert_eq!(bench.clock.sleeps(), [Duration::from_millis(100)]);
    assert_eq!(upstream.stop().await.total, 0);
}

/// A resolver that is asked and never resolves.
#[derive(Clone, Default)]
struct Silent(Arc<AtomicUsize>);

impl Resolve for Silent {
    fn resolve(&self, _: Name) -> Resolving {
        self.0.fetch_add(1, Ordering::Relaxed);
        Box::pin(pending())
    }
}

#[tokio::test]
async fn a_name_that_is_never_resolved_is_a_connect_timeout() {
    let resolver = Silent::default();
    let session = reqwest::Client::builder()
        .no_proxy()
        .tls_certs_only([])
        .dns_resolver(Arc::new(resolver.clone()));
    let bench = Bench::with(Session::watching(), |builder| {
        builder
            .session(session)
            .timeouts(SOON, NEVER)
            .max_attempts(2)
    });

    let flaky = timeout(GIVEN_UP, bench.client.flaky()).await;

    let error = transport_error(flaky.expect("the configured timeout strikes"));
    assert_eq!(error.kind, FailureKind::ConnectTimeout);
    assert_eq!(error.attempts, 2);
    assert_eq!(resolver.0.load(Ordering::Relaxed), 2);
}

/// Reads the ClientHello of every connection and hangs up; counts them.
async fn hang_up_after_hello() -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    let count = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&count);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            counter.fetch_add(1, Ordering::Relaxed);
            // To close with something unread would reset the connection, and
            // that is another failure.
            read_record(&mut stream).await;
        }
    });
    (address, count)
}

/// One TLS record: five bytes that end in its length, and the rest.
async fn read_record(stream: &mut TcpStream) {
    let mut header = [0; 5];
    stream.read_exact(&mut header).await.expect("a header");
    let length = u16::from_be_bytes([header[3], header[4]]);
    let mut rest = vec![0; usize::from(length)];
    stream.read_exact(&mut rest).await.expect("a record");
}

#[tokio::test]
async fn a_refused_handshake_gets_one_attempt() {
    let service = Loopback::start();
    let alert = service.behind(iter::repeat(Fault::RefuseTls)).await;
    let plain_http = service.behind([]).await;
    let (hang_up, hung_up) = hang_up_after_hello().await;
    let five = |builder: Builder| {
        builder
            .session(reqwest::Client::builder().no_proxy().tls_certs_only([]))
            .max_attempts(5)
    };

    for (shape, base_url) in [
        ("an alert", alert.tls_base_url()),
        ("the end of the connection", format!("https://{hang_up}")),
        ("something that is not TLS", plain_http.tls_base_url()),
    ] {
        let bench = Bench::at(&base_url, Session::watching(), five);

        let error = transport_error(bench.client.flaky().await);

        assert_eq!(error.kind, FailureKind::Tls, "{shape}: {error:?}");
        assert_eq!(error.attempts, 1, "{shape}");
        assert_eq!(error.stopped, Some(StopReason::Tls), "{shape}");
        assert!(bench.clock.sleeps().is_empty(), "{shape}: {bench:?}");
    }
    assert_eq!(alert.seen(Fault::RefuseTls), 1);
    assert_eq!(hung_up.load(Ordering::Relaxed), 1);
    assert_eq!(plain_http.seen(Fault::PassThrough), 1);
    assert_eq!(service.stop().await.total, 0);
}

#[tokio::test]
async fn a_request_without_a_complete_response_is_one_class_of_error() {
    use FailureKind::{
        BodyTooLarge, Connect, ConnectTimeout, ConnectionLost, Protocol, ReadTimeout, Request, Tls,
    };
    for (kind, attempts) in [
        (ConnectTimeout, 3),
        (ReadTimeout, 3),
        (Connect, 3),
        (ConnectionLost, 3),
        (Protocol, 3),
        (Tls, 1),
        (BodyTooLarge, 1),
        (Request, 1),
    ] {
        let bench = Bench::new(Session::always(Reply::failure(kind)));

        let error = transport_error(bench.client.flaky().await);

        assert_eq!((error.kind, error.attempts), (kind, attempts));
        assert_eq!(bench.session.sent().len() as u32, attempts, "{kind:?}");
    }

    // Over a real connection: a response that breaks off in its body is asked
    // for again, and the one that is whole counts.
    let upstream = Loopback::start();
    let plan = [Fault::CloseMidBody, Fault::ResetMidBody];
    let proxy = upstream.behind(plan).await;
    let bench = Bench::at(&proxy.base_url(), Session::watching(), |builder| builder);

    let page = bench.client.items().pages().next_page().await;

    let page = page.expect("a page").expect("the third response is whole");
    assert_eq!(page.items.len(), 2);
    assert_eq!(upstream.stop().await.total, 3, "{}", bench.session);
}
