//! Errors of this crate as errors of a middleware stack.

use std::{
    error::Error,
    pin::{Pin, pin},
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use hyper::body::{Body, Frame};

use super::failure::{Failure, FailureKind};

/// Wraps an error so that it can go up a stack, and be found among its causes.
///
/// `reqwest_middleware` keeps the error of a middleware in an `anyhow::Error`, which
/// captures a stack trace wherever `RUST_BACKTRACE` is set. That costs a timeout many
/// times its own work. A [`reqwest::Error`] captures none, and the error of a body is the
/// one kind that can be made from outside of `reqwest`.
pub(crate) fn carried(error: impl Error + Send + Sync + 'static) -> reqwest_middleware::Error {
    let body = pin!(reqwest::Body::wrap(Failing(Some(Box::new(error)))));
    match body.poll_frame(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(Some(Err(error))) => error.into(),
        // A body that fails at once is never pending, nor does it end.
        _ => reqwest_middleware::Error::middleware(Failure(FailureKind::Request)),
    }
}

/// A body that fails.
struct Failing(Option<Box<dyn Error + Send + Sync>>);

impl Body for Failing {
    type Data = Bytes;
    type Error = Box<dyn Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Poll::Ready(self.0.take().map(Err))
    }
}
