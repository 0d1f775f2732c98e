//! Servers that speak TLS, or should: with certificates of the test's own
//! making, or with a handshake that ends before its time.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use super::wire::listen;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, date_time_ymd};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::JoinSet,
};
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

    /// What a client has to trust.
    pub(crate) fn certificate(&self) -> reqwest::Certificate {
        reqwest::Certificate::from_der(self.certificate.der()).expect("a certificate")
    }

    /// A server that is called `name`, from the beginning of the one year until
    /// that of the other.
    pub(crate) fn issue(&self, name: &str, years: [i32; 2]) -> ServerConfig {
        client::install_tls_provider();
        let mut params = CertificateParams::new([name.to_owned()]).expect("a name");
        [params.not_before, params.not_after] = years.map(|year| date_time_ymd(year, 1, 1));
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

/// How a handshake ends that was begun with a ClientHello.
#[derive(Debug, Clone, Copy)]
pub(crate) enum HandshakeEnd {
    /// The fatal alert `handshake_failure` (RFC 8446 §6.2).
    Alert,
    /// The connection is closed in good order.
    Close,
    /// It is reset.
    Reset,
    /// It is reset after the first bytes of a ServerHello.
    ResetMidway,
    /// What comes is no TLS.
    PlainText,
}

/// A listener on a port of its own, stopped when it is dropped.
pub(crate) struct Server {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
    _serving: JoinSet<()>,
}

impl Server {
    /// Completes the handshake of every connection and responds to its first request with
    /// what there is of a body of 13 bytes; a shorter one breaks off with a record that
    /// nobody has encrypted.
    pub(crate) async fn responding(config: ServerConfig, body: &'static str) -> Self {
        let acceptor = TlsAcceptor::from(Arc::new(config));
        Self::serve(move |stream| {
            let acceptor = acceptor.clone();
            async move {
                let mut stream = acceptor.accept(stream).await.ok()?;
                read_head(&mut stream).await?;
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

    /// Ends every handshake.
    pub(crate) async fn ending(end: HandshakeEnd) -> Self {
        Self::serve(move |stream| end_handshake(stream, end)).await
    }

    /// A proxy that opens every tunnel, and ends the handshake in it.
    pub(crate) async fn proxy_ending(end: HandshakeEnd) -> Self {
        Self::serve(move |mut stream| async move {
            read_head(&mut stream).await?;
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.ok()?;
            end_handshake(stream, end).await
        })
        .await
    }

    /// A proxy that resets every connection in place of opening a tunnel.
    pub(crate) async fn proxy_without_tunnels() -> Self {
        Self::serve(async |mut stream| {
            read_head(&mut stream).await?;
            stream.set_zero_linger().ok()
        })
        .await
    }

    async fn serve<F>(respond: impl Fn(TcpStream) -> F + Send + 'static) -> Self
    where
        F: Future<Output = Option<()>> + Send + 'static,
    {
        let connections = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&connections);
        let serving = listen(move |stream| {
            count.fetch_add(1, Ordering::SeqCst);
            respond(stream)
        });
        let (address, _serving) = serving.await;
        Self {
            address,
            connections,
            _serving,
        }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Connections so far.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

async fn end_handshake(mut stream: TcpStream, end: HandshakeEnd) -> Option<()> {
    // To close with something unread would reset the connection.
    read_record(&mut stream).await?;
    let reply: &[u8] = match end {
        HandshakeEnd::Alert => &[21, 3, 3, 0, 2, 2, 40],
        HandshakeEnd::Close | HandshakeEnd::Reset => &[],
        HandshakeEnd::ResetMidway => &[22, 3, 3, 0, 100, 2],
        HandshakeEnd::PlainText => b"HTTP/1.1 400 Bad Request\r\n\r\n",
    };
    stream.write_all(reply).await.ok()?;
    match end {
        HandshakeEnd::Reset | HandshakeEnd::ResetMidway => stream.set_zero_linger().ok(),
        _ => stream.shutdown().await.ok(),
    }
}

/// One TLS record: five bytes that end in its length, and the rest.
async fn read_record(stream: &mut TcpStream) -> Option<()> {
    let mut header = [0; 5];
    stream.read_exact(&mut header).await.ok()?;
    let length = u16::from_be_bytes([header[3], header[4]]);
    let mut rest = vec![0; usize::from(length)];
    stream.read_exact(&mut rest).await.ok()?;
    Some(())
}

/// The head of a request, byte by byte: what follows may be a tunnel's.
async fn read_head(stream: &mut (impl AsyncRead + Unpin)) -> Option<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    Some(())
}
