//! A loopback proxy for faults that an HTTP service cannot produce: lose a response,
//! break one off, never send one, refuse TLS.
//!
//! It sits between a client and the service and applies the faults of its plan, one to
//! each connection:
//!
//! ```no_run
//! # async fn lesson(service: std::net::SocketAddr) -> std::io::Result<()> {
//! use runner::fault_proxy::{Fault, FaultProxy};
//!
//! // The job is created, but the first response is lost.
//! let proxy = FaultProxy::start(service, [Fault::LoseResponse]).await?;
//! let base_url = proxy.base_url();
//! # drop(base_url);
//! proxy.stop().await;
//! # Ok(())
//! # }
//! ```
//!
//! **One request a connection.** The proxy asks the service with
//! `Connection: close`, so that the response ends where the connection does
//! (RFC 9112 §9.6) and a plan counts requests. Of HTTP it understands only how
//! long a request is, and which response is which. The response is 411 to a request
//! whose length is not given by `Content-Length`, 417 to one that waits for a `100 Continue`, 400 to one
//! that cannot be read, 413 to one that is too large, and 502 if the service
//! cannot be reached.

mod connection;
mod request;

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::{
    net::TcpListener,
    sync::{Notify, oneshot},
    task::{JoinHandle, JoinSet},
};

/// A fault of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// No fault: request and response go through.
    PassThrough,
    /// The request goes to the service, whose response is read to the end; then
    /// the client's connection is closed without a byte of it.
    LoseResponse,
    /// The head of the response and the first half of its body come through; then
    /// the connection is reset. Linux still hands out what came before a reset;
    /// other systems may discard it.
    ResetMidBody,
    /// The head of the response and the first half of its body come through; then
    /// the connection is closed in good order, short of what was announced.
    CloseMidBody,
    /// The request is read and not passed on, and nothing is sent until the proxy
    /// stops.
    Stall,
    /// The response to a TLS ClientHello is the fatal alert `handshake_failure`
    /// (RFC 8446 §6.2). To anything else the connection is closed.
    RefuseTls,
    /// The connection is closed as soon as it is made. A client that is already
    /// writing may see a reset instead of the end.
    CloseAtOnce,
}

impl Fault {
    /// How many there are.
    const COUNT: usize = Self::CloseAtOnce as usize + 1;
}

/// The part of a response that went through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passed {
    /// The `X-Request-Id` of the response; empty if it has none.
    pub request_id: String,
    /// How many bytes of its body the client was sent; none if not even the head.
    pub body: Option<u64>,
}

/// The most responses that are remembered: as many as a ledger keeps.
const MAX_PASSED: usize = host::DEFAULT_LEDGER_CAPACITY;

/// A running proxy. Dropping it stops it without waiting.
#[derive(Debug)]
pub struct FaultProxy {
    addr: SocketAddr,
    seen: Arc<Seen>,
    /// Ends the accept loop when it is dropped.
    running: oneshot::Sender<()>,
    accepting: JoinHandle<()>,
}

impl FaultProxy {
    /// Starts a proxy on a free port of 127.0.0.1.
    ///
    /// The first connection gets the first fault of the plan, and so on in the
    /// order of arrival; when the plan is at its end, everything passes
    /// through. `std::iter::repeat(fault)` never ends.
    ///
    /// # Errors
    ///
    /// If no port can be bound.
    pub async fn start<P>(upstream: SocketAddr, plan: P) -> io::Result<Self>
    where
        P: IntoIterator<Item = Fault, IntoIter: Send + 'static>,
    {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let addr = listener.local_addr()?;
        let (running, stopped) = oneshot::channel();
        let plan = plan.into_iter().fuse();
        let seen = Arc::new(Seen::default());
        let accepting = tokio::spawn(accept(listener, upstream, plan, Arc::clone(&seen), stopped));
        Ok(Self {
            addr,
            seen,
            running,
            accepting,
        })
    }

    /// The address it listens on.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// The base URL for a client of the service.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// The same with `https`, for a client whose handshake the proxy refuses.
    #[must_use]
    pub fn tls_base_url(&self) -> String {
        format!("https://{}", self.addr)
    }

    /// How many connections have had this fault so far.
    #[must_use]
    pub fn seen(&self, fault: Fault) -> u64 {
        self.seen.faults(fault).load(Ordering::Relaxed)
    }

    /// The part of each response that went through, in the order of their ends.
    #[must_use]
    pub fn passed(&self) -> Vec<Passed> {
        self.seen.passed().clone()
    }

    /// Notified each time that a request was read and [stalls](Fault::Stall).
    pub(crate) fn silence(&self) -> Arc<Notify> {
        Arc::clone(&self.seen.silence)
    }

    /// Closes the listening socket and every connection, and waits until they
    /// are closed.
    pub async fn stop(self) {
        drop(self.running);
        // A panic of the task has been reported, and the task has ended.
        let _ = self.accepting.await;
    }
}

/// The records of a proxy.
#[derive(Debug, Default)]
struct Seen {
    /// One counter for each fault.
    faults: [AtomicU64; Fault::COUNT],
    passed: Mutex<Vec<Passed>>,
    silence: Arc<Notify>,
}

impl Seen {
    #[expect(clippy::indexing_slicing, reason = "COUNT is the number of the faults")]
    fn faults(&self, fault: Fault) -> &AtomicU64 {
        &self.faults[fault as usize]
    }

    fn passed(&self) -> MutexGuard<'_, Vec<Passed>> {
        self.passed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, passed: Passed) {
        let mut all = self.passed();
        if all.len() < MAX_PASSED {
            all.push(passed);
        }
    }
}

/// Accepts until it is stopped, or until the system fails to: a connection that
/// is refused is easier to understand than one that is never served.
async fn accept(
    listener: TcpListener,
    upstream: SocketAddr,
    mut plan: impl Iterator<Item = Fault>,
    seen: Arc<Seen>,
    mut stopped: oneshot::Receiver<()>,
) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            _ = &mut stopped => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((client, _)) => {
                    let fault = plan.next().unwrap_or(Fault::PassThrough);
                    seen.faults(fault).fetch_add(1, Ordering::Relaxed);
                    let seen = Arc::clone(&seen);
                    connections.spawn(connection::serve(client, upstream, fault, seen));
                }
                // The client was gone before it was accepted.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                Err(_) => break,
            },
        }
    }
    drop(listener);
    connections.shutdown().await;
}

#[cfg(test)]
mod tests;
