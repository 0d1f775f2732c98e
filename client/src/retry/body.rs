//! Reading the body of a response, with limits on its size and on the time.
//!
//! The attempt includes reading the body, so that a success whose body is cut off is a
//! failure like any other, and the retry decision applies to it. A middleware that
//! returns after the headers, as most do, never sees that failure.
//!
//! **The head decides.** A response with a status of 300 or above is judged by its
//! status and headers alone: the `Retry-After` of a 503 whose body is cut off still
//! applies, and a 401 is still final. The body is read only for its problem object; an
//! incomplete body is reported and changes nothing else.

use std::{future::Future, pin::pin, time::Duration};

use bytes::{Bytes, BytesMut};
use futures_util::future::{Either, select};
use reqwest::{Response, ResponseBuilderExt};
use reqwest_middleware::{Error, Result};

use super::facts::{Failure, FailureKind, Undecodable};
use crate::error::MAX_KEPT_BYTES;

/// The default cap on the body of a success: 8 MiB.
pub(crate) const DEFAULT_MAX_BODY_BYTES: usize = 8 * 1024 * 1024;

/// The reason why the body of an error response was not read to its end.
///
/// [`RetryMiddleware`](crate::RetryMiddleware) adds it to the extensions of the
/// response, whose body then contains the part that arrived. The kind is one of
/// [`ConnectionLost`](FailureKind::ConnectionLost),
/// [`ReadTimeout`](FailureKind::ReadTimeout), [`Protocol`](FailureKind::Protocol),
/// [`BodyTooLarge`](FailureKind::BodyTooLarge) and
/// [`Undecodable`](FailureKind::Undecodable).
///
/// `ReadTimeout` has two causes: the whole body took longer than the read timeout of
/// the request's [`Timeouts`](crate::Timeouts), or a single read took longer than a
/// shorter read timeout of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IncompleteBody(pub FailureKind);

/// Reads the body of a success, up to `max` bytes, for as long as the transport allows.
pub(super) async fn read_success(response: &mut Response, max: usize) -> Result<Bytes> {
    let announced = response.content_length().unwrap_or(0);
    if usize::try_from(announced).map_or(true, |announced| announced > max) {
        return Err(Failure(FailureKind::BodyTooLarge).into());
    }
    let mut body = BytesMut::new();
    match fill(&mut body, response, max).await {
        Ok(()) => Ok(body.freeze()),
        Err(error) if FailureKind::of(&error) == FailureKind::Undecodable => {
            Err(Error::middleware(Undecodable {
                status: response.status(),
                headers: response.headers().clone(),
            }))
        }
        Err(error) => Err(error),
    }
}

/// Reads the body of an error, up to [`MAX_KEPT_BYTES`] and until `timeout` ends.
/// It never fails; [`IncompleteBody`] marks a response with an incomplete body.
pub(super) async fn read_error(
    response: &mut Response,
    timeout: impl Future<Output = ()>,
) -> Bytes {
    let mut body = BytesMut::new();
    let reading = fill(&mut body, response, MAX_KEPT_BYTES);
    let missing = match select(pin!(reading), pin!(timeout)).await {
        Either::Left((read, _)) => read.err().map(|error| FailureKind::of(&error)),
        Either::Right(_) => Some(FailureKind::ReadTimeout),
    };
    if let Some(kind) = missing {
        response.extensions_mut().insert(IncompleteBody(kind));
    }
    body.freeze()
}

/// Ends after `duration`, by the timer of the session.
#[expect(
    clippy::disallowed_methods,
    reason = "a timeout of the socket, as those of `reqwest` are: it stays real \
              where the waits are virtual"
)]
pub(super) async fn session_timeout(duration: Duration) {
    tokio::time::sleep(duration).await;
}

/// Reads into `body`, up to `max` bytes.
async fn fill(body: &mut BytesMut, response: &mut Response, max: usize) -> Result<()> {
    while let Some(chunk) = response.chunk().await? {
        let room = max - body.len();
        body.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
        if chunk.len() > room {
            return Err(Failure(FailureKind::BodyTooLarge).into());
        }
    }
    Ok(())
}

/// Rebuilds a response with the body that was read.
pub(super) fn with_body(mut response: Response, body: Bytes) -> Response {
    let mut whole = http::Response::builder();
    if let Some(extensions) = whole.extensions_mut() {
        *extensions = std::mem::take(response.extensions_mut());
    }
    #[expect(clippy::expect_used, reason = "the URL comes from a valid response")]
    let mut whole = whole
        .url(response.url().clone())
        .body(body)
        .expect("a valid response");
    *whole.status_mut() = response.status();
    *whole.version_mut() = response.version();
    *whole.headers_mut() = std::mem::take(response.headers_mut());
    whole.into()
}
