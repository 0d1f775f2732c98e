//! The wire record: what a host saw of requests and connections, and what a judge reads.
//!
//! The host fills a [`WireRecord`], and the judge reads the same types, so that nothing
//! stands between the two. A client cannot influence it: nothing in it is a client's own
//! word. Of cursors, keys and bodies it holds a [`ValueHash`], never the value.
//!
//! Beside the types stand pure functions that host, service and judge share: how to read a
//! Retry-After, a media type, a status, and which requests came too early. A crate that depends
//! on this one gets no socket and no runtime; of time only [`Clock`] and [`SystemClock`].

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

/// The generator of all random values that a seed decides. `rand`'s `StdRng` may change
/// between releases.
pub const GENERATOR: &str = "chacha12";

mod clock;
mod connection;
mod counted;
mod duration;
mod exchange;
mod fault;
pub mod header_lines;
mod ids;
pub mod media_type;
pub mod nanoseconds;
mod nearest;
mod process;
mod quoted;
mod record;
mod recorded_header;
mod request;
mod retry_after;
mod secret;
pub mod status;
mod ties;

pub use clock::{Clock, SystemClock};
pub use connection::{ClosedBy, ConnectionEnd, WireConnection};
pub use counted::counted;
pub use duration::{duration, duration_left};
pub use exchange::{Exchange, Header, Message};
pub use fault::FaultLabel;
pub use ids::{RequestId, ValueHash};
pub use nearest::{UnknownName, nearest};
pub use process::{LINGER, ProcessRecord, Stopped};
pub use quoted::{quoted, quoted_for};
pub use record::{RouteTotals, TimerDelay, WireRecord, WireRefusal};
pub use recorded_header::{MAX_RECORDED_HEADER, RecordedHeader};
pub use request::{BodyState, IssuedCursor, JobResult, WireRequest};
pub use retry_after::{RetryAfter, RetryAfterForm, UnusableValue};
pub use secret::Secret;
pub use ties::{ResponseHead, Tie, Waits};
