//! Every fault, over real sockets and with a client that knows no HTTP library.

use std::{iter, sync::Mutex};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::yield_now,
};

use super::*;

const REQUEST: &str = "POST /jobs HTTP/1.1\r\nHost: service\r\nContent-Length: 4\r\n\r\nbody";
const HEAD: &str = "HTTP/1.1 201 Created\r\nContent-Length: 10\r\nConnection: close\r\n\r\n";

/// A service that remembers what it was asked.
struct Upstream {
    addr: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
    _serving: JoinSet<()>,
}

impl Upstream {
    async fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let addr = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let mut serving = JoinSet::new();
        serving.spawn(serve(listener, Arc::clone(&requests)));
        Self {
            addr,
            requests,
            _serving: serving,
        }
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

/// A proxy that goes by `plan`, and the service it stands before.
async fn before_a_service<P>(plan: P) -> (Upstream, FaultProxy)
where
    P: IntoIterator<Item = Fault, IntoIter: Send + 'static>,
{
    let upstream = Upstream::start().await;
    let proxy = FaultProxy::start(upstream.addr, plan).await.unwrap();
    (upstream, proxy)
}

/// Every request of these tests ends with its body, the word "body".
async fn serve(listener: TcpListener, requests: Arc<Mutex<Vec<String>>>) {
    loop {
        let (mut client, _) = listener.accept().await.unwrap();
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\nbody") {
            assert_ne!(client.read_buf(&mut request).await.unwrap(), 0);
        }
        requests
            .lock()
            .unwrap()
            .push(String::from_utf8(request).unwrap());
        client
            .write_all(format!("{HEAD}0123456789").as_bytes())
            .await
            .unwrap();
    }
}

/// Sends bytes, and reads until the connection ends, one way or the other.
async fn send(proxy: &FaultProxy, request: impl AsRef<[u8]>) -> (String, io::Result<()>) {
    let mut client = TcpStream::connect(proxy.addr()).await.unwrap();
    let written = client.write_all(request.as_ref()).await;
    let mut answer = Vec::new();
    let end = written.and(client.read_to_end(&mut answer).await.map(drop));
    (String::from_utf8(answer).unwrap(), end)
}

#[tokio::test]
async fn passes_a_request_and_its_answer_through() {
    let (_upstream, proxy) = before_a_service([]).await;

    let (answer, end) = send(&proxy, REQUEST).await;

    assert!(end.is_ok(), "{end:?}");
    assert_eq!(answer, format!("{HEAD}0123456789"));
    assert_eq!(proxy.seen(Fault::PassThrough), 1);
}

#[tokio::test]
async fn asks_the_service_to_close_whatever_the_client_asked() {
    let (upstream, proxy) = before_a_service([]).await;
    let request = "POST /jobs HTTP/1.1\r\nconnection: keep-alive\r\nKeep-Alive: timeout=5\r\n\
                   Content-Length: 4\r\n\r\nbody";

    let (_, end) = send(&proxy, request).await;

    assert!(end.is_ok(), "{end:?}");
    assert_eq!(
        upstream.requests(),
        ["POST /jobs HTTP/1.1\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbody"]
    );
}

#[tokio::test]
async fn puts_a_request_together_that_comes_in_pieces() {
    let (_upstream, proxy) = before_a_service([]).await;
    let mut client = TcpStream::connect(proxy.addr()).await.unwrap();
    client.set_nodelay(true).unwrap();

    for byte in REQUEST.bytes() {
        client.write_all(&[byte]).await.unwrap();
        yield_now().await;
    }
    let mut answer = String::new();
    client.read_to_string(&mut answer).await.unwrap();

    assert_eq!(answer, format!("{HEAD}0123456789"));
}

#[tokio::test]
async fn loses_the_answer_to_a_request_that_was_carried_out() {
    let (upstream, proxy) = before_a_service([Fault::LoseResponse]).await;

    let (answer, end) = send(&proxy, REQUEST).await;

    assert!(end.is_ok(), "{end:?}");
    assert_eq!(answer, "");
    assert_eq!(upstream.requests().len(), 1);
    assert_eq!(proxy.seen(Fault::LoseResponse), 1);
}

