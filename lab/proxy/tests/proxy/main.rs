//! `lab proxy` on the wire: raw clients, the proxy, and an API that keeps what it was sent.
//!
//! Texts hold one byte in each `char`, so that no byte is lost or judged.

mod containers;
mod faults;
mod plans;
mod refusals;
mod tls;
mod transparency;

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use proxy::{Aim, CommandEnd, Listening, ProxyFault, ProxyRequest, ProxyRun, Setup, Upstream};
use testkit::tls::{Authority, VALID};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};
use tokio_rustls::TlsAcceptor;

/// An API with one response for all.
struct Api {
    address: SocketAddr,
    /// Each connection, as far as the end of its request.
    seen: Arc<Mutex<Vec<String>>>,
}

impl Api {
    async fn answering(response: &str) -> Self {
        Self::over(response, None).await
    }

    /// The same, with TLS or without.
    async fn over(response: &str, tls: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (response, sees) = (bytes(response), Arc::clone(&seen));
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (response, sees) = (response.clone(), Arc::clone(&sees));
                let tls = tls.clone();
                tokio::spawn(async move {
                    match tls {
                        None => answer(&mut stream, &response, &sees).await,
                        Some(tls) => {
                            // The proxy may refuse the certificate.
                            let Ok(mut stream) = tls.accept(stream).await else {
                                return;
                            };
                            answer(&mut stream, &response, &sees).await;
                            let _ = stream.shutdown().await;
                        }
                    }
                });
            }
        });
        Self { address, seen }
    }

    fn seen(&self) -> Vec<Message> {
        let seen = self.seen.lock().expect("no panic");
        seen.iter().map(|text| Message::of(text)).collect()
    }
}

/// Reads a request and sends a response.
async fn answer(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    response: &[u8],
    sees: &Mutex<Vec<String>>,
) {
    let request = read_message(stream).await;
    sees.lock().expect("no panic").push(request);
    // The proxy may have gone.
    let _ = stream.write_all(response).await;
    let _ = stream.flush().await;
}

/// A proxy before an upstream.
struct Proxy(Listening);

impl Proxy {
    fn before(address: SocketAddr, aim: Option<(&str, ProxyFault)>) -> Self {
        let upstream = Upstream::new(&format!("http://{address}"), &[]).expect("an origin");
        let aim = aim.map(|(route, fault)| Aim::at(route, fault));
        Self(Listening::start(&Setup::before(upstream), aim).expect("a port"))
    }

    async fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port())).await;
        stream.expect("it listens")
    }

    fn port(&self) -> u16 {
        let authority = self.0.base_url().split('/').nth(2).unwrap_or_default();
        let port = authority.rsplit(':').next().unwrap_or_default();
        port.parse().expect("a port")
    }

    /// All that comes until the proxy closes the connection.
    async fn ask(&self, request: &str) -> String {
        let mut stream = self.connect().await;
        // A refused request may be answered before its end.
        let _ = stream.write_all(&bytes(request)).await;
        read_to_end(&mut stream).await
    }

    async fn stop(self) -> ProxyRun {
        self.0.stop(Some(CommandEnd::default())).await
    }
}

/// A request or a response. Names are in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Message {
    first: String,
    headers: Vec<(String, String)>,
    body: String,
    /// The lines after its last chunk.
    trailers: String,
}

impl Message {
    fn of(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let mut lines = head.split("\r\n");
        let first = lines.next().unwrap_or_default().to_owned();
        let headers = lines.filter_map(|line| line.split_once(':'));
        let headers = headers.map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()));
        let mut message = Self {
            first,
            headers: headers.collect(),
            body: body.to_owned(),
            trailers: String::new(),
        };
        if message.values("transfer-encoding") == ["chunked"] {
            (message.body, message.trailers) = dechunked(body);
        }
        message
    }

    fn status(&self) -> &str {
        self.first.split(' ').nth(1).unwrap_or_default()
    }

    fn values(&self, name: &str) -> Vec<&str> {
        let of_it = self.headers.iter().filter(|(it, _)| it == name);
        of_it.map(|(_, value)| &**value).collect()
    }

    /// The headers without these, in an order of names.
    fn without(&self, names: &[&str]) -> Vec<(String, String)> {
        let mut rest = self.headers.clone();
        rest.retain(|(name, _)| !names.contains(&&**name));
        rest.sort_by(|(one, _), (other, _)| one.cmp(other));
        rest
    }
}

fn text(bytes: &[u8]) -> String {
    match str::from_utf8(bytes) {
        // Eight MiB take a second sign by sign.
        Ok(text) if text.is_ascii() => text.to_owned(),
        _ => bytes.iter().map(|byte| char::from(*byte)).collect(),
    }
}

fn bytes(text: &str) -> Vec<u8> {
    if text.is_ascii() {
        return text.as_bytes().to_vec();
    }
    let bytes = text.chars().map(|sign| u8::try_from(u32::from(sign)));
    bytes.collect::<Result<_, _>>().expect("bytes")
}

