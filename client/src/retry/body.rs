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

use std::{future::Future, pin::pin, time::Duration};

use bytes::{Bytes, BytesMut};
use futures_util::future::{Either, select};
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
/// the response, whose body then holds the part that arrived. The kind is one of
/// [`ConnectionLost`](FailureKind::ConnectionLost),
/// [`ReadTimeout`](FailureKind::ReadTimeout),
/// [`Protocol`](FailureKind::Protocol) and
/// [`BodyTooLarge`](FailureKind::BodyTooLarge).
///
/// `ReadTimeout` has two causes: the body took longer in all than the read timeout
/// of the request's [`Timeouts`](crate::Timeouts), or the session has a shorter read
/// timeout of its own and a single read took longer than that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IncompleteBody(pub FailureKind);

/// Reads the body of a success, up to `max` bytes, for as long as the transport
/// allows, and puts the response together again around it.
pub(super) async fn read_success(mut response: Response, max: usize) -> Result<Response> {
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
    Ok(with_body(response, body.freeze()))
}

/// Reads the body of an error, at most [`MAX_ERROR_BODY_BYTES`] of it and until
/// `timeout` ends, and puts the response together again around it. It never fails; the
/// response says if a part is missing.
pub(crate) async fn read_error(
    mut response: Response,
    timeout: impl Future<Output = ()>,
) -> Response {
    let mut body = BytesMut::new();
    let missing = {
        let reading = pin!(fill(&mut response, &mut body));
        match select(reading, pin!(timeout)).await {
            Either::Left((missing, _)) => missing,
            Either::Right(_) => Some(FailureKind::ReadTimeout),
        }
    };
    if let Some(kind) = missing {
        response.extensions_mut().insert(IncompleteBody(kind));
    }
    with_body(response, body.freeze())
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
fn with_body(mut response: Response, body: Bytes) -> Response {
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
