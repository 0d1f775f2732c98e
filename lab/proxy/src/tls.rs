//! TLS to the upstream: rustls with the system's roots, and those that the user adds. Nothing
//! switches the verification off.

use std::{io, sync::Arc, time::Duration};

use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, InvalidMessage, RootCertStore,
    SignatureScheme,
    client::{
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
        verify_server_cert_signed_by_trust_anchor, verify_server_name,
    },
    crypto::{WebPkiSupportedAlgorithms, ring, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, InvalidDnsNameError, ServerName, UnixTime, pem::PemObject},
    server::ParsedCertificate,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::timeout,
};
use tokio_rustls::{TlsConnector, client::TlsStream};

use super::UpstreamFailure;

/// The only protocol that the proxy speaks, as ALPN names it.
const HTTP_11: &[u8] = b"http/1.1";

/// How long a handshake may take.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// How an upstream is verified.
#[derive(Clone, Debug)]
pub(super) struct Tls {
    config: Arc<ClientConfig>,
    /// The name that its certificate has to hold, and that is sent as SNI.
    name: ServerName<'static>,
}

/// Why no upstream can be verified.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// A certificate cannot have the name of the host.
    #[error("'{host}' is not a name that a certificate can have")]
    Name {
        /// The host.
        host: String,
        /// The problem with it.
        source: InvalidDnsNameError,
    },
    /// The file of `--cacert` has no certificate.
    #[error("the file of --cacert has no certificate in PEM")]
    NoCertificate,
    /// A certificate of `--cacert` cannot be used.
    #[error("a certificate of --cacert cannot be used")]
    Certificate(#[source] Error),
    /// The versions of TLS do not fit the cryptography.
    #[error("TLS cannot be set up")]
    Setup(#[source] Error),
}

impl Tls {
    /// Verifies a host by the system's roots, and by those of these PEM files.
    pub(super) fn of(host: &str, added: &[Vec<u8>]) -> Result<Self, TlsError> {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let name = ServerName::try_from(bare.to_owned()).map_err(|source| TlsError::Name {
            host: host.to_owned(),
            source,
        })?;
        let mut roots = RootCertStore::empty();
        // A certificate of the system that cannot be read is not one to trust.
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        let mut given = Vec::new();
        for pem in added {
            let certificates = CertificateDer::pem_slice_iter(pem)
                .collect::<Result<Vec<_>, _>>()
                .map_err(|_| TlsError::NoCertificate)?;
            if certificates.is_empty() {
                return Err(TlsError::NoCertificate);
            }
            for certificate in certificates {
                roots
                    .add(certificate.clone())
                    .map_err(TlsError::Certificate)?;
                given.push(certificate);
            }
        }
        let provider = Arc::new(ring::default_provider());
        let verifier = GivenOrIssued {
            given,
            roots,
            algorithms: provider.signature_verification_algorithms,
        };
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(TlsError::Setup)?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier))
            .with_no_client_auth();
        config.alpn_protocols = vec![HTTP_11.to_vec()];
        Ok(Self {
            config: Arc::new(config),
            name,
        })
    }

    /// Completes the handshake of a connection, or says why it failed.
    pub(super) async fn secure<S>(&self, stream: S) -> Result<TlsStream<S>, UpstreamFailure>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        match timeout(HANDSHAKE, self.connect(stream)).await {
            Ok(done) => done.map_err(|error| handshake_failure(&error)),
            Err(_) => Err(UpstreamFailure::of("no TLS handshake within ten seconds")),
        }
    }

    /// Completes the handshake of a connection.
    pub(super) async fn connect<S>(&self, stream: S) -> io::Result<TlsStream<S>>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let connector = TlsConnector::from(Arc::clone(&self.config));
        connector.connect(self.name.clone(), stream).await
    }
}

/// Trusts what a trusted authority has issued, and the certificates that the user gave.
///
/// A development server often presents a certificate that it signed itself and that is marked as
/// an authority, as `openssl req -x509` makes it. webpki refuses an authority in place of a
/// server even if it is one of the roots, and a given certificate whose issuer is unknown.
#[derive(Debug)]
struct GivenOrIssued {
    given: Vec<CertificateDer<'static>>,
    roots: RootCertStore,
    algorithms: WebPkiSupportedAlgorithms,
}

impl ServerCertVerifier for GivenOrIssued {
    fn verify_server_cert(
        &self,
        presented: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        _ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let certificate = ParsedCertificate::try_from(presented)?;
        let issued = verify_server_cert_signed_by_trust_anchor(
            &certificate,
            &self.roots,
            intermediates,
            now,
            self.algorithms.all,
        );
        issued.or_else(|error| {
            let is_given = self.given.contains(presented);
            if is_given && !is_of_dates(&error) {
                Ok(())
            } else {
                Err(error)
            }
        })?;
        verify_server_name(&certificate, name)?;
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

/// Whether a certificate was refused for its dates. They are read before its uses and its
/// issuer, so that any other error means that it is valid today.
fn is_of_dates(error: &Error) -> bool {
    matches!(
        error,
        Error::InvalidCertificate(
            CertificateError::Expired
                | CertificateError::ExpiredContext { .. }
                | CertificateError::NotValidYet
                | CertificateError::NotValidYetContext { .. }
                | CertificateError::BadEncoding
        )
    )
}

/// Whether the other side of a handshake that failed speaks TLS.
pub(super) fn is_of_tls(error: &io::Error) -> bool {
    cause(error).is_some_and(|cause| !matches!(cause, Error::InvalidMessage(_)))
}

fn cause(error: &io::Error) -> Option<&Error> {
    error.get_ref()?.downcast_ref()
}

/// Why a handshake failed.
fn handshake_failure(error: &io::Error) -> UpstreamFailure {
    let hint = match cause(error) {
        // A namesake of the issuer did not sign it.
        Some(Error::InvalidCertificate(
            CertificateError::UnknownIssuer | CertificateError::BadSignature,
        )) => ". --cacert FILE names an issuer to trust",
        Some(Error::InvalidMessage(InvalidMessage::InvalidContentType)) => {
            ". Is it an http:// URL?"
        }
        _ => "",
    };
    UpstreamFailure::with_hint(error, hint)
}

#[cfg(test)]
mod tests {
    use tokio::{io::duplex, time::Instant};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_handshake_that_nobody_answers_ends() {
        let tls = Tls::of("localhost", &[]).expect("a name");
        let (here, _silent) = duplex(64 * 1024);
        let begun = Instant::now();

        let secured = tls.secure(here).await;

        let failure = secured.expect_err("nobody answers").to_string();
        assert!(failure.contains("within ten seconds"), "{failure}");
        assert_eq!(begun.elapsed(), HANDSHAKE);
    }
}
