//! The teaching API: a local HTTP service with faults on purpose.
//!
//! Real services fail in ways that a client's author rarely gets to see on a quiet
//! afternoon. This one shows them at will: a failure that goes away, a wait that is
//! longer than anybody's patience, JSON that is none, lists that never end. Each is
//! one lesson, and each lesson is one file in `routes/`.
//!
//! | Method and path | What comes back | What it teaches |
//! |---|---|---|
//! | GET `/items` | three records on two pages | walk a list by its cursors |
//! | GET `/looping-items` | cursors A → B → A → … | remember every cursor, not the last one |
//! | GET `/endless-items` | always another cursor | cap pages and items |
//! | GET `/bad-items` | an element that is not an object | check the shape behind a 200 |
//! | GET `/bad-cursor` | a cursor that is a number | check the cursor's type |
//! | GET `/flaky` | 503, 503, then success for good | retry, with a wait of one's own |
//! | GET `/retry-later` | 503, `Retry-After: 120` | never call early; hand a long wait on |
//! | GET `/bad-json` | JSON that breaks off | a media type is a promise, no proof |
//! | GET `/text-json` | a page called `text/plain` | the media type comes before the body |
//! | GET `/no-content` | 204 | success may have no body |
//! | GET `/redirect` | 302 to `/items` | a redirect is a response, not an order |
//! | POST `/jobs` | 201, and the same again for a replay | an idempotency key makes a POST repeatable |
//! | GET `/metrics` | Prometheus text | what the service counted |
//!
//! HEAD works wherever GET does. Any other path is a 404 and any other method a 405
//! with `Allow`; every error is a [`Problem`] in `application/problem+json` that
//! carries a machine-readable code and the request id of its `X-Request-Id` header.
//! The one exception is out of reach: hyper responds to what is not HTTP at all,
//! with a bare 400, 414 or 431.
//!
//! Some requests are refused before they come to any of this; they stand in no ledger
//! and count nowhere. HTTP/1.1 without exactly one `Host` is a 400 (RFC 9112 §3.2), any
//! `Host` but a name of loopback a 421, and what a browser sends for another web site
//! a 403: no site that happens to be open can use up the failures of a lesson.
//!
//! # Start and stop
//!
//! A service is a value. It listens on 127.0.0.1 and nowhere else, on a thread of its
//! own, and nothing of it remains once it is stopped. A client may leave a connection
//! waiting for so long and no longer: see [`ConnectionBounds`].
//!
//! ```
//! use server::{ServiceConfig, TeachingApi};
//!
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! let config = ServiceConfig::builder().port(0).seed(7).build()?;
//! let service = TeachingApi::start(config)?;
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
//! # What it saw
//!
//! [`RunningApi::ledger`] tells what went over the wire: every connection, every request
//! with its arrival, route and response, whether it came earlier than a Retry-After
//! allowed, and hashes instead of cursors, keys and bodies. The names of all metrics and of
//! the request span stand in [`telemetry`].
//!
//! # What is deliberately absent
//!
//! There is no option to listen on another address, no credential, no call to
//! anywhere else, and no state that outlives the process. The service knows nothing
//! of any client; a lab that wants more faults adds them with
//! [`ServiceConfigBuilder::routes`], or puts its own routes beside [`router`].

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
mod admission;
mod body_hash;
mod canonical_json;
mod config;
mod cursor;
mod every_request;
mod exchange;
mod expected_route;
mod exposition;
pub mod guard;
mod idempotency;
mod instruments;
mod ledger;
mod lesson;
pub mod logging;
mod metrics_sink;
mod observe;
mod openapi;
mod page;
mod problem;
mod request_body;
mod request_ids;
mod response_end;
mod response_extensions;
mod router;
mod routes;
mod seed_key;
mod serve;
mod service;
mod signals;
mod state;
pub mod telemetry;
#[cfg(test)]
mod testing;
mod traceparent;
mod waits;

pub use accept::{ConnectionBounds, ConnectionFault, ConnectionPosition, HeaderCase, Stopped};
pub use config::{
    ConfigError, DEFAULT_DRAIN_DEADLINE, DEFAULT_LEDGER_CAPACITY, DEFAULT_MAX_JOBS, DEFAULT_PORT,
    MAX_CAPACITY, MAX_DRAIN_DEADLINE, ServiceConfig, ServiceConfigBuilder,
};
pub use exchange::{
    BodyEnd, Exchange, HeaderShape, MAX_RECORDED_BODY, RequestShape, SentBody, SentHeader,
    SentResponse,
};
pub use expected_route::ExpectedRoute;
pub use ledger::Ledger;
pub use metrics_sink::Metrics;
pub use openapi::openapi;
pub use problem::Problem;
pub use response_extensions::{Fault, NextCursor};
pub use router::{router, serves};
pub use service::{RunningApi, StartError, StopError, TeachingApi};
pub use signals::Signals;
pub use state::ServiceState;
