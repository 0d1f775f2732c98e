//! The last hop of the stack, between the middlewares and the session.
//!
//! Here, and nowhere above, it is known that a request goes on the wire for
//! real. A transport that is handed in takes the place of this hop, and of nothing
//! else.

use std::{
    cell::RefCell,
    future::Future,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
};

use http::Extensions;
use reqwest::{Request, Response};
use reqwest_middleware::{Middleware, Next, Result};
use tokio::time::Instant;
use tower::{Layer, Service};

use crate::{
    retry::{Failure, FailureKind},
    time::{Clock, Hold},
};

tokio::task_local! {
    /// The connection that the request of this task is waiting for, if it had to
    /// ask for a new one. Only for a request with a deadline there is somebody who
    /// will want to know.
    static CONNECTION: RefCell<Option<UnderWay>>;
}

/// Whether a connection is being made, and for the request that asked for it.
type UnderWay = Arc<AtomicBool>;

/// Among the extensions of a response that comes over the wire: holds the clock until
/// its body has been read.
#[derive(Clone)]
pub(crate) struct Held {
    _hold: Arc<Hold>,
}

/// The last hop of a stack above a session. It holds the clock while a request is on the
/// wire, and says what a request was doing when its time was up.
pub(crate) struct Wire {
    clock: Arc<dyn Clock>,
}

impl Wire {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock }
    }
}

#[async_trait::async_trait]
impl Middleware for Wire {
    async fn handle(
        &self,
        request: Request,
        extensions: &mut Extensions,
        next: Next<'_>,
    ) -> Result<Response> {
        let hold = Arc::new(self.clock.hold());
        let deadline = Deadline::of(&request);
        let exchange = next.run(request, extensions);
        let mut response = match deadline {
            None => exchange.await?,
            Some(deadline) => deadline.bound(exchange).await?,
        };
        response.extensions_mut().insert(Held { _hold: hold });
        Ok(response)
    }
}

/// When the time of a request is up, by the time of the session.
#[derive(Clone, Copy)]
struct Deadline(Instant);

impl Deadline {
    /// The deadline of a request. One that no clock reaches is none.
    fn of(request: &Request) -> Option<Self> {
        let left = request.timeout()?;
        session_time().checked_add(*left).map(Self)
    }

    /// Says of an exchange that the session breaks off at this deadline what it was
    /// doing.
    async fn bound(self, exchange: impl Future<Output = Result<Response>>) -> Result<Response> {
        let exchange = async {
            let error = match exchange.await {
                Ok(response) => return Ok(response),
                Err(error) => error,
            };
            // `reqwest` knows the connect timeout for what it is. A deadline it
            // reports as a timeout of the whole request, wherever it struck.
            let timed_out = FailureKind::of(&error) == FailureKind::ReadTimeout;
            if timed_out && session_time() >= self.0 && is_connecting() {
                return Err(Failure(FailureKind::ConnectTimeout).into());
            }
            Err(error)
        };
        CONNECTION.scope(RefCell::default(), exchange).await
    }
}

/// The time by which the session measures its timeouts.
#[expect(
    clippy::disallowed_methods,
    reason = "the timers of the session are Tokio's, whatever clock was injected"
)]
fn session_time() -> Instant {
    Instant::now()
}

/// What stands below a transport that was handed in. Getting here is a mistake
/// of the transport's, which passes on what it should respond to.
pub(crate) struct NothingBelow;

#[async_trait::async_trait]
impl Middleware for NothingBelow {
    async fn handle(
        &self,
        _request: Request,
        _extensions: &mut Extensions,
        _next: Next<'_>,
    ) -> Result<Response> {
        Err(Failure(FailureKind::Request).into())
    }
}

/// Whether the request of this task is still waiting for its connection.
fn is_connecting() -> bool {
    CONNECTION.with(|connection| {
        let connection = connection.borrow();
        connection
            .as_ref()
            .is_some_and(|under_way| under_way.load(Ordering::Relaxed))
    })
}

/// A layer around the connector of a session, by which [`Wire`] learns
/// that a connection is being made.
#[derive(Clone, Copy)]
pub(crate) struct TellConnecting;

impl<S> Layer<S> for TellConnecting {
    type Service = TellingConnector<S>;

    fn layer(&self, connector: S) -> Self::Service {
        TellingConnector(connector)
    }
}

/// A connector that tells when it makes a connection.
#[derive(Clone)]
pub(crate) struct TellingConnector<S>(S);

impl<S, R> Service<R> for TellingConnector<S>
where
    S: Service<R, Future: Send + 'static>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Connecting<S::Response, S::Error>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<std::result::Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, destination: R) -> Self::Future {
        let under_way = UnderWay::new(AtomicBool::new(true));
        // Without a request to tell, nobody will ask.
        let _ = CONNECTION.try_with(|connection| {
            connection.replace(Some(Arc::clone(&under_way)));
        });
        Connecting {
            connecting: Box::pin(self.0.call(destination)),
            under_way,
        }
    }
}

/// A connection in the making.
pub(crate) struct Connecting<T, E> {
    connecting: Pin<Box<dyn Future<Output = std::result::Result<T, E>> + Send>>,
    under_way: UnderWay,
}

impl<T, E> Future for Connecting<T, E> {
    type Output = std::result::Result<T, E>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let connected = self.connecting.as_mut().poll(context);
        // Another connection may have come free in the meantime. The pool gives
        // that one to the request, and finishes this one in a task of its own.
        let handed_on = CONNECTION.try_with(|_| ()).is_err();
        if connected.is_ready() || handed_on {
            self.under_way.store(false, Ordering::Relaxed);
        }
        connected
    }
}

#[cfg(test)]
mod tests {
    use std::{convert::Infallible, future::pending};

    use futures_util::FutureExt;

    use super::*;

    /// A connector that never comes to an end.
    #[derive(Clone)]
    struct Never;

    impl Service<()> for Never {
        type Response = Infallible;
        type Error = Infallible;
        type Future =
            Pin<Box<dyn Future<Output = std::result::Result<Infallible, Infallible>> + Send>>;

        fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<std::result::Result<(), Infallible>> {
            Poll::Ready(Ok(()))
        }

        fn call(&mut self, (): ()) -> Self::Future {
            Box::pin(pending())
        }
    }

    #[tokio::test]
    async fn a_request_stops_connecting_when_it_is_given_another_connection() {
        let request = async {
            let mut connection = TellConnecting.layer(Never).call(());
            assert!((&mut connection).now_or_never().is_none());
            let before = is_connecting();

            // What the pool does with a connection that nobody waits for.
            let pool = tokio::spawn(connection);
            tokio::task::yield_now().await;

            pool.abort();
            (before, is_connecting())
        };

        let connecting = CONNECTION.scope(RefCell::default(), request).await;

        assert_eq!(connecting, (true, false));
    }
}
