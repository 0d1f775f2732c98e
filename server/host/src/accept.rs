//! The accept loop: connections come, are bounded, and end in good order.
//!
//! `axum::serve` is not used: it detaches its connections, so that nothing could
//! close an idle one, cut off a slow one or wait for the last one. Nor does it bound
//! them: a thousand silent clients would use up the descriptors of the process, and no
//! other client could connect.
//!
//! The loop does not depend on what is served on it. The teaching API runs on it, and
//! a lab may serve pages of its own on another one.

use std::collections::HashMap;
use std::convert::Infallible;
use std::io::{self, ErrorKind};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use http::Request;
use hyper::service::Service;
use tokio::net::TcpListener;
use tokio::sync::{Notify, watch};
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};
use tokio::time::{Instant, sleep};
use wire::ClosedBy;

use activity::Activity;
use connection::connection;
use observer::Observed;

mod activity;
mod body;
mod connection;
mod fault;
mod header_case;
mod listen;
mod observer;
mod stream;

pub use fault::ConnectionFault;
pub use header_case::HeaderCase;
pub use listen::listen;
pub use observer::{ConnectionObserver, ConnectionPosition};

/// How long the loop rests when the system refuses to accept, or when there is no
/// room. Without a rest it would spin.
///
/// It is also how long a client may be silent before its connection makes way for
/// another; a byte in either direction ends its silence. Without it, the first of many clients that connect at once would be closed
/// before their requests are read.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Tells every loop of the process that one of them was refused a descriptor. The
/// others may hold those that it needs.
static REFUSED: Notify = Notify::const_new();

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
    /// How many connections there may be at once. One more replaces the one
    /// whose client has been silent for the longest time, or has left the service waiting
    /// for the longest time where none is silent; if none has, it waits.
    pub connections: NonZeroUsize,
}

