//! A reference client for HTTP APIs that fail, and the retry layer it stands on.
//!
//! # The retry story
//!
//! A request goes out. What comes back, a response or a failure, is reduced to
//! facts, and [`decide`] says what follows. It is a pure function, and nothing
//! else decides. The body of a success is read completely before. Any other
//! response is judged by its head alone, even if its body breaks off:
//!
//! 1. A result that no retry could mend is delivered: every success, every 3xx,
//!    and every 4xx but 429.
//! 2. A failed TLS handshake stops at once.
//! 3. A request that must not be repeated stops at once. GET, HEAD, PUT and
//!    DELETE may be repeated; a POST only with a [`RepeatPermission`], which
//!    [`create_job`](ReliableApiClient::create_job) alone gives. An
//!    `Idempotency-Key` header gives none.
//! 4. A valid `Retry-After` above the budget stops at once and is handed to the
//!    caller; within it, it is waited for in full. It is never shortened.
//! 5. Otherwise the wait is an exponential backoff with full jitter, and the
//!    call stops when its attempts, its deadline or the retry budget shared by
//!    all clones are used up.
//!
//! ```
//! # use std::{sync::Arc, time::SystemTime};
//! use reliable_api_client::{ReliableApiClient, VirtualClock};
//! use wiremock::{Mock, MockServer, ResponseTemplate, matchers::path};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A service that fails twice and then succeeds.
//! let service = MockServer::start().await;
//! let response = ResponseTemplate::new(200).set_body_json(serde_json::json!({"attempt": 3}));
//! Mock::given(path("/flaky"))
//!     .respond_with(ResponseTemplate::new(503))
//!     .up_to_n_times(2)
//!     .mount(&service)
//!     .await;
//! Mock::given(path("/flaky")).respond_with(response).mount(&service).await;
//!
//! // Leave the clock out, and the waits are real.
//! let clock = VirtualClock::starting_at(SystemTime::now());
//! let client = ReliableApiClient::builder(&service.uri())
//!     .max_attempts(3)
//!     .clock(Arc::new(clock.clone()))
//!     .build()?;
//!
//! assert_eq!(client.flaky().await?.attempt, 3);
//! assert_eq!(clock.sleeps().len(), 2);
//! # Ok(())
//! # }
//! ```
//!
//! # What goes wrong, and what a caller can do
//!
//! | class | when | what to do |
//! |---|---|---|
//! | [`ApiError::Http`] | the response is not a 2xx | branch on the status, then on `code`; `stopped` says which retry rule ended it, `retry_after` when to call again |
//! | [`ApiError::Response`] | a success that is not JSON, or not of the shape that the endpoint promises | tell the owner of the service; it is never retried |
//! | [`ApiError::Contract`] | a listing repeats a cursor, names one that no URL can carry, or exceeds `max_pages` or `max_items` | do not take what was read for the whole |
//! | [`ApiError::Transport`] | no complete response: a timeout, no connection, TLS, a connection lost | after a change, find out whether it took effect |
//! | [`ApiError::Config`] | the client cannot be built | correct the setting that is named |
//!
//! # What comes back
//!
//! An item of a listing, and the object that [`get`](ReliableApiClient::get)
//! reads, is a [`RawObject`]: the JSON text as it came, checked and not taken
//! apart. The caller's own type decides how its numbers and members are read.
//!
//! # The layer on its own
//!
//! [`RetryMiddleware`] goes onto any `reqwest_middleware` stack, with endpoints
//! of your own. It stands on the seams of `reqwest-retry` (a
//! [`RetryPolicy`](reqwest_retry::RetryPolicy) offers a wait, a
//! [`RetryableStrategy`](reqwest_retry::RetryableStrategy) classifies), and does
//! what that crate leaves out: it knows methods, `Retry-After`, deadlines that
//! count the waits, and bodies that break off. [`from_reqwest_retry`] shows
//! how to move from that crate to this one.
//!
//! The example `own_endpoint` does this, with a POST that may be repeated and
//! one that may not: `cargo run -p client --example own_endpoint`. Of the other
//! two, `crawl` is interrupted and goes on from its checkpoint, and `progress`
//! shows on a terminal how far a long listing has come.
//!
//! # What may be seen
//!
//! [`telemetry`] lists every span, metric and label there is. No credential,
//! cursor, key, query, body or URL is among them, nor in the `Debug` or
//! `Display` of any type here.
//!
//! # What is left out
//!
//! Redirects are not followed, netrc files are not read, and nothing here knows
//! a service's quota: a 429 halves the concurrency of all clones, and only
//! standard headers are read.

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

mod api_client;
mod api_response;
mod base_url;
mod builder;
mod endpoint;
mod error;
mod foreign_response;
pub mod from_reqwest_retry;
mod idempotency_key;
mod media_type;
mod pagination;
mod positive;
mod random;
mod raw_object;
mod request;
mod response_checks;
mod retry;
mod session;
mod standalone;
mod target;
pub mod teaching;
pub mod telemetry;
mod time;
mod timeouts;
mod tls;
mod transport;

pub use api_client::ApiClient;
pub use builder::Builder;
pub use endpoint::Endpoint;
pub use error::{
    ApiError, ApiHttpError, ApiResponseError, ApiTransportError, ConfigError, ContractError,
    JsonType, NotPositive, RequestName, ResponseProblem,
};
pub use foreign_response::check;
pub use idempotency_key::{IdempotencyKey, InvalidIdempotencyKey};
pub use pagination::{
    Checkpoint, CheckpointError, CheckpointStore, Crawl, CrawlError, Cursor, EmptyCursor,
    FileCheckpoints, Items, Listing, ListingId, ListingLimits, MemoryCheckpoints, Page, Pages,
    Position, UncommittedPage,
};
pub use positive::{positive_from_json, positive_from_text};
pub use random::{Random, SeededRandom, SystemRandom};
pub use raw_object::{JsonObject, RawObject, RawObjectError};
pub use retry::{
    Backoff, CallSettings, CallState, Classifier, ConcurrencyLimit, Decision, Eligibility,
    FINAL_STATUSES, Facts, Failure, FailureKind, IncompleteBody, Limits, NoWait, RETRY_STATUSES,
    RepeatPermission, RetryAfter, RetryBudget, RetryMiddleware, RetryReason, RetryReport,
    StopReason, Verdict, WaitSource, decide, may_repeat,
};
pub use session::without_hidden_requests;
pub use target::Target;
pub use time::{Clock, Hold, Sleep, SystemClock, VirtualClock};
pub use timeouts::Timeouts;
pub use tls::install_tls_provider;
