//! The endpoints of the teaching service.

use crate::endpoint::Endpoint;

/// `GET /items`
pub const ITEMS: Endpoint = Endpoint::new("items", "/items");
/// `GET /looping-items`
pub const LOOPING_ITEMS: Endpoint = Endpoint::new("looping_items", "/looping-items");
/// `GET /endless-items`
pub const ENDLESS_ITEMS: Endpoint = Endpoint::new("endless_items", "/endless-items");
/// `GET /bad-items`
pub const BAD_ITEMS: Endpoint = Endpoint::new("bad_items", "/bad-items");
/// `GET /bad-cursor`
pub const BAD_CURSOR: Endpoint = Endpoint::new("bad_cursor", "/bad-cursor");
/// `GET /flaky`
pub const FLAKY: Endpoint = Endpoint::new("flaky", "/flaky");
/// `GET /retry-later`
pub const RETRY_LATER: Endpoint = Endpoint::new("retry_later", "/retry-later");
/// `GET /bad-json`
pub const BAD_JSON: Endpoint = Endpoint::new("bad_json", "/bad-json");
/// `GET /text-json`
pub const TEXT_JSON: Endpoint = Endpoint::new("text_json", "/text-json");
/// `GET /no-content`
pub const NO_CONTENT: Endpoint = Endpoint::new("no_content", "/no-content");
/// `GET /redirect`
pub const REDIRECT: Endpoint = Endpoint::new("redirect", "/redirect");
/// `POST /jobs`
pub const CREATE_JOB: Endpoint = Endpoint::new("create_job", "/jobs");

/// Every endpoint that has a method on
/// [`ReliableApiClient`](super::ReliableApiClient).
pub const ALL: [Endpoint; 12] = [
    ITEMS,
    LOOPING_ITEMS,
    ENDLESS_ITEMS,
    BAD_ITEMS,
    BAD_CURSOR,
    FLAKY,
    RETRY_LATER,
    BAD_JSON,
    TEXT_JSON,
    NO_CONTENT,
    REDIRECT,
    CREATE_JOB,
];