fn chunked(parts: &[&str]) -> String {
    let chunk = |part: &&str| format!("{:x}\r\n{part}\r\n", part.chars().count());
    parts.iter().map(chunk).collect::<String>() + "0\r\n\r\n"
}

/// The content of chunks, and the lines of their trailers.
fn dechunked(body: &str) -> (String, String) {
    let (size, rest) = body.split_once("\r\n").unwrap_or(("0", ""));
    let size = usize::from_str_radix(size, 16).expect("a size");
    if size == 0 {
        let trailers = rest.strip_suffix("\r\n").unwrap_or(rest);
        return (String::new(), trailers.to_owned());
    }
    let part: String = rest.chars().take(size).collect();
    let rest: String = rest.chars().skip(size + 2).collect();
    let (content, trailers) = dechunked(&rest);
    (part + &content, trailers)
}

async fn read_to_end(stream: &mut TcpStream) -> String {
    let mut all = Vec::new();
    // A reset ends it as well.
    let _ = stream.read_to_end(&mut all).await;
    text(&all)
}

/// Reads one request to the end that its head declares. If it expects a 100, it gets it.
async fn read_message(stream: &mut (impl AsyncRead + AsyncWrite + Unpin)) -> String {
    let mut all = Vec::new();
    let mut is_asked = false;
    while stream.read_buf(&mut all).await.is_ok_and(|read| read > 0) {
        let Some(end) = all.windows(4).position(|window| window == b"\r\n\r\n") else {
            continue;
        };
        let head = Message::of(&text(&all[..end + 4]));
        if !is_asked && !head.values("expect").is_empty() {
            is_asked = true;
            let interim = b"HTTP/1.1 100 Continue\r\n\r\n";
            stream.write_all(interim).await.expect("it reads");
            stream.flush().await.expect("it reads");
        }
        let length: usize = head.values("content-length").concat().parse().unwrap_or(0);
        let is_chunked = !head.values("transfer-encoding").is_empty();
        if all.len() >= end + 4 + length && (!is_chunked || ends_with_chunks(&all[end..])) {
            break;
        }
    }
    text(&all)
}

/// Whether chunks have come to their end, with trailers or without.
fn ends_with_chunks(body: &[u8]) -> bool {
    let last = body.windows(5).rposition(|bytes| bytes == b"\r\n0\r\n");
    last.is_some() && body.ends_with(b"\r\n\r\n")
}

/// A request that closes its connection.
fn request(first: &str, headers: &[&str], body: &str) -> String {
    let lines: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
    format!("{first} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{lines}\r\n{body}")
}

fn get(target: &str) -> String {
    request(&format!("GET {target}"), &[], "")
}

fn post(target: &str, body: &str) -> String {
    let length = format!("Content-Length: {}", body.chars().count());
    request(&format!("POST {target}"), &[&length], body)
}

/// Sends bytes.
async fn send(stream: &mut TcpStream, text: &str) {
    stream.write_all(&bytes(text)).await.expect("it reads");
}

/// The request as the upstream saw it, the client's response, and the record. TLS to the
/// upstream changes nothing of it.
async fn served(sent: &str, response: &str) -> (Vec<Message>, String, ProxyRun) {
    let api = Api::answering(response).await;
    let proxy = Proxy::before(api.address, None);
    let got = proxy.ask(sent).await;
    let run = proxy.stop().await;
    let seen = api.seen();

    let authority = Authority::named("an authority");
    let tls = authority.acceptor("127.0.0.1", VALID, &[]);
    let api = Api::over(response, Some(tls)).await;
    let proxy = Proxy(tls::trusting(api.address, authority.pem()));
    let got_over_tls = proxy.ask(sent).await;
    let run_over_tls = proxy.stop().await;
    let seen_over_tls = api.seen();
    let without_host = |seen: &[Message]| {
        let seen = seen.iter();
        let seen = seen.map(|message| (message.without(&["host"]), message.body.clone()));
        seen.collect::<Vec<_>>()
    };
    assert_eq!(without_host(&seen), without_host(&seen_over_tls));
    let undated = |got: &str| {
        let lines = got.split("\r\n");
        let lines = lines.filter(|line| !line.starts_with("date: "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(undated(&got), undated(&got_over_tls));
    let ends_of = |run: &ProxyRun| run.requests.iter().map(end_of).collect::<Vec<_>>();
    assert_eq!(ends_of(&run), ends_of(&run_over_tls));
    (seen, got, run)
}

/// The status that the client got, that of the upstream if the request was handed on, and
/// whether its fault was delivered.
fn end_of(request: &ProxyRequest) -> (Option<u16>, Option<Option<u16>>, bool) {
    let upstream = request.upstream.as_ref().map(|upstream| upstream.status);
    (request.status, upstream, request.delivered.is_some())
}
