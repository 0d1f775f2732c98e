//! A port that refuses connections, and one that refuses TLS handshakes.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy, sink},
    net::{TcpListener, TcpSocket, TcpStream},
    task::JoinSet,
};

/// The content type of a TLS record that carries a handshake (RFC 8446 §5.1).
const HANDSHAKE: u8 = 22;

/// A TLS record that carries an alert: fatal (2), `handshake_failure` (40).
const HANDSHAKE_FAILURE: [u8; 7] = [21, 3, 3, 0, 2, 2, 40];

/// A port that refuses connections: it is bound, so that nobody else can listen on
/// it, and not listened on.
///
/// # Errors
///
/// If no port can be bound.
pub fn refusing_port() -> io::Result<TcpSocket> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((Ipv4Addr::LOCALHOST, 0).into())?;
    Ok(socket)
}

/// A running listener, whose response to a TLS ClientHello is the fatal alert
/// `handshake_failure` (RFC 8446 §6.2). To anything else it closes the connection. It stops
/// when it is dropped.
#[derive(Debug)]
pub struct TlsRefusal {
    addr: SocketAddr,
    connections: Arc<AtomicU64>,
    serving: JoinSet<()>,
}

impl TlsRefusal {
    /// Listens on a free port of 127.0.0.1.
    ///
    /// # Errors
    ///
    /// If no port can be bound.
    pub async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let addr = listener.local_addr()?;
        let connections = Arc::<AtomicU64>::default();
        let mut serving = JoinSet::new();
        serving.spawn(serve(listener, Arc::clone(&connections)));
        Ok(Self {
            addr,
            connections,
            serving,
        })
    }

    /// The base URL for a client.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("https://{}", self.addr)
    }

    /// How many connections it has accepted.
    #[must_use]
    pub fn connections(&self) -> u64 {
        self.connections.load(Ordering::Relaxed)
    }

    /// Closes everything, and waits until it is closed.
    pub async fn stop(mut self) {
        self.serving.shutdown().await;
    }
}

/// One connection after the other. It ends when the system fails to accept: a connection
/// that is refused is easier to understand than one that is never served.
async fn serve(listener: TcpListener, connections: Arc<AtomicU64>) {
    while let Ok((client, _)) = listener.accept().await {
        connections.fetch_add(1, Ordering::Relaxed);
        // An error means that the client is gone.
        let _ = refuse(client).await;
    }
}

async fn refuse(mut client: TcpStream) -> io::Result<()> {
    let mut header = [0; 5];
    client.read_exact(&mut header).await?;
    let [content_type, _, _, high, low] = header;
    if content_type != HANDSHAKE {
        return Ok(());
    }
    let mut hello = vec![0; usize::from(u16::from_be_bytes([high, low]))];
    client.read_exact(&mut hello).await?;
    client.write_all(&HANDSHAKE_FAILURE).await?;
    // Closing with something unread would reset the connection, and the client might lose
    // the alert (RFC 9112 §9.6).
    client.shutdown().await?;
    copy(&mut client, &mut sink()).await?;
    Ok(())
}
