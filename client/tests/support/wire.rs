//! A service below HTTP: it sends each connection bytes from a script.

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use client::teaching::{Builder, ReliableApiClient};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt, copy, sink},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

/// The end of a connection, after the bytes of a response.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Then {
    /// The next request on the same connection, which gets the same response.
    Again,
    /// The next request on the same connection, and its response.
    Next(&'static str, &'static Then),
    /// The connection is closed, however much was announced.
    Close,
    /// The connection is reset.
    Reset,
    /// Nothing, until the client closes.
    Stall,
    /// These bytes, and a moment later again, for ever.
    Drip(&'static str),
    /// These bytes again and again, as fast as the client takes them, up to
    /// [`ENDLESS`].
    Flood(&'static str),
}

/// How much a flood sends. A client that takes it all knows no bound.
pub(crate) const ENDLESS: usize = 64 * 1024 * 1024;

/// A listener on a port of its own, stopped when it is dropped.
pub(crate) struct Wire {
    address: SocketAddr,
    seen: Arc<Seen>,
    _serving: JoinSet<()>,
}

/// The bytes that came and went.
#[derive(Default)]
pub(crate) struct Seen {
    requests: Mutex<Vec<String>>,
    flooded: AtomicUsize,
}

impl Wire {
    /// Gives the first connection the first response, the second the second, and
    /// every later one the last.
    pub(crate) async fn serve(script: &[(&str, Then)]) -> Self {
        let owned = |(bytes, then): &(&str, Then)| ((*bytes).to_owned(), *then);
        let script: Vec<_> = script.iter().map(owned).collect();
        let mut number = 0;
        Self::listen(move |stream, seen| {
            let (bytes, then) = script[number.min(script.len() - 1)].clone();
            number += 1;
            respond(stream, bytes, then, seen)
        })
        .await
    }

    /// Gives each connection a task.
    pub(crate) async fn listen<F>(
        mut respond: impl FnMut(TcpStream, Arc<Seen>) -> F + Send + 'static,
    ) -> Self
    where
        F: Future<Output = Option<()>> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let seen = Arc::<Seen>::default();
        let serving = Arc::clone(&seen);
        let serving = async move {
            let mut responding = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                responding.spawn(respond(stream, Arc::clone(&serving)));
            }
        };
        Self {
            address,
            seen,
            _serving: [serving].into_iter().collect(),
        }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// A client of this service.
    pub(crate) fn client(&self, configure: impl FnOnce(Builder) -> Builder) -> ReliableApiClient {
        let builder = configure(ReliableApiClient::builder(&self.base_url()));
        builder.build().expect("a client")
    }

    /// How many bytes of floods were taken so far.
    pub(crate) fn flooded(&self) -> usize {
        self.seen.flooded.load(Ordering::Relaxed)
    }

    /// The heads of the requests so far.
    pub(crate) fn requests(&self) -> Vec<String> {
        let requests = self.seen.requests.lock();
        requests.expect("no panic while held").clone()
    }
}

async fn respond(
    mut stream: TcpStream,
    mut bytes: String,
    mut then: Then,
    seen: Arc<Seen>,
) -> Option<()> {
    loop {
        seen.read_request(&mut stream).await?;
        stream.write_all(bytes.as_bytes()).await.ok()?;
        match then {
            Then::Again => {}
            Then::Next(next, end) => (bytes, then) = (next.to_owned(), *end),
            _ => break,
        }
    }
    match then {
        Then::Again | Then::Next(..) | Then::Close => {}
        // Dropped unread, or with a zero linger, a socket sends no FIN but RST.
        Then::Reset => return stream.set_zero_linger().ok(),
        Then::Stall => drop(copy(&mut stream, &mut sink()).await),
        Then::Drip(part) => loop {
            stream.write_all(part.as_bytes()).await.ok()?;
            tokio::time::sleep(Duration::from_millis(1)).await;
        },
        Then::Flood(part) => {
            let parts = part.repeat(16 * 1024 / part.len());
            for _ in 0..ENDLESS.div_ceil(parts.len()) {
                stream.write_all(parts.as_bytes()).await.ok()?;
                seen.flooded.fetch_add(parts.len(), Ordering::Relaxed);
            }
        }
    }
    stream.shutdown().await.ok()
}

impl Seen {
    /// Reads one request whole, and notes its head: closing a socket with unread bytes
    /// resets it, and the response might be lost with it. A ClientHello counts as a
    /// request.
    pub(crate) async fn read_request(&self, stream: &mut (impl AsyncRead + Unpin)) -> Option<()> {
        let mut bytes = Vec::new();
        let head = loop {
            let read = stream.read_buf(&mut bytes).await.ok()?;
            if let Some(head) = head_of_a_whole_request(&bytes) {
                break head;
            }
            (read > 0).then_some(())?;
        };
        let mut requests = self.requests.lock().expect("no panic while held");
        requests.push(head);
        Some(())
    }
}

fn head_of_a_whole_request(bytes: &[u8]) -> Option<String> {
    if let [22, _, _, high, low, record @ ..] = bytes {
        let length = u16::from_be_bytes([*high, *low]);
        return (record.len() >= usize::from(length)).then(|| "ClientHello".to_owned());
    }
    let text = String::from_utf8_lossy(bytes);
    let (head, body) = text.split_once("\r\n\r\n")?;
    let lower_case = head.to_ascii_lowercase();
    let mut headers = lower_case.lines();
    let length = headers.find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
    (body.len() >= length.unwrap_or(0)).then(|| head.to_owned())
}
