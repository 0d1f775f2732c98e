//! The responses of a wiremock server, and the order in which it gives them.

use std::io;

use serde_json::{Value, json};
use wiremock::{Mock, MockServer, Request, ResponseTemplate, matchers::any};

use super::cursor;

/// The responses to all requests of a test.
pub struct Script(Vec<Mock>);

impl Script {
    /// One response after the other. A request too many gets a 404, and tests
    /// count the requests.
    pub fn of(replies: impl IntoIterator<Item = ResponseTemplate>) -> Self {
        let once = |reply| Mock::given(any()).respond_with(reply).up_to_n_times(1);
        Self(replies.into_iter().map(once).collect())
    }

    /// The same, and then this response to every later request.
    pub fn and_then_always(mut self, reply: ResponseTemplate) -> Self {
        self.0.extend(Self::always(reply).0);
        self
    }

    /// The same response to every request.
    pub fn always(reply: ResponseTemplate) -> Self {
        Self(vec![Mock::given(any()).respond_with(reply)])
    }

    /// The response that `respond` makes of a request.
    pub fn by(respond: impl Fn(&Request) -> ResponseTemplate + Send + Sync + 'static) -> Self {
        Self(vec![Mock::given(any()).respond_with(respond)])
    }

    /// Pages of this many items and a cursor never seen before, for ever.
    pub fn endless(items: u64) -> Self {
        Self::by(move |request| {
            let number = cursor(request).map_or(0, |cursor| cursor.parse().expect("ours"));
            let next: u64 = number + 1;
            page(number * items..next * items, Some(&next.to_string()))
        })
    }

    /// No response: the server reads each request and closes the connection.
    pub fn lost() -> Self {
        let closed = |_: &Request| io::Error::from(io::ErrorKind::ConnectionReset);
        Self(vec![Mock::given(any()).respond_with_err(closed)])
    }

    pub(crate) async fn mount(self, server: &MockServer) {
        for mock in self.0 {
            server.register(mock).await;
        }
    }
}

impl std::fmt::Debug for Script {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Script").field(&self.0.len()).finish()
    }
}

/// A response without a body.
pub fn status(code: u16) -> ResponseTemplate {
    ResponseTemplate::new(code)
}

/// A response without a body that asks for a wait.
pub fn retry_after(code: u16, value: &str) -> ResponseTemplate {
    let value = http::HeaderValue::from_bytes(value.as_bytes()).expect("a header value");
    status(code).insert_header("retry-after", value)
}

/// A response whose body is said to be of this type.
pub fn typed(code: u16, media_type: &str, body: &str) -> ResponseTemplate {
    status(code)
        .insert_header("content-type", media_type)
        .set_body_bytes(body)
}

/// A JSON response.
pub fn json(code: u16, body: &Value) -> ResponseTemplate {
    typed(code, "application/json", &body.to_string())
}

/// A page of a listing, whose items have these numbers as their `id`.
pub fn page(ids: impl IntoIterator<Item = u64>, next_cursor: Option<&str>) -> ResponseTemplate {
    let items: Vec<_> = ids.into_iter().map(|id| json!({ "id": id })).collect();
    json(200, &json!({ "items": items, "next_cursor": next_cursor }))
}
