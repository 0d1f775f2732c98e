//! One request, as the service saw it.

use std::borrow::Cow;
use std::time::{Duration, SystemTime};

use http::Version;

use crate::recorded_header::RecordedHeader;
use crate::request_id::RequestId;
use crate::response_extensions::JobResult;
use crate::retry_after::RetryAfter;
use crate::seed_key::KeyedHash;

/// One request, as the service saw it.
///
/// Moments are counted from the start of the service, on its clock.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LedgerEntry {
    /// Its number in the order of arrival; the first is 1.
    pub seq: u64,
    /// The number of its connection; none if the router was called as a function.
    pub connection: Option<u64>,
    /// Its position on its connection; the first is 1. Requests that stand in no ledger
    /// have a position, too, so that there may be gaps.
    pub position: Option<u64>,
    /// The version of HTTP that it was sent in.
    pub version: Version,
    /// When it arrived: its head was complete and parsed.
    pub arrived: Duration,
    /// Its method, or `_OTHER` for one that HTTP does not define.
    pub method: &'static str,
    /// The path of the route that it matched, or `other`.
    pub route: Cow<'static, str>,
    /// The hash of the cursor it carried, percent-decoded.
    pub cursor: Option<KeyedHash>,
    /// The hash of the idempotency key it carried.
    pub idempotency_key: Option<KeyedHash>,
    /// The hash of its body; none unless [`body_state`](Self::body_state) is complete.
    pub body: Option<KeyedHash>,
    /// How far its body was read before the response.
    pub body_state: BodyState,
    /// Its `Accept`.
    pub accept: Option<RecordedHeader>,
    /// Its `Content-Type`.
    pub content_type: Option<RecordedHeader>,
    /// Whether it carried an `Authorization`, of which nothing else is kept.
    pub authorization: bool,
    /// The status of the response. None, as all that follows from a response, if the
    /// connection ended before there was one, or before the end of the request's body,
    /// or if a [fault of the connection](crate::accept::ConnectionFault) took its position:
    /// then nobody is known to have received a response.
    pub status: Option<u16>,
    /// A moment before the head of the response was written. A wait counts from here,
    /// which is always in the client's favour.
    pub head: Option<Duration>,
    /// The wall clock at the moment of [`head`](Self::head): a Retry-After date is
    /// judged by it.
    pub head_wall: Option<SystemTime>,
    /// When the last byte of the response was handed over to the connection; none if it
    /// was not, or not yet.
    pub ended: Option<Duration>,
    /// The Retry-After of the response.
    pub retry_after: Option<RetryAfter>,
    /// What the response gave as the next cursor; none if it is no page of a listing.
    pub cursor_issued: Option<IssuedCursor>,
    /// The fault that was served on purpose.
    pub fault: Option<&'static str>,
    /// What became of the job that it submitted.
    pub job: Option<JobResult>,
    /// How much sooner it came than an earlier response had asked for. Claimed only
    /// where both requests are known to belong together: the same route, and the same
    /// trace or the same idempotency key, or neither where the service is configured for
    /// [one caller](crate::ServiceConfigBuilder::one_caller).
    pub early: Option<Duration>,
    /// The trace that a valid `traceparent` named, in hexadecimal.
    pub trace_id: Option<String>,
    /// The request id of the response.
    pub request_id: RequestId,
}

/// How far the body of a request was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BodyState {
    /// There was none.
    #[default]
    Empty,
    /// It was read to its end.
    Complete,
    /// It broke off, came too late, or its chunks could not be read.
    Broken,
    /// Nobody read it to its end.
    Unread,
}

/// The `next_cursor` of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IssuedCursor {
    /// It was `null`: the listing ends here.
    Null,
    /// The hash of the cursor. It equals that of a request which carries the cursor.
    Hash(KeyedHash),
}
