//! One request, as the service saw it.

use std::{borrow::Cow, time::Duration};

use serde::Serialize;

use crate::{FaultLabel, RecordedHeader, RequestId, RetryAfter, ValueHash, nanoseconds};

/// One request, as the service saw it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct WireRequest {
    /// Its position in the order of arrival; the first is 1.
    pub seq: u64,
    /// The number of its connection; none where the service was called as a function.
    pub connection: Option<u64>,
    /// Its position on its connection; the first is 1.
    pub position: Option<u64>,
    /// The version of HTTP that it was sent in.
    pub version: &'static str,
    /// When it arrived: its head was complete and parsed.
    #[serde(rename = "arrived_ns", with = "nanoseconds")]
    pub arrived: Duration,
    /// Its method, or `_OTHER` for one that HTTP does not define.
    pub method: &'static str,
    /// The path of the route that it matched, or `other`.
    pub route: Cow<'static, str>,
    /// Which of several intended calls it belongs to, where the service can tell by its
    /// URL or its body.
    pub call: Option<u64>,
    /// Whether the token that it was to send as a header stood in its URL.
    pub token_in_url: bool,
    /// Whether the target of its redirect, at another origin, got the token.
    pub token_elsewhere: bool,
    /// The cursor it carried, as a hash of the percent-decoded value.
    pub cursor: Option<ValueHash>,
    /// The one idempotency key it carried.
    pub idempotency_key: Option<ValueHash>,
    /// Whether it carried several, so that none of them counts.
    pub has_several_keys: bool,
    /// The bytes of its body; none unless its state is complete.
    pub body: Option<ValueHash>,
    /// How far its body was read before the response.
    pub body_state: BodyState,
    /// Its `Accept`.
    pub accept: Option<RecordedHeader>,
    /// Its `Content-Type`.
    pub content_type: Option<RecordedHeader>,
    /// Whether it carried an `Authorization`, of which nothing else is kept.
    pub authorization: bool,
    /// The status of its response; none if its connection ended before that, or
    /// before the end of its body: then it is not known that the client received a response.
    pub status: Option<u16>,
    /// A moment before the head of the response was written.
    #[serde(rename = "head_ns", with = "nanoseconds")]
    pub head: Option<Duration>,
    /// When the last byte of the response was handed over; none if it never was.
    #[serde(rename = "ended_ns", with = "nanoseconds")]
    pub ended: Option<Duration>,
    /// The Retry-After of the response.
    pub retry_after: Option<RetryAfter>,
    /// The next cursor in the response; none unless it is a page of a listing.
    pub cursor_issued: Option<IssuedCursor>,
    /// The fault that was served on purpose.
    pub fault: Option<FaultLabel>,
    /// The result of the job that it submitted.
    pub job: Option<JobResult>,
    /// How much sooner it came than an earlier response had asked for, as the service
    /// noticed. Claimed only where both requests are known to belong together.
    #[serde(rename = "early_ns", with = "nanoseconds")]
    pub early: Option<Duration>,
    /// The trace that a valid `traceparent` named, in hexadecimal.
    pub trace_id: Option<String>,
    /// The request id of its response.
    pub request_id: RequestId,
}

/// How far the body of a request was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BodyState {
    /// There was none.
    #[default]
    Empty,
    /// It was read to its end.
    Complete,
    /// It broke off, came too late, or could not be read.
    Broken,
    /// Nobody read it to its end.
    Unread,
}

/// The next cursor of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IssuedCursor {
    /// None: the listing ends here.
    Null,
    /// The hash of the cursor.
    Hash(ValueHash),
}

/// The result of a job submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum JobResult {
    /// A new job was created.
    Created,
    /// The job of an earlier submission was named again.
    Replayed,
    /// The idempotency key belongs to another body. No job was created.
    Conflict,
    /// The submission broke another rule. No job was created.
    Rejected,
}
