//! The layer that copies an exchange. It is the outermost one, so that it sees every header
//! and none that other layers add to a request; a service that records nothing does not
//! have it.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::Method;
use wire::Secret;

use super::{RequestShape, SentResponse, copied_body::CopiedBody, secrets::Secrets};
use crate::response_end::is_bodiless;
use crate::state::HostState;
use crate::watched_body::watched;

/// Marks a response whose request has this number in the ledger.
#[derive(Clone, Copy)]
pub(crate) struct Recorded(pub(crate) u64);

/// Leaves the shape of a request for the layer that numbers it, and copies the response
/// that comes back with a number.
pub(crate) async fn keep(
    State(state): State<HostState>,
    mut request: Request,
    next: Next,
) -> Response {
    let is_head = request.method() == Method::HEAD;
    let shape = RequestShape::of(request.uri(), request.headers());
    request.extensions_mut().insert(shape);
    let (secrets, request) = Secrets::of(request);
    let response = next.run(request).await;
    let Some(&Recorded(seq)) = response.extensions().get() else {
        return response;
    };
    let ledger = state.ledger.clone();
    let sent = SentResponse::of(&response, &secrets);
    if let Some(response) = ledger.lock().response(seq) {
        *response = Some(Secret(sent));
    }
    let copy = CopiedBody {
        seq,
        ledger,
        secrets,
        kept: Vec::new(),
        length: 0,
        is_bodiless: is_bodiless(is_head, response.status()),
    };
    response.map(|body| watched(body, copy))
}
