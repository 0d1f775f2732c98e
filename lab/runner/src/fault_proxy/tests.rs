//! Every fault, over real sockets and with a client without an HTTP library.

use std::sync::Mutex;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::yield_now,
};

use super::*;

const REQUEST: &str = "POST /jobs HTTP/1.1\r\nHost: service\r\nContent-Length: 4\r\n\r\nbody";
const RESPONSE: &str =
    "HTTP/1.1 201 Created\r\nContent-Length: 10\r\nConnection: close\r\n\r\n0123456789";

/// The response without the second half of its body.
fn first_half() -> &'static str {
    RESPONSE.strip_suffix("56789").expect("ten digits")
}

/// A service that remembers its requests.
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

/// Every request of these tests ends with its body, the word "body".
async fn serve(listener: TcpListener, requests: Arc<Mutex<Vec<String>>>) {
    loop {
        let (mut client, _) = listener.accept().await.unwrap();
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\nbody") {
            assert_ne!(client.read_buf(&mut request).await.unwrap(), 0);
        }
        let request = String::from_utf8(request).unwrap();
        requests.lock().unwrap().push(request);
        client.write_all(RESPONSE.as_bytes()).await.unwrap();
    }
}

/// A service, and before it a proxy with this plan.
async fn start<P>(plan: P) -> (Upstream, FaultProxy)
where
    P: IntoIterator<Item = Fault, IntoIter: Send + 'static>,
{
    let upstream = Upstream::start().await;
    let proxy = FaultProxy::start(upstream.addr, plan).await.unwrap();
    (upstream, proxy)
}

/// Sends bytes, and reads until the connection ends, one way or the other.
async fn send(proxy: &FaultProxy, request: impl AsRef<[u8]>) -> (String, io::Result<()>) {
    let mut client = TcpStream::connect(proxy.addr()).await.unwrap();
    let written = client.write_all(request.as_ref()).await;
    let mut response = Vec::new();
    let end = written.and(client.read_to_end(&mut response).await.map(drop));
    (String::from_utf8_lossy(&response).into_owned(), end)
}

/// Each fault, the response that it leaves, and how many requests reach the service.
#[tokio::test]
async fn each_fault_changes_the_exchange_and_closes_the_connection_cleanly() {
    for (fault, request, expected, requests) in [
        (Fault::PassThrough, REQUEST, RESPONSE, 1),
        (Fault::LoseResponse, REQUEST, "", 1),
        (Fault::CloseMidBody, REQUEST, first_half(), 1),
        (Fault::CloseAtOnce, "", "", 0),
    ] {
        let (upstream, proxy) = start([fault]).await;

        let (response, end) = send(&proxy, request).await;

        assert!(end.is_ok(), "{fault:?}: {end:?}");
        assert_eq!(response, expected, "{fault:?}");
        assert_eq!(upstream.requests().len(), requests, "{fault:?}");
        assert_eq!(proxy.seen(fault), 1, "{fault:?}");
    }
}

#[tokio::test]
async fn resets_the_connection_in_the_middle_of_the_body() {
    let (_upstream, proxy) = start([Fault::ResetMidBody]).await;

    let (response, end) = send(&proxy, REQUEST).await;

    assert_eq!(end.unwrap_err().kind(), io::ErrorKind::ConnectionReset);
    if cfg!(target_os = "linux") {
        assert_eq!(response, first_half());
    }
}

