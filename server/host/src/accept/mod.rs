//! The accept loop: it accepts connections, bounds them, and ends them in good order.
//!
//! `axum::serve` detaches its connections: nothing could close an idle one, cut off a slow
//! one or wait for the last one. Nor does it bound their number: a thousand silent clients
//! would use up the descriptors of the process, and no other client could connect.
//!
//! The loop does not depend on the service. The teaching API, the web UI, graded cases and
//! the judging proxy run on it.

use std::convert::Infallible;
use std::io::{self, ErrorKind};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use http::Request;
use hyper::service::Service;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use activity::Activity;
use connection::connection;
use observer::Observed;

use crate::process_failures::{self, HostFailure};

mod activity;
mod connection;
mod listen;
mod observer;
mod stream;

pub use listen::{listen, listen_at};
pub use observer::{ConnectionObserver, ConnectionPosition};

/// How long the loop rests when the system refuses to accept, as it does without a free
/// descriptor. Without a rest the loop would spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// How many lines of a head hyper reads without an allocation.
const HEAD_LINES: NonZeroUsize = NonZeroUsize::new(100).unwrap();

/// How long a client may leave a connection waiting, and how many there may be.
///
/// Only the client's silence is bounded: a handler may take as long as it likes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionBounds {
    /// From the first byte of a request until the end of its head.
    pub head: Duration,
    /// From the end of a request's head until the end of its body. After it the handler
    /// that reads the body gets an [`io::Error`] of the kind
    /// [`TimedOut`](ErrorKind::TimedOut).
    pub body: Duration,
    /// While nothing of a request has come: before the first one, and between two.
    pub idle: Duration,
    /// While the client takes nothing of a response that is ready.
    pub stalled: Duration,
    /// How many connections there may be at once. One more waits until another ends.
    pub connections: NonZeroUsize,
    /// How many lines the head of a request may have.
    pub head_lines: NonZeroUsize,
}

impl Default for ConnectionBounds {
    /// Ten seconds for a head, 30 s for a body, a minute of idleness, 30 s for a client
    /// that reads nothing, and 512 connections: half of the descriptors that a process
    /// has on most systems. A head may have 100 lines.
    fn default() -> Self {
        Self {
            head: Duration::from_secs(10),
            body: Duration::from_secs(30),
            idle: Duration::from_secs(60),
            stalled: Duration::from_secs(30),
            connections: const { NonZeroUsize::new(512).unwrap() },
            head_lines: HEAD_LINES,
        }
    }
}

/// How the names of the headers of a response are written. They are the same names
/// either way (RFC 9110 §5.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HeaderCase {
    /// As in `retry-after`.
    #[default]
    Lower,
    /// As in `Retry-After`.
    Title,
}

/// A fault of a connection: it does something instead of sending a response.
///
/// It takes the place of a response that carries it in its extensions: the client gets
/// nothing of the response, not even its status.
///
/// It is bound to one request and not to a connection, so that a connection which a
/// client opens in advance uses up none. A client whose connection was used before may
/// send the request again by itself (RFC 9110 §9.2.2), below whatever decides about
/// retries: see [`ConnectionPosition::position`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionFault {
    /// Nothing comes, until the client closes the connection or the service stops.
    Silence,
    /// The connection is closed in good order.
    Close,
    /// The connection is reset.
    Reset,
}

/// How far the end of a loop has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// It accepts.
    Serving,
    /// No new connections; requests in flight may finish.
    Draining,
    /// Nothing may finish any more.
    CuttingOff,
}

/// The result of a stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drained {
    /// How many connections were still busy at the drain deadline and were cut off.
    pub cut_off: usize,
}

/// Serves until a phase ends it, or until the sender of the phases is dropped.
///
/// Each connection gets a service from `new_service`. To end, the loop closes the
/// listening socket and every connection without a request in flight; it lets the
/// others finish until the drain deadline, and cuts off the rest. Without a sender of
/// phases it cuts everything off at once.
///
/// The observer, if there is one, learns of every connection; each request carries its
/// [`ConnectionPosition`] either way. A response that carries a [`ConnectionFault`] is not
/// sent.
pub async fn accept_until<S>(
    listener: TcpListener,
    new_service: impl Fn() -> S,
    observer: Option<Arc<dyn ConnectionObserver>>,
    bounds: ConnectionBounds,
    header_case: HeaderCase,
    mut phases: watch::Receiver<Phase>,
    drain_deadline: Duration,
) -> Drained
where
    S: Service<Request<Body>, Response = Response, Error = Infallible> + Send + 'static,
    S::Future: Send,
{
    let places = Arc::new(Semaphore::new(bounds.connections.get()));
    let mut connections = JoinSet::new();
    let mut accepted = 0;
    loop {
        let (stream, place) = tokio::select! {
            () = reached(&mut phases, Phase::Draining) => break,
            Some(_) = connections.join_next() => continue,
            accepted = accept(&listener, &places) => accepted,
        };
        // Small responses should not wait to be joined with others. A failure here costs
        // speed only.
        drop(stream.set_nodelay(true));
        accepted += 1;
        let activity = Arc::new(Activity::new(Instant::now()));
        let observed = Observed::open(accepted, activity, observer.clone());
        let connection = connection(
            stream,
            new_service(),
            observed,
            bounds,
            header_case,
            phases.clone(),
        );
        connections.spawn(async move {
            connection.await;
            drop(place);
        });
    }
    // From here on a new client is refused at once, and not left to wait in the
    // backlog of a service that will never accept it.
    drop(listener);
    tokio::select! {
        () = reached(&mut phases, Phase::CuttingOff) => {}
        () = sleep(drain_deadline) => {}
        () = async { while connections.join_next().await.is_some() {} } => {}
    }
    let cut_off = connections.len();
    connections.shutdown().await;
    Drained { cut_off }
}

/// The next connection, once there is a place for it.
async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> (TcpStream, OwnedSemaphorePermit) {
    #[expect(clippy::expect_used, reason = "nobody closes the semaphore")]
    let place = Arc::clone(places)
        .acquire_owned()
        .await
        .expect("it is open");
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return (stream, place),
            Err(error) if concerns_one_connection(&error) => {}
            Err(error) => {
                let failure = process_failures::exhaustion(&error);
                process_failures::note(failure.unwrap_or(HostFailure::Descriptors));
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// Waits for a phase, or until the sender is dropped.
async fn reached(phases: &mut watch::Receiver<Phase>, phase: Phase) {
    drop(phases.wait_for(|current| *current >= phase).await);
}

/// Whether the client went away before it was accepted, so that the next one can
/// be accepted right away.
fn concerns_one_connection(error: &io::Error) -> bool {
    use ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(
        error.kind(),
        ConnectionAborted | ConnectionRefused | ConnectionReset
    )
}
