//! The teaching API: a local HTTP service with faults on purpose.
//!
//! Real services fail in ways that a client's author rarely gets to see on a quiet
//! afternoon. This one shows them at will: a failure that goes away, a wait that is
//! longer than anybody's patience, invalid JSON, lists that never end. Each is one
//! lesson, and each lesson is one file in `lessons/`.
//!
//! | Method and path | Response | Lesson |
//! |---|---|---|
//! | GET `/items` | three records on two pages | walk a list by its cursors |
//! | GET `/looping-items` | cursors A → B → A → … | remember every cursor, not the last one |
//! | GET `/endless-items` | always another cursor | cap pages and items |
//! | GET `/bad-items` | an element that is not an object | check the shape behind a 200 |
//! | GET `/bad-cursor` | a cursor that is a number | check the cursor's type |
//! | GET `/flaky` | 503, 503, then success for good | retry, with a wait of one's own |
//! | GET `/retry-later` | 503, `Retry-After: 120` | never call early; hand a long wait on |
//! | GET `/bad-json` | JSON that breaks off | a media type proves nothing about a body |
//! | GET `/text-json` | a page called `text/plain` | the media type comes before the body |
//! | GET `/no-content` | 204 | success may have no body |
//! | GET `/redirect` | 302 to `/items` | a redirect is a response, not an order |
//! | POST `/jobs` | 201, and the same again for a replay | an idempotency key makes a POST repeatable |
//! | GET `/metrics` | Prometheus text | what the service counted |
//!
//! HEAD works wherever GET does. Any other path is a 404 and any other method a 405
//! with `Allow`; every error is a [`Problem`](host::Problem).
//!
//! ```
//! use host::ServiceConfig;
//! use server::TeachingApi;
//!
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! let service = TeachingApi::start(ServiceConfig::default())?;
//!
//! // … let a client loose on `service.base_url()` …
//!
//! service.stop().await?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The [`host`] serves the lessons, and records what came over the wire. A lesson declares
//! the responses that are counted and names its fault; it writes to no record and no metric,
//! it knows no client, and no state outlives the process.
//! To serve more routes beside them, add these to [`lessons`] with
//! [`Routes::and`](host::Routes::and).

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

mod cursor;
mod idempotency;
mod job_body;
mod lesson;
mod lessons;
mod page;
mod problem;
mod state;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use host::{Host, RunningService, ServiceConfig, StartError};

pub use lessons::{lessons, serves};

/// The default port of the program.
pub const DEFAULT_PORT: u16 = 8765;

/// The teaching API. It has no state of its own: see [`RunningService`].
#[derive(Debug)]
pub struct TeachingApi;

impl TeachingApi {
    /// Starts a host that serves the lessons.
    ///
    /// # Errors
    ///
    /// [`StartError`], and nothing is left open.
    pub fn start(config: ServiceConfig) -> Result<RunningService, StartError> {
        let lessons = lessons(config.seed);
        Host::start(config, lessons)
    }
}
