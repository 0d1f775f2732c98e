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
    io::{AsyncReadExt, AsyncWriteExt, copy, sink},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

/// What follows the bytes of a response.
#[derive(Clone, Copy)]
pub(crate) enum Then {
    /// The next request on the same connection, which gets the same response.
    Again,
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
    port: u16,
    requests: Arc<Mutex<Vec<String>>>,
    flooded: Arc<AtomicUsize>,
    _serving: JoinSet<()>,
}

impl Wire {
    /// Gives the first connection the first response, the second the second, and
    /// every later one the last.
    pub(crate) async fn serve(script: &[(&str, Then)]) -> Self {
        let requests = Arc::<Mutex<Vec<String>>>::default();
        let flooded = Arc::<AtomicUsize>::default();
        let script = script
            .iter()
            .map(|(bytes, then)| ((*bytes).to_owned(), *then));
        let script: Vec<(String, Then)> = script.collect();
        let seen = (Arc::clone(&requests), Arc::clone(&flooded));
        let mut number = 0;
        let serving = listen(move |stream| {
            let (bytes, then) = script[number.min(script.len() - 1)].clone();
            number += 1;
            respond(stream, bytes, then, seen.clone())
        });
        let (address, _serving) = serving.await;
        Self {
            port: address.port(),
            requests,
            flooded,
            _serving,
        }
    }

    pub(crate) fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// A client of this service.
    pub(crate) fn client(&self, configure: impl FnOnce(Builder) -> Builder) -> ReliableApiClient {
        let builder = configure(ReliableApiClient::builder(&self.base_url()));
        builder.build().expect("a client")
    }

    /// How many bytes of floods were taken so far.
    pub(crate) fn flooded(&self) -> usize {
        self.flooded.load(Ordering::Relaxed)
    }

    /// The heads of the requests so far.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().expect("no panic while held").clone()
    }
}

/// Listens on a port of its own, and gives each connection a task.
pub(crate) async fn listen<F>(
    mut respond: impl FnMut(TcpStream) -> F + Send + 'static,
) -> (SocketAddr, JoinSet<()>)
where
    F: Future<Output = Option<()>> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    let mut serving = JoinSet::new();
    serving.spawn(async move {
        let mut responding = JoinSet::new();
        while let Ok((stream, _)) = listener.accept().await {
            responding.spawn(respond(stream));
        }
    });
    (address, serving)
}

async fn respond(
    mut stream: TcpStream,
    bytes: String,
    then: Then,
    (seen, flooded): (Arc<Mutex<Vec<String>>>, Arc<AtomicUsize>),
) -> Option<()> {
    loop {
        let head = read_request(&mut stream).await?;
        seen.lock().expect("no panic while held").push(head);
        stream.write_all(bytes.as_bytes()).await.ok()?;
        if !matches!(then, Then::Again) {
            break;
        }
    }
    match then {
        Then::Again | Then::Close => {}
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
                flooded.fetch_add(parts.len(), Ordering::Relaxed);
            }
        }
    }
    stream.shutdown().await.ok()
}

/// Reads one request whole: closing a socket with unread bytes resets it, and
/// the response might be lost with it.
pub(crate) async fn read_request(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        stream
            .read_buf(&mut bytes)
            .await
            .ok()
            .filter(|read| *read > 0)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.to_ascii_lowercase();
            let length = length.lines().find_map(|line| {
                let value = line.strip_prefix("content-length:")?;
                value.trim().parse().ok()
            });
            if body.len() >= length.unwrap_or(0) {
                return Some(head.to_owned());
            }
        }
    }
}
