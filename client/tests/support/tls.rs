//! Servers that speak TLS, or should: with certificates of the test's own
//! making, or with a handshake that ends before its time.

use std::sync::Arc;

use super::wire::{Then, Wire};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use tokio::io::AsyncWriteExt;
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
    },
};

/// A certificate authority of a test.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    certificate: rcgen::Certificate,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        let certificate = params.self_signed(&key).expect("a certificate");
        Self {
            issuer: Issuer::new(params, key),
            certificate,
        }
    }

    /// The certificate that a client has to trust.
    pub(crate) fn certificate(&self) -> reqwest::Certificate {
        reqwest::Certificate::from_der(self.certificate.der()).expect("a certificate")
    }

    /// A server that is called `name`.
    pub(crate) fn issue(&self, name: &str) -> ServerConfig {
        client::install_tls_provider();
        let params = CertificateParams::new([name.to_owned()]).expect("a name");
        let key = KeyPair::generate().expect("a key");
        let certificate = params.signed_by(&key, &self.issuer);
        let certificate = certificate.expect("a certificate").der().clone();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .expect("a certificate and its key")
    }
}

/// The ways in which a handshake ends that was begun with a ClientHello: the bytes that
/// come in place of a ServerHello, and the end of the connection.
pub(crate) const HANDSHAKE_ENDS: [(&str, Then); 5] = [
    (ALERT, Then::Close),
    ("", Then::Close),
    ("", Then::Reset),
    (HALF_A_SERVER_HELLO, Then::Reset),
    ("HTTP/1.1 400 Bad Request\r\n\r\n", Then::Close),
];

/// The first bytes of a ServerHello.
pub(crate) const HALF_A_SERVER_HELLO: &str = "\u{16}\u{3}\u{3}\0d\u{2}";

/// The fatal alert `handshake_failure` (RFC 8446 §6.2).
pub(crate) const ALERT: &str = "\u{15}\u{3}\u{3}\0\u{2}\u{2}\u{28}";

/// Completes the handshake of every connection and responds to its first request with
/// what there is of a body of 13 bytes; a shorter one breaks off with a record that
/// nobody has encrypted.
pub(crate) async fn responding(config: ServerConfig, body: &'static str) -> Wire {
    let acceptor = TlsAcceptor::from(Arc::new(config));
    Wire::listen(move |stream, seen| {
        let acceptor = acceptor.clone();
        async move {
            let mut stream = acceptor.accept(stream).await.ok()?;
            seen.read_request(&mut stream).await?;
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\
                        content-length: 13\r\n\r\n";
            stream.write_all(head.as_bytes()).await.ok()?;
            stream.write_all(body.as_bytes()).await.ok()?;
            stream.flush().await.ok()?;
            if body.len() < 13 {
                let (wire, _) = stream.get_mut();
                wire.write_all(&[23, 3, 3, 0, 4, 0, 0, 0, 0]).await.ok()?;
                return wire.shutdown().await.ok();
            }
            stream.shutdown().await.ok()
        }
    })
    .await
}
