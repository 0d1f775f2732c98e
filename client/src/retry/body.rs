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

use super::facts::{Failure, FailureKind};

/// The default cap on the body of a success: 8 MiB.
pub(crate) const DEFAULT_MAX_BODY_BYTES: usize = 8 * 1024 * 1024;

/// The cap on the body of any other response: 64 KiB. A problem object is far smaller,
/// and nothing else is read from the body.
const MAX_ERROR_BODY_BYTES: usize = 64 * 1024;

/// The reason why the body of an error response was not read to its end.
///
/// [`RetryMiddleware`](crate::RetryMiddleware) adds it to the extensions of the
/// response, whose body then contains the part that arrived. The kind is one of
/// [`ConnectionLost`](FailureKind::ConnectionLost),
/// [`ReadTimeout`](FailureKind::ReadTimeout), [`Protocol`](FailureKind::Protocol) and
/// [`BodyTooLarge`](FailureKind::BodyTooLarge).
///
/// `ReadTimeout` has two causes: the whole body took longer than the read timeout of
/// the request's [`Timeouts`](crate::Timeouts), or a single read took longer than a
/// shorter read timeout of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IncompleteBody(pub FailureKind);

/// Reads the body of a success, up to `max` bytes, for as long as the transport allows.
pub(super) async fn read_success(response: &mut Response, max: usize) -> Result<Bytes> {
    let too_large = || Error::from(Failure(FailureKind::BodyTooLarge));
    let announced = response.content_length().unwrap_or(0);
    if usize::try_from(announced).map_or(true, |announced| announced > max) {
        return Err(too_large());
    }

    let mut body = BytesMut::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > max {
            return Err(too_large());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

/// Reads the body of an error, up to [`MAX_ERROR_BODY_BYTES`] and until `timeout` ends.
/// It never fails; [`IncompleteBody`] marks a response with an incomplete body.
pub(crate) async fn read_error(
    response: &mut Response,
    timeout: impl Future<Output = ()>,
) -> Bytes {
    let mut body = BytesMut::new();
    let missing = {
        let reading = pin!(fill(response, &mut body));
        match select(reading, pin!(timeout)).await {
            Either::Left((missing, _)) => missing,
            Either::Right(_) => Some(FailureKind::ReadTimeout),
        }
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
pub(crate) async fn session_timeout(duration: Duration) {
    tokio::time::sleep(duration).await;
}

/// Reads into `body`, up to the cap; returns the reason why the rest is missing, if it
/// is.
async fn fill(response: &mut Response, body: &mut BytesMut) -> Option<FailureKind> {
    loop {
        match response.chunk().await {
            Ok(None) => return None,
            Ok(Some(chunk)) => {
                let room = MAX_ERROR_BODY_BYTES - body.len();
                body.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
                if chunk.len() > room {
                    return Some(FailureKind::BodyTooLarge);
                }
            }
            Err(error) => return Some(FailureKind::of(&error.into())),
        }
    }
}

/// Rebuilds a response with the body that was read.
pub(super) fn with_body(mut response: Response, body: Bytes) -> Response {
    let mut whole = http::Response::builder()
        .status(response.status())
        .version(response.version());
    if let Some(extensions) = whole.extensions_mut() {
        *extensions = std::mem::take(response.extensions_mut());
    }
    #[expect(clippy::expect_used, reason = "all parts come from a valid response")]
    let mut whole = whole
        .url(response.url().clone())
        .body(body)
        .expect("the parts of a response form a valid response");
    *whole.headers_mut() = std::mem::take(response.headers_mut());
    whole.into()
}
