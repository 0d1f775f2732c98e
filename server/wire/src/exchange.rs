//! A recorded exchange: a request and its response as a browser's network panel shows
//! them, but for what may be a secret.

use serde::Serialize;

use crate::Secret;

/// One request and its response.
///
/// Of the request it has the shape alone: no query, a value only for headers that carry
/// no secret, and names such as "cursor A" for what must not be kept. The response is the
/// lab's own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Exchange {
    /// The position of the request in the order of arrival.
    pub seq: u64,
    /// The request.
    pub request: Secret<Message>,
    /// The response; null if there was no response.
    pub response: Option<Secret<Message>>,
    /// A shell command that sends such a request to the service of `lab serve`, with a
    /// variable instead of each value that was not kept; null if that service has
    /// no such route.
    pub curl: Option<String>,
}

/// A request or a response.
#[expect(missing_debug_implementations, reason = "it may hold a secret")]
#[derive(Clone, Default, PartialEq, Eq, Serialize)]
pub struct Message {
    /// Its first line, such as `GET /items HTTP/1.1` or `HTTP/1.1 200 OK`.
    pub start: String,
    /// Its headers in order.
    pub headers: Vec<Header>,
    /// Its body: of a request the name of it, of a response the beginning of it; null
    /// if it has none.
    pub body: Option<String>,
    /// Remarks about it.
    pub remark: Option<String>,
}

/// A header of a request or a response.
#[expect(missing_debug_implementations, reason = "it may hold a secret")]
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct Header {
    /// Its name in lower case.
    pub name: String,
    /// Its value, or the name of it; null if it was not kept.
    pub value: Option<String>,
}

impl Message {
    /// The value of a header, by its name in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        headers.find(|header| header.name == name)?.value.as_deref()
    }
}

impl Header {
    /// The text in place of a value that was not kept.
    pub const NOT_KEPT: &str = "(value not recorded)";

    /// Its value, its name, or that it was not kept.
    #[must_use]
    pub fn shown(&self) -> &str {
        self.value.as_deref().unwrap_or(Self::NOT_KEPT)
    }
}
