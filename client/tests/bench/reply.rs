//! The responses of a wiremock server or of a scripted transport, and the order in which
//! a server gives them.

use std::io;

use http::{HeaderName, HeaderValue};
use serde_json::{Value, json};
use wiremock::{Mock, MockServer, Request, ResponseTemplate, matchers::any};

use super::cursor;

/// A response.
#[derive(Debug, Clone)]
pub struct Reply(http::Response<String>);

impl Reply {
    /// The same with this header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        let name: HeaderName = name.parse().expect("the name of a header");
        let value = HeaderValue::from_bytes(value.as_bytes()).expect("a header value");
        self.0.headers_mut().insert(name, value);
        self
    }

    /// The same with this body.
    #[must_use]
    pub fn body(self, body: impl Into<String>) -> Self {
        Self(self.0.map(|_| body.into()))
    }
}

impl From<Reply> for reqwest::Response {
    fn from(Reply(reply): Reply) -> Self {
        reply.into()
    }
}

impl From<Reply> for ResponseTemplate {
    fn from(Reply(reply): Reply) -> Self {
        let (head, body) = reply.into_parts();
        let template = Self::new(head.status.as_u16()).set_body_bytes(body);
        let headers = head.headers.iter();
        headers.fold(template, |it, (name, value)| it.insert_header(name, value))
    }
}

/// The responses to all requests of a test.
pub struct Script(Vec<Mock>);

impl Script {
    /// One response after the other. A request too many gets a 404, and tests
    /// count the requests.
    pub fn of(replies: impl IntoIterator<Item = Reply>) -> Self {
        let once = |reply| {
            let mock = Mock::given(any()).respond_with(ResponseTemplate::from(reply));
            mock.up_to_n_times(1)
        };
        Self(replies.into_iter().map(once).collect())
    }

    /// The same response to every request.
    pub fn always(reply: Reply) -> Self {
        Self::by(move |_| reply.clone())
    }

    /// The response that `respond` makes of a request.
    pub fn by(respond: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        let respond = move |request: &Request| ResponseTemplate::from(respond(request));
        Self(vec![Mock::given(any()).respond_with(respond)])
    }

    /// Pages of this many items and a cursor never seen before, for ever.
    pub fn endless(items: u64) -> Self {
        Self::by(move |request| {
            let number = cursor(&request.url).map_or(0, |cursor| cursor.parse().expect("ours"));
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
pub fn status(code: u16) -> Reply {
    let reply = http::Response::builder().status(code).body(String::new());
    Reply(reply.expect("a status"))
}

/// A response without a body that asks for a wait.
pub fn retry_after(code: u16, value: &str) -> Reply {
    status(code).header("retry-after", value)
}

/// A response whose body is said to be of this type.
pub fn typed(code: u16, media_type: &str, body: impl Into<String>) -> Reply {
    status(code).header("content-type", media_type).body(body)
}

/// A JSON response.
pub fn json(code: u16, body: &Value) -> Reply {
    typed(code, "application/json", body.to_string())
}

/// A page of a listing, whose items have these numbers as their `id`.
pub fn page(ids: impl IntoIterator<Item = u64>, next_cursor: Option<&str>) -> Reply {
    let items: Vec<_> = ids.into_iter().map(|id| json!({ "id": id })).collect();
    json(200, &json!({ "items": items, "next_cursor": next_cursor }))
}
