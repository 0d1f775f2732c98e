//! A body that was read ahead, so that what it holds decides about its request.

use std::{
    collections::VecDeque,
    pin::Pin,
    task::{Context, Poll},
};

use axum::body::{Body, Bytes};
use http_body_util::BodyExt;
use hyper::body::{Body as HttpBody, Frame};

use super::session::HASHED;

/// The frames that were read, and what follows.
struct Replayed {
    read: VecDeque<Result<Frame<Bytes>, axum::Error>>,
    rest: Body,
}

/// Reads a body to its end, or as far as it is hashed, and returns one with the same frames.
/// Nothing says how long it is: it is framed as it came.
pub(super) async fn read_ahead(mut body: Body) -> Body {
    let mut read = VecDeque::new();
    let mut length = 0;
    while length <= HASHED
        && let Some(frame) = body.frame().await
    {
        let data = frame.as_ref().ok().and_then(Frame::data_ref);
        length += data.map_or(0, Bytes::len);
        read.push_back(frame);
    }
    Body::new(Replayed { read, rest: body })
}

impl HttpBody for Replayed {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        match self.read.pop_front() {
            Some(frame) => Poll::Ready(Some(frame)),
            None => Pin::new(&mut self.rest).poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.read.is_empty() && self.rest.is_end_stream()
    }
}
