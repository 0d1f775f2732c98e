//! What a scripted session responds.

use client::{Failure, FailureKind};
use http::{HeaderName, HeaderValue, Response};
use reqwest_middleware::Error;
use serde_json::{Value, json};

/// One response of a script, or the failure that comes in its place.
#[derive(Debug, Clone)]
pub struct Reply(Result<Response<Vec<u8>>, FailureKind>);

/// A response without headers and without a body.
#[must_use]
pub fn status(code: u16) -> Reply {
    let response = Response::builder().status(code).body(Vec::new());
    Reply(Ok(response.expect("a status")))
}

/// A JSON response.
#[must_use]
pub fn json(code: u16, body: &Value) -> Reply {
    status(code)
        .header("content-type", "application/json")
        .body(body.to_string())
}

/// A page of a listing, of `items` items.
#[must_use]
pub fn page(items: usize, next_cursor: Option<&str>) -> Reply {
    let items: Vec<_> = (0..items).map(|item| json!({ "id": item })).collect();
    json(200, &json!({ "items": items, "next_cursor": next_cursor }))
}

impl Reply {
    /// No response, but this kind of failure.
    #[must_use]
    pub fn failure(kind: FailureKind) -> Self {
        Self(Err(kind))
    }

    /// The same with a header of any bytes that a header may hold.
    #[must_use]
    pub fn header(self, name: &'static str, value: impl AsRef<[u8]>) -> Self {
        let value = HeaderValue::from_bytes(value.as_ref()).expect("a header value");
        self.map(|response| {
            response
                .headers_mut()
                .append(HeaderName::from_static(name), value);
        })
    }

    /// The same with a body.
    #[must_use]
    pub fn body(self, body: impl Into<Vec<u8>>) -> Self {
        self.map(|response| *response.body_mut() = body.into())
    }

    fn map(mut self, change: impl FnOnce(&mut Response<Vec<u8>>)) -> Self {
        if let Ok(response) = &mut self.0 {
            change(response);
        }
        self
    }

    pub(crate) fn into_result(self) -> Result<reqwest::Response, Error> {
        match self.0 {
            Ok(response) => Ok(response.into()),
            Err(kind) => Err(Failure(kind).into()),
        }
    }
}
