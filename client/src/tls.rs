//! TLS: the cryptography behind it, and how a handshake that failed is told
//! from a connection that was never made.

use std::io;

use crate::error::{chain, find};

/// Installs *ring* as the process's provider of TLS cryptography, unless one is
/// installed already.
///
/// This crate takes `reqwest` without a provider, since the default one doubles
/// the time of a first build. [`Builder::build`](crate::Builder::build) calls
/// this; a program that builds a `reqwest::Client` by itself, with `reqwest`'s
/// feature `rustls-no-provider`, calls it first.
pub fn install_tls_provider() {
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // An error says that another thread was faster, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
    }
}

/// Whether `error` is a handshake that failed.
///
/// It fails in three shapes: with a [`rustls::Error`] somewhere in the chain; when the
/// peer just went away, with an I/O error before the connection was there; and, in TLS
/// 1.3, with an alert after the client has sent its request already, by which a server
/// refuses the client's certificate (RFC 8446 §4.4.2.4). Whatever else TLS complains of
/// later, or in the middle of a body, has nothing to do with the handshake.
pub(crate) fn is_handshake_failure(error: &reqwest::Error) -> bool {
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
