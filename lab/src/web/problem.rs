//! Error responses as problem objects (RFC 9457).

use std::borrow::Cow;

use axum::{
    Json,
    response::{IntoResponse, Response},
};
use http::{HeaderValue, StatusCode, header::CONTENT_TYPE};
use serde::Serialize;

/// The body of an error response.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    code: &'static str,
    pub(crate) detail: Cow<'static, str>,
}

/// What a page says of a problem: it travels with the response until it is known who reads it.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    pub(super) status: StatusCode,
    pub(super) detail: Cow<'static, str>,
}

impl Problem {
    pub(crate) fn new(
        status: StatusCode,
        code: &'static str,
        detail: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            status,
            code,
            detail: detail.into(),
        }
    }

    /// A body that breaks a rule.
    pub(crate) fn unprocessable(code: &'static str, detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, detail)
    }

    pub(crate) fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", "no such path")
    }
}

#[derive(Serialize)]
struct Body<'a> {
    // RFC 9457 §4.2.1: with the type "about:blank" the title is the phrase of the status;
    // `code` carries the specific meaning.
    r#type: &'static str,
    title: &'a str,
    status: u16,
    detail: &'a str,
    code: &'static str,
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = Body {
            r#type: "about:blank",
            title: self.status.canonical_reason().unwrap_or_default(),
            status: self.status.as_u16(),
            detail: &self.detail,
            code: self.code,
        };
        let mut response = (self.status, Json(body)).into_response();
        let media_type = HeaderValue::from_static("application/problem+json");
        response.headers_mut().insert(CONTENT_TYPE, media_type);
        response.extensions_mut().insert(Shown {
            status: self.status,
            detail: self.detail,
        });
        response
    }
}