#[tokio::test]
async fn asks_the_service_to_close_the_connection() {
    let (upstream, proxy) = start([]).await;
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
async fn reads_a_request_that_arrives_in_pieces() {
    let (_upstream, proxy) = start([]).await;
    let mut client = TcpStream::connect(proxy.addr()).await.unwrap();
    client.set_nodelay(true).unwrap();

    for byte in REQUEST.bytes() {
        client.write_all(&[byte]).await.unwrap();
        yield_now().await;
    }
    let mut response = String::new();
    client.read_to_string(&mut response).await.unwrap();

    assert_eq!(response, RESPONSE);
}

#[tokio::test]
async fn stalls_without_a_byte_until_it_is_stopped() {
    let (upstream, proxy) = start([Fault::Stall]).await;
    let mut client = TcpStream::connect(proxy.addr()).await.unwrap();
    client.write_all(REQUEST.as_bytes()).await.unwrap();

    // The response to a second request shows that the first had its chance.
    let (second, _) = send(&proxy, REQUEST).await;
    let stalled = client.try_read(&mut [0]);
    proxy.stop().await;
    let mut response = Vec::new();
    let _end_or_reset = client.read_to_end(&mut response).await;

    assert_eq!(second, RESPONSE);
    assert_eq!(stalled.unwrap_err().kind(), io::ErrorKind::WouldBlock);
    assert_eq!(response, b"");
    let requests = upstream.requests().len();
    assert_eq!(requests, 1, "only the second was passed on");
}

#[tokio::test]
async fn refuses_a_tls_handshake_with_a_fatal_alert() {
    let (upstream, proxy) = start([Fault::RefuseTls]).await;
    let mut client = TcpStream::connect(proxy.addr()).await.unwrap();
    let client_hello = [[22, 3, 1, 0, 3].as_slice(), &[1, 0, 0]].concat();

    client.write_all(&client_hello).await.unwrap();
    let mut response = Vec::new();
    client.read_to_end(&mut response).await.unwrap();

    assert_eq!(response, [0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28]);
    assert_eq!(upstream.requests().len(), 0);
}

#[tokio::test]
async fn sends_nothing_to_a_client_without_tls() {
    let (upstream, proxy) = start([Fault::RefuseTls]).await;

    let (response, _end_or_reset) = send(&proxy, REQUEST).await;

    assert_eq!(response, "");
    assert_eq!(upstream.requests().len(), 0);
}

#[tokio::test]
async fn follows_its_plan_and_then_lets_everything_pass() {
    let plan = [Fault::LoseResponse, Fault::PassThrough, Fault::CloseMidBody];
    let (_upstream, proxy) = start(plan).await;

    let mut responses = Vec::new();
    for _ in 0..5 {
        responses.push(send(&proxy, REQUEST).await.0);
    }

    let expected = ["", RESPONSE, first_half(), RESPONSE, RESPONSE];
    assert_eq!(responses, expected);
}

#[tokio::test]
async fn refuses_an_invalid_request() {
    let (upstream, proxy) = start([]).await;
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
    let too_large = "x".repeat(2 * 1024 * 1024);
    let too_large = format!("Content-Length: {}\r\n\r\n{too_large}", too_large.len());

    for (rest, status) in table.into_iter().chain([(&*too_large, "413")]) {
        let (response, end) = send(&proxy, format!("POST / HTTP/1.1\r\n{rest}")).await;

        let start = format!("HTTP/1.1 {status} ");
        assert!(response.starts_with(&start), "{status}: {response:?}");
        assert!(end.is_ok(), "{status}: {end:?}");
    }
    let (response, _) = send(&proxy, [22, 3, 1, 0, 3, 1, 0, 0]).await;
    assert!(response.starts_with("HTTP/1.1 400 "), "{response:?}");
    assert_eq!(upstream.requests().len(), 0);
}

#[tokio::test]
async fn responds_502_if_the_service_is_not_there() {
    let gone = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let addr = gone.local_addr().unwrap();
    drop(gone);
    let proxy = FaultProxy::start(addr, []).await.unwrap();

    let (response, _) = send(&proxy, REQUEST).await;

    assert!(response.starts_with("HTTP/1.1 502 "), "{response:?}");
}

#[tokio::test]
async fn closes_every_socket_when_it_is_stopped_or_dropped() {
    for stops in [true, false] {
        let (_upstream, proxy) = start([]).await;
        let addr = proxy.addr();
        let mut idle = TcpStream::connect(addr).await.unwrap();
        // Connections are accepted in their order.
        send(&proxy, REQUEST).await.1.unwrap();

        match stops {
            true => proxy.stop().await,
            false => drop(proxy),
        }

        let read = idle.read(&mut [0]).await.unwrap();
        assert_eq!(read, 0, "open connections are closed");
        let again = TcpStream::connect(addr).await;
        assert_eq!(again.unwrap_err().kind(), io::ErrorKind::ConnectionRefused);
    }
}
