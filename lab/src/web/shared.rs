//! The state that the routes of the page share.

use std::sync::Arc;

use axum::{body::Bytes, extract::Request};
use host::Ledger;
use http::{StatusCode, header::CONTENT_TYPE};

use super::{feed::Feed, problem::Problem};
use crate::{grade::web::Cards, scenario::web::Runs, storm::web::Storms};

/// The maximum length of a request body: a run's settings take a few lines.
const MAX_BODY: usize = 16 * 1024;

/// The state that the routes share. Clones share it, too.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) feed: Arc<Feed>,
    pub(crate) runs: Arc<Runs>,
    pub(crate) cards: Arc<Cards>,
    pub(crate) storms: Arc<Storms>,
    pub(crate) ledger: Ledger,
    /// The base URL of the service.
    pub(crate) service: Arc<str>,
}

/// The body of a request, if its media type is JSON.
pub(crate) async fn json_body(request: Request, what: &str) -> Result<Bytes, Problem> {
    let is_json = request
        .headers()
        .get(CONTENT_TYPE)
        .is_some_and(|media_type| {
            let media_type = media_type.to_str().unwrap_or_default();
            let essence = media_type.split(';').next().unwrap_or_default().trim();
            essence.eq_ignore_ascii_case("application/json")
        });
    if !is_json {
        let detail = format!("{what} is asked for as application/json");
        let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
        return Err(Problem::new(status, "unsupported_media_type", detail));
    }
    let body = axum::body::to_bytes(request.into_body(), MAX_BODY).await;
    body.map_err(|_| {
        let detail = format!("the body is longer than {MAX_BODY} bytes, or incomplete");
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "payload_too_large", detail)
    })
}
