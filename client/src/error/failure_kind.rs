//! The kinds of failure without a complete response, a fixed set, and how an error of the
//! transport is told apart: by the errors in its chain of causes.

use std::{error::Error, io, iter};

use http::{HeaderMap, StatusCode};

/// The kind of failure of an attempt without a complete response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FailureKind {
    /// No connection, including TLS, within the connect timeout.
    ConnectTimeout,
    /// The connection was established, but the response (or the rest of it) did not
    /// arrive within the read timeout, the total time of an attempt or the deadline.
    ///
    /// These count as this kind even if they end the connection phase, since the error does
    /// not show the phase: a read timeout that is shorter than the time to connect, the
    /// total time and a deadline.
    ReadTimeout,
    /// No connection: refused, unreachable, or the name did not resolve.
    Connect,
    /// The TLS handshake failed: either side refused the other, or the connection was
    /// lost after the handshake had begun.
    ///
    /// A closed and a reset connection count alike, since the difference depends on how
    /// much the peer had read, not on the cause. A handshake that takes too long is a
    /// [`ConnectTimeout`](Self::ConnectTimeout).
    Tls,
    /// The connection was lost before the response was complete.
    ConnectionLost,
    /// The response was not valid HTTP; an invalid chunk of a body counts, too.
    Protocol,
    /// The body was longer than the client accepts.
    BodyTooLarge,
    /// The body was complete, but its `Content-Encoding` could not be undone.
    Undecodable,
    /// The request could not be sent, or a middleware failed.
    Request,
    /// The request was not sent before the deadline: no slot of the concurrency limit
    /// was free, or the wait before it ended late.
    QueueTimeout,
}

impl FailureKind {
    /// Every kind, in the order of declaration.
    pub const ALL: [Self; 10] = [
        Self::ConnectTimeout,
        Self::ReadTimeout,
        Self::Connect,
        Self::Tls,
        Self::ConnectionLost,
        Self::Protocol,
        Self::BodyTooLarge,
        Self::Undecodable,
        Self::Request,
        Self::QueueTimeout,
    ];

    /// The kind's name in spans and metrics (`error.type`).
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ConnectTimeout => "connect_timeout",
            Self::ReadTimeout => "read_timeout",
            Self::Connect => "connect",
            Self::Tls => "tls",
            Self::ConnectionLost => "connection_lost",
            Self::Protocol => "protocol",
            Self::BodyTooLarge => "body_too_large",
            Self::Undecodable => "undecodable",
            Self::Request => "request",
            Self::QueueTimeout => "queue_timeout",
        }
    }

    /// Determines the kind from an error of the transport.
    #[must_use]
    pub fn of(error: &reqwest_middleware::Error) -> Self {
        match error {
            reqwest_middleware::Error::Reqwest(error) => Self::of_reqwest(error),
            reqwest_middleware::Error::Middleware(error) if error.is::<Undecodable>() => {
                Self::Undecodable
            }
            reqwest_middleware::Error::Middleware(error) => error
                .downcast_ref::<Failure>()
                .map_or(Self::Request, |failure| failure.0),
        }
    }

    fn of_reqwest(error: &reqwest::Error) -> Self {
        // The order matters: a refused handshake and a connect timeout are both
        // reported as connect errors, and a connection lost during the body as a decode
        // error.
        if is_handshake_failure(error) {
            return Self::Tls;
        }
        if error.is_timeout() {
            if error.is_connect() {
                Self::ConnectTimeout
            } else {
                Self::ReadTimeout
            }
        } else if error.is_connect() {
            Self::Connect
        } else if find::<hyper::Error>(error).is_some_and(is_not_http) {
            Self::Protocol
        } else if is_of_a_decoder(error) {
            Self::Undecodable
        } else if error.is_request() || error.is_body() || error.is_decode() {
            Self::ConnectionLost
        } else {
            Self::Request
        }
    }
}

/// A failure that a middleware reports in place of `reqwest`.
///
/// A transport that is a script or a function cannot create a [`reqwest::Error`]. It
/// returns this instead, and the retry rules treat both alike:
///
/// ```
/// use reliable_api_client::{Failure, FailureKind};
///
/// let error: reqwest_middleware::Error = Failure(FailureKind::ReadTimeout).into();
///
/// assert_eq!(FailureKind::of(&error), FailureKind::ReadTimeout);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the attempt failed: {}", .0.as_str())]
pub struct Failure(pub FailureKind);

impl From<Failure> for reqwest_middleware::Error {
    fn from(failure: Failure) -> Self {
        Self::middleware(failure)
    }
}

