#![doc = include_str!("../README.md")]
//!
//! # Map of the crate
//!
//! - Calls: [`ApiClient`] and its [`Builder`]; [`Endpoint`] and [`Target`];
//!   [`RequestBuilder`] and [`ApiResponse`]; [`IdempotencyKey`].
//! - Listings: [`Listing`], read as [`Pages`], as [`Items`] (each a [`RawObject`]), or as a
//!   [`Crawl`] with a [`CheckpointStore`].
//! - Errors: [`ApiError`] has one variant for each class of error.
//! - The layer: [`RetryMiddleware`] with a [`Backoff`], a [`RetryBudget`] and a
//!   [`ConcurrencyLimit`]. One pure function, in `retry/decision.rs`, decides.
//! - Telemetry: [`telemetry`] lists every event, span, metric and label.
//! - The client of the teaching service: [`teaching`].
//!
//! # How a call runs
//!
//! | file | work | decision |
//! |---|---|---|
//! | `api_client.rs`, `target.rs` | start a call with a method and a target | |
//! | `request.rs` | builds the request, and hands it to the stack | |
//! | `retry/middleware.rs` | runs one loop for each attempt | |
//! | `retry/concurrency.rs` | | when an attempt has its turn |
//! | `retry/attempt.rs` | sends the request through `session.rs`, reads the response | whether a response is complete |
//! | `retry/decision.rs` | | whether to retry, and after which wait |
//! | `retry/retry_after.rs` | | how long the server asks to wait |
//! | `retry/backoff.rs` | offers a wait of the client's own | |
//! | `retry/budget.rs` | | whether the clones together may retry |
//! | `response_checks.rs` | | whether a response is what its endpoint promises |
//! | `api_response.rs`, `error/` | the result: a response or an error | |
//!
//! `cargo run --example own_endpoint` and `cargo run --example crawl` run the examples.

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
mod builder;
mod clock;
mod endpoint;
mod error;
mod idempotency_key;
mod pagination;
mod random;
mod raw_object;
mod request;
mod response_checks;
mod retry;
mod session;
mod target;
pub mod teaching;
pub mod telemetry;
mod timeouts;

pub use api_client::ApiClient;
pub use api_response::ApiResponse;
pub use builder::Builder;
pub use clock::{Clock, Hold, Sleep, SystemClock, VirtualClock};
pub use endpoint::Endpoint;
pub use error::{
    ApiError, ApiHttpError, ApiResponseError, ApiTransportError, ConfigError, ContractError,
    Failure, FailureKind, JsonType, RequestName, ResponseProblem, StopReason,
};
pub use idempotency_key::{IdempotencyKey, InvalidIdempotencyKey};
pub use pagination::FileCheckpoints;
pub use pagination::{
    Checkpoint, CheckpointError, CheckpointStore, Crawl, CrawlError, CrawlStart, Cursor,
    EmptyCursor, FinishedCrawl, Items, Listing, ListingId, ListingLimits, MemoryCheckpoints, Page,
    Pages, Position, UncommittedPage,
};
pub use random::{Random, SeededRandom, SystemRandom};
pub use raw_object::{JsonObject, RawObject};
pub use request::RequestBuilder;
pub use retry::{
    Backoff, ConcurrencyLimit, FINAL_STATUSES, IncompleteBody, NoWait, RETRY_STATUSES,
    RepeatPermission, RetryAfter, RetryBudget, RetryMiddleware, RetryReport,
};
pub use session::{install_tls_provider, without_hidden_requests};
pub use target::Target;
pub use timeouts::Timeouts;