#[tokio::test]
async fn resets_the_connection_in_the_middle_of_the_body() {
    let (_upstream, proxy) = before_a_service([Fault::ResetMidBody]).await;

    let (answer, end) = send(&proxy, REQUEST).await;

    assert_eq!(end.unwrap_err().kind(), io::ErrorKind::ConnectionReset);
    if cfg!(target_os = "linux") {
        assert_eq!(answer, format!("{HEAD}01234"));
    }
    assert_eq!(proxy.seen(Fault::ResetMidBody), 1);
}

#[tokio::test]
async fn closes_the_connection_in_the_middle_of_the_body() {
    let (_upstream, proxy) = before_a_service([Fault::CloseMidBody]).await;

    let (answer, end) = send(&proxy, REQUEST).await;

    assert!(end.is_ok(), "{end:?}");
    assert_eq!(answer, format!("{HEAD}01234"));
    assert_eq!(proxy.seen(Fault::CloseMidBody), 1);
}

#[tokio::test]
async fn stalls_without_a_byte_until_it_is_stopped() {
    let (upstream, proxy) = before_a_service([Fault::Stall]).await;
    let mut client = TcpStream::connect(proxy.addr()).await.unwrap();
    client.write_all(REQUEST.as_bytes()).await.unwrap();

    // A second request that is answered proves that the first had its chance.
    let (second, _) = send(&proxy, REQUEST).await;
    let stalled = client.try_read(&mut [0]);
    let seen = proxy.seen(Fault::Stall);
    proxy.stop().await;
    let mut answer = Vec::new();
    let _end_or_reset = client.read_to_end(&mut answer).await;

    assert_eq!(second, format!("{HEAD}0123456789"));
    assert_eq!(stalled.unwrap_err().kind(), io::ErrorKind::WouldBlock);
    assert_eq!(answer, b"");
    assert_eq!(
        upstream.requests().len(),
        1,
        "only the second was passed on"
    );
    assert_eq!(seen, 1);
}

#[tokio::test]
async fn refuses_a_tls_handshake_with_a_fatal_alert() {
    let (upstream, proxy) = before_a_service([Fault::RefuseTls]).await;
    let mut client = TcpStream::connect(proxy.addr()).await.unwrap();
    let client_hello = [[22, 3, 1, 0, 3].as_slice(), &[1, 0, 0]].concat();

    client.write_all(&client_hello).await.unwrap();
    let mut answer = Vec::new();
    client.read_to_end(&mut answer).await.unwrap();

    assert_eq!(answer, [0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28]);
    assert_eq!(upstream.requests().len(), 0);
    assert_eq!(proxy.seen(Fault::RefuseTls), 1);
}

#[tokio::test]
async fn says_nothing_to_a_client_that_speaks_no_tls() {
    let (upstream, proxy) = before_a_service([Fault::RefuseTls]).await;

    let (answer, _end_or_reset) = send(&proxy, REQUEST).await;

    assert_eq!(answer, "");
    assert_eq!(upstream.requests().len(), 0);
}

#[tokio::test]
async fn closes_a_connection_at_once() {
    let (upstream, proxy) = before_a_service([Fault::CloseAtOnce]).await;

    let (answer, end) = send(&proxy, "").await;

    assert!(end.is_ok(), "{end:?}");
    assert_eq!(answer, "");
    assert_eq!(upstream.requests().len(), 0);
    assert_eq!(proxy.seen(Fault::CloseAtOnce), 1);
}

#[tokio::test]
async fn follows_its_plan_and_then_lets_everything_pass() {
    let plan = [Fault::LoseResponse, Fault::PassThrough, Fault::CloseMidBody];
    let (_upstream, proxy) = before_a_service(plan).await;

    let mut lengths = Vec::new();
    for _ in 0..5 {
        lengths.push(send(&proxy, REQUEST).await.0.len());
    }

    let (half, whole) = (HEAD.len() + 5, HEAD.len() + 10);
    assert_eq!(lengths, [0, whole, half, whole, whole]);
    assert_eq!(proxy.seen(Fault::PassThrough), 3);
}

