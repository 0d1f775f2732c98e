//! Notes the end of a response in the ledger.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::{Method, StatusCode};
use hyper::body::{Body as HttpBody, Frame, SizeHint};

use crate::state::HostState;

/// Has the end of this response entered under this number.
pub(crate) fn observe_end(
    response: Response,
    method: &Method,
    state: HostState,
    seq: u64,
) -> Response {
    let is_bodiless = is_bodiless(method, response.status());
    response.map(|body| {
        Body::new(EndingBody {
            body,
            has_ended: is_bodiless,
            state,
            seq,
        })
    })
}

/// Whether a response is sent without a body, so that nobody reads the one it has (RFC
/// 9110 §6.4.1).
pub(crate) fn is_bodiless(method: &Method, status: StatusCode) -> bool {
    method == Method::HEAD || [StatusCode::NO_CONTENT, StatusCode::NOT_MODIFIED].contains(&status)
}

/// The body of a response. Whoever sends it drops it when the last byte was handed
/// over, or when there is nobody left to send it to.
struct EndingBody {
    body: Body,
    has_ended: bool,
    state: HostState,
    seq: u64,
}

impl HttpBody for EndingBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        self.has_ended |= frame.is_none();
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for EndingBody {
    fn drop(&mut self) {
        // A body whose length is known is not asked once more after its last byte.
        let is_empty = self.body.is_end_stream() || self.body.size_hint().exact() == Some(0);
        if self.has_ended || is_empty {
            let now = self.state.now();
            self.state.ledger_ref().response_ended(self.seq, now);
        }
    }
}