impl Default for ConnectionBounds {
    /// Ten seconds for a head, 30 s for a body, a minute of idleness, 30 s for a client
    /// that reads nothing, and 512 connections: half of the descriptors that a process
    /// has on most systems.
    fn default() -> Self {
        Self {
            head: Duration::from_secs(10),
            body: Duration::from_secs(30),
            idle: Duration::from_secs(60),
            stalled: Duration::from_secs(30),
            connections: const { NonZeroUsize::new(512).unwrap() },
        }
    }
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

/// What a stop found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped {
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
pub async fn serve<S>(
    listener: TcpListener,
    new_service: impl Fn() -> S,
    observer: Option<Arc<dyn ConnectionObserver>>,
    bounds: ConnectionBounds,
    header_case: HeaderCase,
    mut phases: watch::Receiver<Phase>,
    drain_deadline: Duration,
) -> Stopped
where
    S: Service<Request<Body>, Response = Response, Error = Infallible> + Send + 'static,
    S::Future: Send,
{
    let mut connections = Connections::default();
    let (mut newcomer, mut is_resting) = (None, false);
    let mut accepted = 0;
    loop {
        tokio::select! {
            () = reached(&mut phases, Phase::Draining) => break,
            Some(ended) = connections.tasks.join_next_with_id() => connections.forget(&ended),
            () = REFUSED.notified() => connections.close_a_quarter(),
            () = sleep(ACCEPT_PAUSE), if is_resting => {}
            accepted = listener.accept(), if !is_resting => match accepted {
                Ok((stream, _)) => newcomer = Some(stream),
                Err(error) if concerns_one_connection(&error) => {}
                Err(_) => {
                    REFUSED.notify_waiters();
                    connections.close_a_quarter();
                    is_resting = true;
                    continue;
                }
            },
        }
        is_resting = newcomer.is_some() && !connections.make_room(bounds.connections);
        if let Some(stream) = newcomer.take_if(|_| !is_resting) {
            // Small responses should not wait to be joined with others. A failure here
            // costs speed only.
            drop(stream.set_nodelay(true));
            let activity = Arc::new(Activity::new(Instant::now()));
            accepted += 1;
            let observed = Observed::open(accepted, Arc::clone(&activity), observer.clone());
            let connection = connection(
                stream,
                new_service(),
                observed,
                bounds,
                header_case,
                phases.clone(),
            );
            connections.hold(connection, activity);
        }
    }
    // From here on a new client is refused at once, and not left to wait in the
    // backlog of a service that will never accept it.
    drop((listener, newcomer));
    tokio::select! {
        () = reached(&mut phases, Phase::CuttingOff) => {}
        () = sleep(drain_deadline) => {}
        () = async { while connections.tasks.join_next().await.is_some() {} } => {}
    }
    let cut_off = connections.tasks.len();
    connections.tasks.shutdown().await;
    Stopped { cut_off }
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

/// The connections of a loop.
#[derive(Default)]
struct Connections {
    tasks: JoinSet<()>,
    /// Those that are not being closed.
    held: HashMap<Id, Held>,
}

struct Held {
    task: AbortHandle,
    activity: Arc<Activity>,
}

impl Connections {
    fn hold(
        &mut self,
        connection: impl Future<Output = ()> + Send + 'static,
        activity: Arc<Activity>,
    ) {
        let task = self.tasks.spawn(connection);
        self.held.insert(task.id(), Held { task, activity });
    }

    fn forget(&mut self, ended: &Result<(Id, ()), JoinError>) {
        let id = ended.as_ref().map_or_else(JoinError::id, |(id, ())| *id);
        self.held.remove(&id);
    }

    /// Whether there is room for one more, if need be instead of another.
    fn make_room(&mut self, most: NonZeroUsize) -> bool {
        self.held.len() < most.get() || self.close_the_longest_waiting()
    }

    /// The process has run out of descriptors, or the system has. What is freed is
    /// more than one, since not only connections need them.
    fn close_a_quarter(&mut self) {
        for _ in 0..self.held.len().div_ceil(4) {
            self.close_the_longest_waiting();
        }
    }

    /// Closes the connection whose client has been silent for the longest time; where none
    /// is silent, the one that has waited for its client for the longest time. Neither
    /// counts before it has lasted for long enough.
    fn close_the_longest_waiting(&mut self) -> bool {
        let longest = |since: fn(&Activity) -> Option<Instant>| {
            let held = self.held.iter();
            held.filter_map(|(id, held)| Some((since(&held.activity)?, *id)))
                .filter(|(since, _)| since.elapsed() >= ACCEPT_PAUSE)
                .min_by_key(|(since, _)| *since)
        };
        let longest = longest(Activity::silent_since).or_else(|| longest(Activity::waiting_since));
        let longest = longest.and_then(|(_, id)| self.held.remove(&id));
        let close = |longest: &Held| {
            longest.activity.is_closed_by(ClosedBy::Bound);
            longest.task.abort();
        };
        longest.inspect(close).is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use tokio::time::advance;

    use super::*;

    /// Connections whose clients have been silent since they connected.
    #[derive(Default)]
    struct Silent {
        connections: Connections,
        ended: Vec<Arc<()>>,
    }

    impl Silent {
        async fn comes(&mut self) -> Arc<Activity> {
            let activity = Arc::new(Activity::new(Instant::now()));
            let held = Arc::new(());
            self.ended.push(Arc::clone(&held));
            let connection = async move {
                let _held = held;
                pending::<()>().await;
            };
            self.connections.hold(connection, Arc::clone(&activity));
            advance(Duration::from_millis(1)).await;
            activity
        }

        /// The places, in the order of acceptance, of those that were closed.
        async fn gone(&mut self) -> Vec<usize> {
            tokio::task::yield_now().await;
            while self.connections.tasks.try_join_next().is_some() {}
            let gone = |position: &usize| Arc::strong_count(&self.ended[*position]) == 1;
            (0..self.ended.len()).filter(gone).collect()
        }
    }

    const TWO: NonZeroUsize = NonZeroUsize::new(2).unwrap();

    #[tokio::test(start_paused = true)]
    async fn one_too_many_takes_the_place_of_the_longest_silent_unless_it_has_just_come() {
        let mut silent = Silent::default();
        silent.comes().await;
        let there_is_room = silent.connections.make_room(TWO);
        silent.comes().await;

        let too_soon = silent.connections.make_room(TWO);
        let none = silent.gone().await;
        advance(ACCEPT_PAUSE).await;
        let room_was_made = silent.connections.make_room(TWO);

        assert!(there_is_room && !too_soon && room_was_made);
        assert!(none.is_empty(), "{none:?}");
        assert_eq!(silent.gone().await, [0]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_in_flight_does_not_make_way() {
        let mut silent = Silent::default();
        silent.comes().await.request_began();
        silent.comes().await;
        advance(ACCEPT_PAUSE).await;

        let once = silent.connections.make_room(TWO);
        silent.comes().await.request_began();
        let twice = silent.connections.make_room(TWO);

        assert!(once && !twice);
        assert_eq!(silent.gone().await, [1]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_byte_in_either_direction_ends_silence() {
        let notes: [fn(&Activity, Instant); 2] = [Activity::received, |activity, now| {
            activity.lock().last_byte = now;
        }];
        for note in notes {
            let mut silent = Silent::default();
            let slow = silent.comes().await;
            slow.request_began();
            slow.awaits_body(Some(Instant::now()));
            silent.comes().await;
            advance(ACCEPT_PAUSE).await;
            note(&slow, Instant::now());

            let room_was_made = silent.connections.make_room(TWO);

            assert!(room_was_made);
            assert_eq!(silent.gone().await, [1]);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_quarter_makes_way_for_want_of_descriptors() {
        let mut silent = Silent::default();
        for _ in 0..9 {
            silent.comes().await;
        }
        advance(ACCEPT_PAUSE).await;

        silent.connections.close_a_quarter();

        assert_eq!(silent.gone().await, [0, 1, 2]);
    }
}
