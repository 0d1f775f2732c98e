//! Reading the body of a response: how much of it, for how long, and what
//! becomes of the rest.
//!
//! It is read inside the attempt, so that a success that breaks off is a
//! failure like any other and comes before the retry decision. A middleware
//! that returns at the headers, as most do, never sees it.
//!
//! **The head decides.** Once status and headers are there, a status of 300 and
//! above is judged by them alone: a 503 whose body is cut still asks for the
//! wait of its `Retry-After`, and a 401 is still final. Its body is read only
//! for the problem object in it; that it is incomplete is reported and changes
//! nothing else.

use std::{pin::pin, time::Duration};

use bytes::{Bytes, BytesMut};
use futures_util::FutureExt;
use http::StatusCode;
use reqwest::{Response, ResponseBuilderExt};
use reqwest_middleware::{Error, Result};

use super::failure::{Failure, FailureKind};

/// The default cap on the body of a success: 8 MiB.
pub(crate) const DEFAULT_MAX_BODY_BYTES: usize = 8 * 1024 * 1024;

/// The cap on the body of any other response: 64 KiB. A problem object is far
/// smaller, and nothing else is looked for.
const MAX_ERROR_BODY_BYTES: usize = 64 * 1024;

/// Says that the body of an error response was not read to its end, and why.
///
/// [`RetryMiddleware`](crate::RetryMiddleware) puts it among the extensions of
/// the response, whose body then holds what came. The kind is one of
/// [`ConnectionLost`](FailureKind::ConnectionLost),
/// [`ReadTimeout`](FailureKind::ReadTimeout),
/// [`Protocol`](FailureKind::Protocol) and
/// [`BodyTooLarge`](FailureKind::BodyTooLarge).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IncompleteBody(pub FailureKind);

/// Reads the body of `response`, which keeps all but that.
///
/// Of a success up to `max` bytes are accepted, for as long as the transport
/// allows.
pub(super) async fn read(response: &mut Response, max: usize, patience: Duration) -> Result<Bytes> {
    if response.status() >= StatusCode::MULTIPLE_CHOICES {
        Ok(Box::pin(read_some(response, patience)).await)
    } else {
        read_whole(response, max).await
    }
}

async fn read_whole(response: &mut Response, max: usize) -> Result<Bytes> {
    let too_large = || Error::from(Failure(FailureKind::BodyTooLarge));
    let announced = response
        .content_length()
        .map_or(Ok(0), usize::try_from)
        .map_err(|_| too_large())?;
    if announced > max {
        return Err(too_large());
    }

    // Most bodies come in one piece; only a second one is worth a copy.
    let mut first = Bytes::new();
    let mut all = BytesMut::new();
    while let Some(chunk) = response.chunk().await? {
        let length = first.len().max(all.len()) + chunk.len();
        if length > max {
            return Err(too_large());
        }
        if first.is_empty() {
            first = chunk;
            continue;
        }
        if all.is_empty() {
            all.reserve(announced.max(length));
            all.extend_from_slice(&first);
        }
        all.extend_from_slice(&chunk);
    }
    Ok(if all.is_empty() { first } else { all.freeze() })
}

/// Reads the body of an error, and puts the response together again around it.
/// It never fails; the response says if a part is missing.
pub(crate) async fn read_error(mut response: Response, patience: Duration) -> Response {
    let body = read_some(&mut response, patience).await;
    with_body(response, body)
}

/// Reads the body of an error: at most [`MAX_ERROR_BODY_BYTES`], for no longer
/// than `patience` in all. It never fails; the response says if a part is missing.
#[expect(
    clippy::disallowed_methods,
    reason = "a timeout of the socket, as those of `reqwest` are: it stays real \
              where the waits are virtual"
)]
async fn read_some(response: &mut Response, patience: Duration) -> Bytes {
    let mut body = BytesMut::new();
    let missing = {
        let mut reading = pin!(fill(response, &mut body));
        match reading.as_mut().now_or_never() {
            // A body that is there already needs no timer, and so no runtime
            // with a timer.
            Some(end) => end,
            None => match tokio::time::timeout(patience, reading).await {
                Ok(end) => end,
                Err(_) => Some(FailureKind::ReadTimeout),
            },
        }
    };
    if let Some(kind) = missing {
        response.extensions_mut().insert(IncompleteBody(kind));
    }
    body.freeze()
}

/// Reads into `body`, up to the cap; returns why the rest is missing, if it is.
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

/// Puts a response together again around its body.
pub(super) fn with_body(mut response: Response, body: Bytes) -> Response {
    let extensions = std::mem::take(response.extensions_mut());
    let headers = std::mem::take(response.headers_mut());
    #[expect(clippy::expect_used, reason = "each part is one of a response already")]
    let mut whole = http::Response::builder()
        .status(response.status())
        .version(response.version())
        .url(response.url().clone())
        .body(body)
        .expect("what was a response makes one again");
    *whole.headers_mut() = headers;
    whole.extensions_mut().extend(extensions);
    whole.into()
}
