//! The labels of faults, by which a service and the judge mean the same response.

use serde::Serialize;

/// Marks a response as a fault on purpose, in its extensions and in the record.
///
/// The service counts the fault, enters it in the ledger and names it in the request's
/// span. The label must come from a closed set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct FaultLabel(pub &'static str);

/// The faults of the teaching service and of the host, and those that a rule is about.
impl FaultLabel {
    /// A failure that goes away.
    pub const FLAKY: Self = Self("flaky");
    /// A failure that asks for a long wait.
    pub const RETRY_LATER: Self = Self("retry_later");
    /// A page of a listing that goes round in a circle.
    pub const LOOPING_ITEMS: Self = Self("looping_items");
    /// A success without a body.
    pub const NO_CONTENT: Self = Self("no_content");
    /// A redirect.
    pub const REDIRECT: Self = Self("redirect");
    /// A request that is handled and gets no byte of its response.
    pub const LOST_RESPONSE: Self = Self("lost_response");
    /// A body whose connection breaks in the middle.
    pub const CUT_BODY: Self = Self("cut_body");
    /// A body that is not JSON, with the media type of JSON.
    pub const INVALID_JSON: Self = Self("bad_json");
    /// JSON with another media type.
    pub const JSON_AS_TEXT: Self = Self("text_json");
    /// A page with an element that is not an item.
    pub const INVALID_ITEMS: Self = Self("bad_items");
    /// A page whose cursor is not a string.
    pub const INVALID_CURSOR: Self = Self("bad_cursor");
    /// A page of a listing without an end.
    pub const ENDLESS_ITEMS: Self = Self("endless_items");
    /// A connection on which nothing comes.
    pub const SILENCE: Self = Self("silence");
    /// A 503 that may go away.
    pub const UNAVAILABLE: Self = Self("unavailable");
    /// A 502 that may go away.
    pub const BAD_GATEWAY: Self = Self("bad_gateway");
    /// A 429: there are more requests than the service has room for.
    pub const TOO_MANY_REQUESTS: Self = Self("too_many_requests");
    /// A body that is larger than a client should accept.
    pub const OVERSIZED_BODY: Self = Self("oversized_body");
    /// A body that comes byte by byte, without an end.
    pub const DRIP: Self = Self("drip");
}