#[tokio::test]
async fn a_plan_may_have_no_end() {
    let (_upstream, proxy) = before_a_service(iter::repeat(Fault::LoseResponse)).await;

    for _ in 0..3 {
        assert_eq!(send(&proxy, REQUEST).await.0, "");
    }

    assert_eq!(proxy.seen(Fault::LoseResponse), 3);
}

#[tokio::test]
async fn says_plainly_what_it_does_not_understand() {
    let (upstream, proxy) = before_a_service([]).await;
    let table = [
        (
            "Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n",
            "411",
        ),
        ("Expect: 100-continue\r\nContent-Length: 4\r\n\r\n", "417"),
        ("Content-Length: four\r\n\r\nbody", "400"),
        ("Content-Length: +4\r\n\r\nbody", "400"),
        ("Content-Length:\r\n\r\nbody", "400"),
        ("Content-Length: 4\r\nContent-Length: 5\r\n\r\nbody", "400"),
        ("no colon\r\n\r\n", "400"),
    ];

    for (rest, status) in table {
        let (answer, end) = send(&proxy, format!("POST / HTTP/1.1\r\n{rest}")).await;
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status} ")),
            "{rest:?}: {answer:?}"
        );
        assert!(end.is_ok(), "{rest:?}: {end:?}");
    }

    assert_eq!(upstream.requests().len(), 0);
}

#[tokio::test]
async fn takes_no_request_that_is_too_large() {
    let (upstream, proxy) = before_a_service([]).await;
    let body = "x".repeat(2 * 1024 * 1024);
    let request = format!(
        "POST / HTTP/1.1\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );

    let (answer, end) = send(&proxy, request).await;

    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer:?}");
    assert!(end.is_ok(), "{end:?}");
    assert_eq!(upstream.requests().len(), 0);
}

#[tokio::test]
async fn does_not_wait_for_a_request_from_a_client_that_speaks_tls() {
    let (_upstream, proxy) = before_a_service([]).await;

    let (answer, _) = send(&proxy, [22, 3, 1, 0, 3, 1, 0, 0]).await;

    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer:?}");
}

#[tokio::test]
async fn answers_502_if_the_service_is_not_there() {
    let gone = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let addr = gone.local_addr().unwrap();
    drop(gone);
    let proxy = FaultProxy::start(addr, []).await.unwrap();

    let (answer, _) = send(&proxy, REQUEST).await;

    assert!(answer.starts_with("HTTP/1.1 502 "), "{answer:?}");
}

#[tokio::test]
async fn leaves_nothing_when_it_is_stopped() {
    let (_upstream, proxy) = before_a_service([]).await;
    let addr = proxy.addr();
    let mut idle = TcpStream::connect(addr).await.unwrap();
    while proxy.seen(Fault::PassThrough) == 0 {
        yield_now().await;
    }

    proxy.stop().await;

    assert_eq!(
        idle.read(&mut [0]).await.unwrap(),
        0,
        "open connections are closed"
    );
    let again = TcpStream::connect(addr).await;
    assert_eq!(again.unwrap_err().kind(), io::ErrorKind::ConnectionRefused);
}

#[tokio::test]
async fn leaves_nothing_when_it_is_dropped() {
    let (_upstream, proxy) = before_a_service([]).await;
    let addr = proxy.addr();
    let mut idle = TcpStream::connect(addr).await.unwrap();
    while proxy.seen(Fault::PassThrough) == 0 {
        yield_now().await;
    }

    drop(proxy);

    assert_eq!(
        idle.read(&mut [0]).await.unwrap(),
        0,
        "open connections are closed"
    );
    let again = TcpStream::connect(addr).await;
    assert_eq!(again.unwrap_err().kind(), io::ErrorKind::ConnectionRefused);
}

#[tokio::test]
async fn names_itself_as_a_base_url() {
    let (_upstream, proxy) = before_a_service([]).await;

    let port = proxy.addr().port();

    assert_eq!(proxy.base_url(), format!("http://127.0.0.1:{port}"));
    assert_eq!(proxy.tls_base_url(), format!("https://127.0.0.1:{port}"));
}
