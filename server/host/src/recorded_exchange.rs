//! Recorded exchanges: what the service itself sent, and the shape of what it received.
//!
//! A browser's network panel shows a request as it went over the wire. This shows as much
//! of it as can be shown without a secret: the response whole, since it is teaching
//! material and no route sends back what it received, but for the cursor in it; of the
//! request the names of its headers, and the values of a closed list of them. The hashes
//! of the [ledger](crate::Ledger) tell which values are the same.
//!
//! It is off unless a service is started so ([`ServiceConfig::record_exchanges`]), and then
//! kept beside the ledger and bounded like it. None of it goes to `tracing` or to metrics,
//! and no `Debug` prints it.
//!
//! [`ServiceConfig::record_exchanges`]: crate::ServiceConfig::record_exchanges

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::header::{
    ACCEPT, ACCEPT_ENCODING, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, EXPECT, TRANSFER_ENCODING,
    USER_AGENT,
};
use http::{HeaderMap, HeaderName, Method, StatusCode, Uri};
use hyper::body::Body as _;
use wire::{Header, RecordedHeader, Secret};

use crate::ledger::Ledger;
use crate::observation::{NextCursor, is_bodiless};
use crate::query::only;
use crate::state::HostState;
use crate::watched_body::{Watch, watched};

/// How much of a body is kept, in bytes.
pub const MAX_RECORDED_BODY: usize = 1024;

/// The most headers of a request that are kept, in the order in which they came.
const MAX_HEADERS: usize = 64;

/// The longest name that is kept, in bytes; longer ones are cut there.
const MAX_NAME: usize = 64;

/// The headers whose values carry no secret. Of any other only the name is kept.
const HARMLESS: [HeaderName; 8] = [
    ACCEPT,
    ACCEPT_ENCODING,
    CONNECTION,
    CONTENT_LENGTH,
    CONTENT_TYPE,
    EXPECT,
    TRANSFER_ENCODING,
    USER_AGENT,
];

/// One request and its response, as far as both can be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedExchange {
    /// The number of the request in the ledger.
    pub seq: u64,
    /// The shape of what was received.
    pub request: Secret<RequestShape>,
    /// The response; none if there was none, or a
    /// [fault of the connection](crate::ConnectionFault) took its position.
    pub response: Option<Secret<SentResponse>>,
}

/// The headers of a request, without what may be a secret.
#[expect(missing_debug_implementations, reason = "it may hold a secret")]
#[derive(Clone, Default, PartialEq, Eq)]
pub struct RequestShape {
    /// Its headers in the order in which they came, several lines of one name as one. Those
    /// that may carry a secret have no value.
    pub headers: Vec<Header>,
    /// The query parameter `limit`, if it came once and is a number of at most
    /// three digits. No other parameter is kept.
    pub limit: Option<u16>,
}

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

/// The body of a response, as it was handed over to the connection.
#[expect(missing_debug_implementations, reason = "it may hold a secret")]
#[derive(Clone, Default, PartialEq, Eq)]
pub struct SentBody {
    /// Its first [`MAX_RECORDED_BODY`] bytes without its [cursor](NextCursor); bytes that
    /// are no UTF-8 are replaced by U+FFFD.
    pub text: String,
    /// Where in the text the cursor stood, in bytes.
    pub cursor: Option<usize>,
    /// How many bytes were handed over.
    pub length: u64,
    /// Whether it was handed over to its end: neither it nor its connection broke off.
    pub is_whole: bool,
}

/// Marks a response whose request has this number in the ledger.
#[derive(Clone, Copy)]
pub(crate) struct Recorded(pub(crate) u64);

/// Leaves the shape of a request for the layer that numbers it, and copies the response
/// that comes back with a number. It is the outermost layer, so that it sees every header
/// and none that other layers add to a request.
pub(crate) async fn keep(
    State(state): State<HostState>,
    mut request: Request,
    next: Next,
) -> Response {
    let is_head = request.method() == Method::HEAD;
    let shape = RequestShape::of(request.uri(), request.headers());
    request.extensions_mut().insert(shape);
    let response = next.run(request).await;
    let Some(&Recorded(seq)) = response.extensions().get() else {
        return response;
    };
    let ledger = state.ledger.clone();
    if let Some(kept) = ledger.lock().response(seq) {
        *kept = Some(Secret(SentResponse::head_of(&response)));
    }
    let next_cursor = response.extensions().get();
    let copy = CopiedBody {
        seq,
        ledger,
        cursor: next_cursor.and_then(|NextCursor(cursor)| cursor.clone()),
        kept: Vec::new(),
        length: 0,
        is_bodiless: is_bodiless(is_head, response.status()),
    };
    response.map(|body| watched(body, copy))
}