/// A success whose body is complete and cannot be decoded.
#[derive(Debug, thiserror::Error)]
#[error("the body cannot be decoded")]
pub(crate) struct Undecodable {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
}

/// Whether a decoder of a `Content-Encoding` failed over the bytes of a body.
///
/// It reports an I/O error of its own, while one of the connection comes from `hyper`, or
/// wraps the error of TLS.
fn is_of_a_decoder(error: &reqwest::Error) -> bool {
    let cause = chain(error).find(|cause| !cause.is::<reqwest::Error>());
    let own = cause.and_then(|cause| cause.downcast_ref::<io::Error>());
    let from_below =
        find::<hyper::Error>(error).is_some() || find::<rustls::Error>(error).is_some();
    error.is_decode()
        && !from_below
        && own.is_some_and(|error| {
            matches!(
                error.kind(),
                io::ErrorKind::InvalidData
                    | io::ErrorKind::InvalidInput
                    | io::ErrorKind::UnexpectedEof
                    | io::ErrorKind::Other
            )
        })
}

/// Whether the peer sent invalid HTTP: a head that cannot be parsed, or a body with
/// invalid chunks, which `hyper` reports as invalid data or input. It reports a body
/// that ends too early as neither.
fn is_not_http(error: &hyper::Error) -> bool {
    let invalid = |error: &io::Error| {
        matches!(
            error.kind(),
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput
        )
    };
    // An error of the request's own body is the caller's.
    error.is_parse() || (!error.is_user() && find::<io::Error>(error).is_some_and(invalid))
}

/// Whether the check of a handshake failed, so that another attempt would fail in the same
/// way. A handshake that broke off says nothing about the next one.
pub(super) fn is_failed_check(error: &reqwest::Error) -> bool {
    find::<rustls::Error>(error).is_some()
}

/// Whether `error` is a handshake that failed.
///
/// It fails in three shapes: with a [`rustls::Error`] somewhere in the chain; when the
/// peer just went away, with an I/O error before the connection was there; and, in TLS
/// 1.3, with an alert after the client has sent its request already, by which a server
/// refuses the client's certificate (RFC 8446 §4.4.2.4). Whatever else TLS complains of
/// later, or in the middle of a body, has nothing to do with the handshake.
fn is_handshake_failure(error: &reqwest::Error) -> bool {
    match find::<rustls::Error>(error) {
        Some(_) if error.is_connect() => true,
        Some(rustls::Error::AlertReceived(_)) => !(error.is_body() || error.is_decode()),
        Some(_) => false,
        None => error.is_connect() && broke_off_in_handshake(error),
    }
}

/// Tells a handshake that broke off from a connection that was never made.
///
/// Both are I/O errors while connecting, and both may say "connection reset".
/// What failed before TLS, though, the TCP connection or a proxy's tunnel, has
/// an error of its own type above the I/O error. That of a handshake stands
/// directly below the two that `reqwest` and its pool add, or is wrapped in
/// another I/O error, which is how `hyper-rustls` passes it on.
fn broke_off_in_handshake(error: &reqwest::Error) -> bool {
    const ABOVE: usize = 2;
    let mut wrapped = false;
    chain(error).enumerate().any(|(depth, error)| {
        let directly_below = wrapped || depth == ABOVE;
        let error = error.downcast_ref::<io::Error>();
        wrapped = error.is_some();
        match error.map(io::Error::kind) {
            // Nothing but a handshake says so.
            Some(io::ErrorKind::UnexpectedEof) => true,
            Some(
                io::ErrorKind::ConnectionReset
                | io::ErrorKind::ConnectionAborted
                | io::ErrorKind::BrokenPipe,
            ) => directly_below,
            _ => false,
        }
    })
}

/// Finds the first error of type `T` in the chain that begins with `error`.
fn find<'a, T: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a T> {
    chain(error).find_map(<dyn Error>::downcast_ref)
}

/// The chain that begins with `error`.
///
/// The `source()` of an [`io::Error`] skips the error that it wraps, so the next link
/// is its `get_ref()` instead.
fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    iter::successors(Some(error), |&error| {
        match error.downcast_ref().and_then(io::Error::get_ref) {
            Some(inner) => Some(inner),
            None => error.source(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foreign_middleware_error_is_not_retried() {
        let foreign = reqwest_middleware::Error::middleware(io::Error::other("no token"));

        assert_eq!(FailureKind::of(&foreign), FailureKind::Request);
        assert!(!FailureKind::Request.is_transient());
    }
}
