//! How a service starts and how it ends, over real sockets.

use std::future::poll_fn;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::pin::Pin;
use std::sync::{Arc, mpsc};
use std::task::Poll;
use std::time::Duration;

use axum::Router;
use axum::routing;
use host::{ConnectionBounds, RunningService, ServiceConfig, StartError};
use server::TeachingApi;
use testkit::http::{exchange, read_response, request};

use crate::sockets::{connect, serve, start};

/// A route that says when it was reached and responds when it is let go.
fn held_route() -> (Router, mpsc::Receiver<()>, Arc<tokio::sync::Notify>) {
    let (reached, is_reached) = mpsc::channel();
    let release = Arc::new(tokio::sync::Notify::new());
    let released = Arc::clone(&release);
    let handler = routing::get(async move || {
        reached.send(()).unwrap();
        released.notified().await;
        "let go"
    });
    (Router::new().route("/held", handler), is_reached, release)
}

fn ask_for_held(service: &RunningService) -> TcpStream {
    let stream = connect(service);
    (&stream)
        .write_all(request("GET", "/held", "", "").as_bytes())
        .unwrap();
    stream
}

#[test]
fn it_listens_on_loopback_only() {
    let service = start(ServiceConfig::default());

    let address = service.local_addr();
    let base_url = format!("http://127.0.0.1:{}", address.port());

    assert_eq!(address.ip().to_string(), "127.0.0.1");
    assert_eq!(service.base_url(), base_url);
}

/// How far something is after its first step.
async fn begun<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    poll_fn(|cx| Poll::Ready(Pin::new(&mut *future).poll(cx))).await
}

#[tokio::test]
async fn during_a_drain_a_new_connection_is_refused_and_a_request_in_flight_finishes() {
    let (routes, reached, release) = held_route();
    let service = serve(ServiceConfig::default(), routes);
    let address = service.local_addr();
    let stream = ask_for_held(&service);
    reached.recv().unwrap();

    let mut stop = Box::pin(service.stop());
    let begun = begun(&mut stop).await;
    // The serving thread hears of it a moment later. Would it close the socket only
    // after the drain, these would go on until the request in flight is cut off.
    while TcpStream::connect(address).is_ok() {}
    release.notify_one();
    let stopped = stop.await.unwrap();

    assert!(begun.is_pending(), "nothing was drained: {begun:?}");
    assert_eq!(stopped.cut_off, 0);
    assert_eq!(read_response(&stream).body, "let go");
}

fn draining_for(drain_deadline: Duration) -> ServiceConfig {
    ServiceConfig {
        drain_deadline,
        ..ServiceConfig::default()
    }
}

#[tokio::test]
async fn stop_cuts_off_what_outlasts_the_deadline() {
    let (routes, reached, _release) = held_route();
    let service = serve(draining_for(Duration::from_millis(1)), routes);
    let ledger = service.ledger_handle();
    let mut stream = ask_for_held(&service);
    reached.recv().unwrap();

    let stopped = service.stop().await.unwrap();

    assert_eq!(stopped.cut_off, 1);
    let mut rest = Vec::new();
    let is_cut_off = stream.read_to_end(&mut rest).is_err() || rest.is_empty();
    assert!(is_cut_off, "{rest:?}");
    let entry = &ledger.snapshot().entries[0];
    assert_eq!((&*entry.route, entry.status), ("/held", None));
}

#[tokio::test]
async fn a_drop_and_a_stop_that_is_given_up_cut_off_at_once() {
    for stops in [false, true] {
        let (routes, reached, _release) = held_route();
        // A drain would outlast every patience with a test.
        let service = serve(draining_for(Duration::MAX), routes);
        let _stream = ask_for_held(&service);
        reached.recv().unwrap();

        if stops {
            let mut stop = Box::pin(service.stop());
            assert!(begun(&mut stop).await.is_pending());
        } else {
            drop(service);
        }
    }
}

#[test]
fn a_bound_of_zero_is_refused_at_the_start() {
    let bounds: [fn(&mut ConnectionBounds) -> &mut Duration; 4] = [
        |bounds| &mut bounds.head,
        |bounds| &mut bounds.body,
        |bounds| &mut bounds.idle,
        |bounds| &mut bounds.stalled,
    ];
    for bound in bounds {
        let mut config = ServiceConfig::default();
        *bound(&mut config.connection_bounds) = Duration::ZERO;

        let refused = TeachingApi::start(config).unwrap_err();

        assert!(matches!(refused, StartError::ZeroBound { .. }), "{refused}");
    }
}

#[tokio::test]
async fn the_port_can_be_bound_again_at_once() {
    let first = start(ServiceConfig::default());
    let port = first.local_addr().port();
    // The service closes this connection first, which leaves it in TIME_WAIT.
    let ask = request("GET", "/items", "connection: close\r\n", "");
    assert_eq!(exchange(connect(&first), ask).status, 200);
    first.stop().await.unwrap();

    let second = TeachingApi::start(ServiceConfig {
        port,
        ..ServiceConfig::default()
    });

    second.expect("the port is free").stop().await.unwrap();
}
