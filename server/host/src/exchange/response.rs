//! A copy of a response: its head, and the beginning of its body.

use axum::response::Response;
use http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use http::{HeaderMap, HeaderName, StatusCode};
use hyper::body::Body;
use wire::Header;

use super::{body::SentBody, secrets::Secrets};

/// A response, as the service sent it.
#[expect(missing_debug_implementations, reason = "it may hold a secret")]
#[derive(Clone, PartialEq, Eq)]
pub struct SentResponse {
    /// Its status.
    pub status: u16,
    /// Its headers in order, but for `date` and `connection`, which the connection adds.
    /// Bytes that are no UTF-8 are replaced by U+FFFD.
    pub headers: Vec<Header>,
    /// Its body, as far as it was handed over.
    pub body: SentBody,
}

impl SentResponse {
    /// The head of a response that is about to be sent.
    pub(super) fn of(response: &Response, secrets: &Secrets) -> Self {
        let header = |name: &HeaderName, value| Header {
            name: name.as_str().to_owned(),
            value: Some(value),
        };
        let headers = response.headers().iter().map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes());
            header(name, secrets.taken_out_of(&value))
        });
        let length = length(response).map(|length| header(&CONTENT_LENGTH, length.to_string()));
        Self {
            status: response.status().as_u16(),
            headers: headers.chain(length).collect(),
            body: SentBody::default(),
        }
    }
}

/// The `Content-Length` that the connection adds (RFC 9110 §8.6), if it adds one.
fn length(response: &Response) -> Option<u64> {
    let has = |headers: &HeaderMap, name| headers.contains_key(name);
    let is_given = has(response.headers(), CONTENT_LENGTH)
        || has(response.headers(), TRANSFER_ENCODING)
        || [StatusCode::NO_CONTENT, StatusCode::NOT_MODIFIED].contains(&response.status());
    response.body().size_hint().exact().filter(|_| !is_given)
}
