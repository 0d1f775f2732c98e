//! The values of a request that must not be kept, for as long as its response is copied: should
//! a route send any of it back, the copy is without it.

use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::Query;
use axum::extract::Request;
use http::Uri;
use http::header::HOST;
use hyper::body::Body as _;

use super::request::HARMLESS;
use crate::request_body::MAX_BODY;
use crate::watched_body::{Watch, watched};
use wire::Header;

/// The shortest value that is looked for, in bytes: a shorter one is part of many words.
const SHORTEST: usize = 4;

/// The most bytes that JSON writes for one: `\u0000`.
const LONGEST_ESCAPE: usize = 6;

/// The values that one request carried. Clones share its body.
#[derive(Clone)]
pub(super) struct Secrets {
    values: Vec<String>,
    body: Arc<Mutex<Vec<u8>>>,
}

impl Secrets {
    /// Those of a request, whose body is noted while it is read.
    pub(super) fn of(request: Request) -> (Self, Request) {
        let headers = request.headers().iter();
        // A response may repeat the address of the service.
        let withheld = headers.filter(|(name, _)| !HARMLESS.contains(name) && *name != HOST);
        let mut values: Vec<_> = withheld
            .flat_map(|(_, value)| {
                let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
                // A credential stands behind the name of its scheme (RFC 9110 §11.4).
                let credential = value.split_once(' ').map(|(_, it)| it.to_owned());
                [Some(value), credential].into_iter().flatten()
            })
            .chain(query(request.uri()))
            .collect();
        // A part must not be taken out of the whole first.
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        let body = Arc::<Mutex<Vec<u8>>>::default();
        let noted = Arc::clone(&body);
        let request = request.map(|body| {
            if body.is_end_stream() {
                body
            } else {
                watched(body, NotedBody(noted))
            }
        });
        (Self { values, body }, request)
    }

    /// How much of a response must be at hand beyond what is kept, so that none of them
    /// is cut in two: as many bytes as the longest has, however JSON writes it.
    pub(super) fn reach(&self) -> usize {
        let body = self.body.lock().unwrap_or_else(PoisonError::into_inner);
        let values = self.values.iter().map(String::len).chain([body.len()]);
        values.max().unwrap_or(0) * LONGEST_ESCAPE
    }

    /// A text of the response without them, also as JSON would write them.
    pub(super) fn taken_out_of(&self, text: &str) -> String {
        let body = self.body.lock().unwrap_or_else(PoisonError::into_inner);
        let body = String::from_utf8_lossy(&body);
        let values = self.values.iter().map(String::as_str).chain([&*body]);
        let values = values.filter(|value| value.len() >= SHORTEST);
        values.fold(text.to_owned(), |text, value| {
            let escaped = serde_json::Value::from(value).to_string();
            // Its own quotation marks may stand at its ends as well.
            let escaped = escaped
                .strip_prefix('"')
                .and_then(|escaped| escaped.strip_suffix('"'));
            text.replace(value, Header::NOT_KEPT)
                .replace(escaped.unwrap_or(value), Header::NOT_KEPT)
        })
    }
}

/// The values of a query, as they came and as they were meant.
fn query(uri: &Uri) -> Vec<String> {
    let raw = uri.query().unwrap_or_default();
    let raw = raw
        .split('&')
        .map(|pair| pair.split_once('=').map_or(pair, |split| split.1));
    let decoded = Query::<Vec<(String, String)>>::try_from_uri(uri);
    let decoded = decoded.map(|Query(pairs)| pairs).unwrap_or_default();
    raw.map(str::to_owned)
        .chain(decoded.into_iter().map(|(_, value)| value))
        .collect()
}

/// The body of a request, as far as it was read.
struct NotedBody(Arc<Mutex<Vec<u8>>>);

impl Watch for NotedBody {
    fn data(&mut self, data: &[u8]) {
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let room = MAX_BODY.saturating_sub(noted.len());
        noted.extend_from_slice(data.get(..room).unwrap_or(data));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_goes_as_it_is_and_as_json_writes_it() {
        let secrets = Secrets {
            values: vec![r#"say "hi""#.to_owned()],
            body: Arc::default(),
        };

        for (sent, kept) in [
            (r#"say "hi"!"#, "(value not recorded)!"),
            (r#"{"a":"say \"hi\""}"#, r#"{"a":"(value not recorded)"}"#),
        ] {
            assert_eq!(secrets.taken_out_of(sent), kept);
        }
    }

    proptest! {
        /// The text in its position has parentheses, which no secret has here.
        #[test]
        fn no_secret_stays_however_json_writes_it(
            secret in "[^()]{4,12}", before in "[^()]{0,3}", after in "[^()]{0,3}",
        ) {
            let secrets = Secrets { values: vec![secret.clone()], body: Arc::default() };
            let echo = format!("{before}{secret}{after}");

            for text in [json!({ "echo": echo }).to_string(), echo] {
                let kept = secrets.taken_out_of(&text);

                prop_assert!(kept.contains(Header::NOT_KEPT), "{}", kept);
                prop_assert!(!kept.contains(&secret), "{}", kept);
            }
        }
    }
}
