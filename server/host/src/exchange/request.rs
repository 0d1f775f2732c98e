//! The shape of a request: the names of its headers, and what values are harmless.

use http::header::{
    ACCEPT, ACCEPT_ENCODING, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, EXPECT, TRANSFER_ENCODING,
    USER_AGENT,
};
use http::{HeaderMap, HeaderName, Uri};

use crate::query::only;
use wire::{Header, RecordedHeader};

/// The most headers of a request that are kept, in the order in which they came.
const MAX_HEADERS: usize = 64;

/// The longest name that is kept, in bytes; longer ones are cut there.
const MAX_NAME: usize = 64;

/// The headers whose values carry no secret. Of any other only the name is kept.
pub(super) const HARMLESS: [HeaderName; 8] = [
    ACCEPT,
    ACCEPT_ENCODING,
    CONNECTION,
    CONTENT_LENGTH,
    CONTENT_TYPE,
    EXPECT,
    TRANSFER_ENCODING,
    USER_AGENT,
];

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

impl RequestShape {
    pub(crate) fn of(uri: &Uri, headers: &HeaderMap) -> Self {
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
