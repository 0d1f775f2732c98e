//! Notes the end of a response in the ledger.

use axum::response::Response;
use http::StatusCode;

use crate::state::HostState;
use crate::watched_body::{Watch, watched};

/// Has the end of this response entered under this number.
pub(crate) fn observe_end(
    response: Response,
    is_head: bool,
    state: HostState,
    seq: u64,
) -> Response {
    let end = ResponseEnd {
        is_bodiless: is_bodiless(is_head, response.status()),
        state,
        seq,
    };
    response.map(|body| watched(body, end))
}

/// Whether a response is sent without a body, so that nobody reads the one it has (RFC
/// 9110 §6.4.1).
pub(crate) fn is_bodiless(is_head: bool, status: StatusCode) -> bool {
    is_head || [StatusCode::NO_CONTENT, StatusCode::NOT_MODIFIED].contains(&status)
}

/// The end of a response that is sent.
struct ResponseEnd {
    is_bodiless: bool,
    state: HostState,
    seq: u64,
}

impl Watch for ResponseEnd {
    fn dropped(&mut self, is_whole: bool) {
        if self.is_bodiless || is_whole {
            let now = self.state.now();
            if let Some(entry) = self.state.ledger.lock().entry(self.seq) {
                entry.ended = Some(now);
            }
        }
    }
}
