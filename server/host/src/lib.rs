//! A recording HTTP host: it serves any [`axum::Router`] on loopback, and records what
//! came over the wire.
//!
//! The host has the parts that every service needs: the accept loop and its bounds, the
//! guard against web sites, the record of requests and connections, spans, metrics, and a
//! stop in good order. A handler only marks its response with what the host cannot see,
//! such as a fault on purpose or the cursor of a page. A service declares its routes and the
//! requests that it expects: see [`Routes`].
//!
//! Some requests are refused before they reach the router; the record only counts them by
//! reason. HTTP/1.1 without exactly one `Host` is a 400 (RFC 9112 §3.2), any `Host` but a
//! name of loopback a 421, and a request that a browser sends for another web site a 403.
//! Beside the router the host serves `/metrics`. An unknown path is a 404 and another
//! method a 405 with `Allow`; every error is a [`Problem`] in `application/problem+json`
//! that carries a machine-readable code and the request id of its `X-Request-Id` header.
//! hyper itself responds to bytes that are not HTTP, with a bare 400, 414 or 431.
//!
//! # The way of a request
//!
//! One file for each station, in this order:
//!
//! 1. `accept` takes the connection, once there is a place for it.
//! 2. `accept::connection` reads the request and bounds each wait; it also withholds a
//!    response, if that is the fault.
//! 3. [`admission`] refuses the request of another web site.
//! 4. `router` finds the route, or responds itself: `/metrics`, a 404, a 405, a panic.
//! 5. The handler of the service responds.
//! 6. `observation` notes the arrival before it and the response after it, in the ledger, in
//!    metrics and in a span. It changes nothing of either.
//!
//! # Start and stop
//!
//! A service is a value. It listens only on 127.0.0.1, on a thread of its own, and leaves
//! nothing open once it is stopped. [`ConnectionBounds`] says for how
//! long a client may leave a connection waiting.
//!
//! ```
//! use axum::{Router, routing::get};
//! use host::{Host, ServiceConfig};
//!
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! let routes = Router::new().route("/hello", get(async || "hello"));
//! let service = Host::start(ServiceConfig::default(), routes)?;
//! assert!(service.base_url().starts_with("http://127.0.0.1:"));
//!
//! // … let a client loose on `service.base_url()` …
//!
//! assert_eq!(service.ledger().total, 0);
//! service.stop().await?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`RunningService::ledger`] returns the record. The names of all metrics and of the
//! request span are in [`telemetry`]. No option makes it listen on another address.

// No input may end the program: what cannot happen says why it cannot.
#![cfg_attr(
    not(test),
    warn(
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::string_slice,
        clippy::unreachable,
        clippy::unwrap_used
    )
)]

pub mod accept;
pub mod admission;
mod config;
mod exposition;
pub mod fault_injection;
mod instruments;
mod ledger;
pub mod logging;
mod metrics_sink;
mod observation;
pub mod problem;
mod process_failures;
pub mod query;
mod recorded_exchange;
mod refusing_ports;
pub mod request_body;
mod request_ids;
mod router;
mod running_service;
mod seed_key;
mod signals;
mod state;
pub mod telemetry;
mod traceparent;
pub mod watched_body;

pub use accept::{ConnectionBounds, ConnectionFault, ConnectionPosition, Drained, HeaderCase};
pub use config::{DRAIN_DEADLINE, ServiceConfig, SpanHook};
pub use ledger::Ledger;
pub use metrics_sink::{METRICS_MEDIA_TYPE, Metrics};
pub use observation::{IDEMPOTENCY_KEY, NextCursor};
pub use problem::Problem;
pub use process_failures::{
    FailureWatch, HostFailure, TooFewDescriptors, check_descriptors, note_panics, note_refusal,
};
pub use recorded_exchange::{
    MAX_RECORDED_BODY, RecordedExchange, RequestShape, SentBody, SentResponse,
};
pub use refusing_ports::{TlsRefusal, refusing_port};
pub use router::{ExpectedRoute, Routes, router};
pub use running_service::{Host, RunningService, StartError, StopError};
pub use seed_key::{KeyedDigest, Purpose, SeedKey};
pub use signals::{EndSignal, Signals};
pub use wire::FaultLabel;