impl RequestShape {
    fn of(uri: &Uri, headers: &HeaderMap) -> Self {
        let shape = |name: &HeaderName| {
            let is_harmless = HARMLESS.contains(name);
            let value = RecordedHeader::of(headers, name).filter(|_| is_harmless);
            Header {
                name: name.as_str().chars().take(MAX_NAME).collect(),
                value: value.and_then(|value| value.value().map(str::to_owned)),
            }
        };
        Self {
            headers: headers.keys().take(MAX_HEADERS).map(shape).collect(),
            limit: limit(uri),
        }
    }
}

fn limit(uri: &Uri) -> Option<u16> {
    let text = only(uri, "limit").ok()??;
    let is_harmless = text.len() <= 3 && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_harmless)
}

impl SentResponse {
    /// A response that is about to be sent, without its body.
    fn head_of(response: &Response) -> Self {
        let header = |name: &HeaderName, value| Header {
            name: name.as_str().to_owned(),
            value: Some(value),
        };
        let headers = response.headers().iter().map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes());
            header(name, value.into_owned())
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
    let has = |name| response.headers().contains_key(name);
    let is_given = has(CONTENT_LENGTH)
        || has(TRANSFER_ENCODING)
        || [StatusCode::NO_CONTENT, StatusCode::NOT_MODIFIED].contains(&response.status());
    response.body().size_hint().exact().filter(|_| !is_given)
}

impl SentBody {
    /// Whether more was handed over than the text holds.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.length > MAX_RECORDED_BODY as u64
    }
}

/// The copy of a body, which is entered when the body is dropped.
struct CopiedBody {
    /// The number of the request.
    seq: u64,
    ledger: Ledger,
    /// The cursor that the body issues: a client sends it back, and then it is a secret.
    cursor: Option<String>,
    kept: Vec<u8>,
    length: u64,
    /// Whether it is sent without a body: then it has ended before it began.
    is_bodiless: bool,
}

impl Watch for CopiedBody {
    fn data(&mut self, data: &[u8]) {
        self.length += data.len() as u64;
        // Enough for a cursor that begins in what is kept to be found as a whole.
        let most = MAX_RECORDED_BODY + self.cursor.as_ref().map_or(0, String::len);
        let room = most.saturating_sub(self.kept.len());
        self.kept
            .extend_from_slice(data.get(..room).unwrap_or(data));
    }

    fn dropped(&mut self, is_whole: bool) {
        let text = String::from_utf8_lossy(&self.kept);
        let cursor = self.cursor.as_deref().filter(|cursor| !cursor.is_empty());
        let (mut text, cursor) = match cursor.and_then(|cursor| text.split_once(cursor)) {
            Some((before, after)) => ([before, after].concat(), Some(before.len())),
            None => (text.into_owned(), None),
        };
        let most = MAX_RECORDED_BODY.min(text.len());
        let whole = (0..=most).rev().find(|&at| text.is_char_boundary(at));
        text.truncate(whole.unwrap_or(0));
        let body = SentBody {
            cursor: cursor.filter(|at| *at <= text.len()),
            text,
            length: self.length,
            is_whole: self.is_bodiless || is_whole,
        };
        if let Some(Some(response)) = self.ledger.lock().response(self.seq) {
            response.0.body = body;
        }
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, Uri};

    use super::RequestShape;

    #[test]
    fn only_a_short_number_is_kept_of_the_query() {
        for (uri, limit) in [
            ("/items?limit=50", Some(50)),
            ("/items?limit=50&cursor=secret", Some(50)),
            ("/items?limit=5000", None),
            ("/items?limit=ab", None),
            ("/items?limit=+1", None),
            ("/items?limit=1&limit=2", None),
            ("/items?cursor=50", None),
            ("/items", None),
        ] {
            let shape = RequestShape::of(&Uri::from_static(uri), &HeaderMap::new());

            assert_eq!(shape.limit, limit, "{uri}");
        }
    }
}
