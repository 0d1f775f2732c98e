//! The cryptography behind TLS.

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
