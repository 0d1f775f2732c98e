//! A body whose frames are watched while it is read.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, SizeHint};

/// Watches a body that is read.
pub trait Watch: Send + Unpin + 'static {
    /// The next bytes of the body.
    fn data(&mut self, _data: &[u8]) {}

    /// The body broke off.
    fn failed(&mut self, _error: &axum::Error) {}

    /// The reader was told that the body has ended.
    fn ended(&mut self) {}

    /// The reader dropped the body: after its last byte, or because there is nobody left to
    /// read it for. `is_whole` says that the reader had got all of it.
    fn dropped(&mut self, _is_whole: bool) {}
}

/// A body with its watcher.
pub fn watched(body: Body, watch: impl Watch) -> Body {
    Body::new(Watched {
        body,
        watch,
        has_ended: false,
    })
}

struct Watched<W: Watch> {
    body: Body,
    watch: W,
    has_ended: bool,
}

impl<W: Watch> HttpBody for Watched<W> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        match &frame {
            Some(Ok(frame)) => {
                if let Some(data) = frame.data_ref() {
                    self.watch.data(data);
                }
                if frame.is_trailers() {
                    // They are the last, and nobody asks for another frame.
                    self.has_ended = true;
                    self.watch.ended();
                }
            }
            Some(Err(error)) => self.watch.failed(error),
            None => {
                self.has_ended = true;
                self.watch.ended();
            }
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl<W: Watch> Drop for Watched<W> {
    fn drop(&mut self) {
        // A body whose length is known is not asked once more after its last byte.
        let is_empty = self.body.is_end_stream() || self.body.size_hint().exact() == Some(0);
        self.watch.dropped(self.has_ended || is_empty);
    }
}
