//! A certificate authority of a test, and servers with certificates.

use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, date_time_ymd};
use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer},
};
use tokio_rustls::TlsAcceptor;

/// The years of a certificate that is valid.
pub const VALID: [i32; 2] = [2020, 2120];

/// A certificate authority.
#[derive(Debug)]
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

impl Authority {
    /// An authority of this name.
    #[must_use]
    pub fn named(name: &str) -> Self {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        let pem = params.self_signed(&key).expect("a certificate").pem();
        let issuer = Issuer::new(params, key);
        Self { issuer, pem }
    }

    /// The certificate that a client has to trust.
    #[must_use]
    pub fn pem(&self) -> &str {
        &self.pem
    }

    /// Its signature.
    #[must_use]
    pub fn issuer(&self) -> &Issuer<'static, KeyPair> {
        &self.issuer
    }

    /// The server of this name, [valid](VALID) from the beginning of the one year until that of
    /// the other, which speaks these protocols; none if it knows no ALPN.
    #[must_use]
    pub fn acceptor(&self, name: &str, years: [i32; 2], protocols: &[&str]) -> TlsAcceptor {
        let key = KeyPair::generate().expect("a key");
        let certificate = params(name, years).signed_by(&key, &self.issuer);
        let certificate = certificate.expect("a certificate").der().clone();
        presenting(certificate, &key, protocols)
    }
}

/// The content of the certificate of a server.
#[must_use]
pub fn params(name: &str, years: [i32; 2]) -> CertificateParams {
    let mut params = CertificateParams::new([name.to_owned()]).expect("a name");
    [params.not_before, params.not_after] = years.map(|year| date_time_ymd(year, 1, 1));
    params
}

/// A server with this certificate, which speaks these protocols; none if it knows no ALPN.
#[must_use]
pub fn presenting(
    certificate: CertificateDer<'static>,
    key: &KeyPair,
    protocols: &[&str],
) -> TlsAcceptor {
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder
        .with_safe_default_protocol_versions()
        .expect("versions");
    let config = builder
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key);
    let mut config = config.expect("a certificate and its key");
    let protocols = protocols.iter();
    config.alpn_protocols = protocols.map(|name| name.as_bytes().to_vec()).collect();
    TlsAcceptor::from(Arc::new(config))
}
