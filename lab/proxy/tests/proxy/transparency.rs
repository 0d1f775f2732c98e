//! Nothing changes on the way but `Host`, `Via` and the hop-by-hop headers, and each request
//! reaches the upstream exactly once.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use proptest::{collection::vec, prelude::*};
use proxy::Body;
use tokio::{runtime::Builder, time::sleep};

use super::*;

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// One request and its response as they arrive. The upstream must have seen it once.
async fn passed(sent: &str, response: &str) -> (Message, String) {
    let (mut seen, got, run) = served(sent, response).await;
    assert_eq!((seen.len(), run.requests.len()), (1, 1), "{seen:?} {got}");
    (seen.remove(0), got)
}

/// Lines of headers, with some names twice.
fn lines() -> impl Strategy<Value = Vec<(String, String)>> {
    let value = "([!-~\u{80}-\u{ff}]([ -~\u{80}-\u{ff}]{0,20}[!-~])?)?";
    vec(("(x-[a-c]|set-cookie|etag|x-[a-z]{1,9})", value), 0..9)
}

fn framed(body: &str, is_chunked: bool) -> (String, String) {
    let (one, other) = body.split_at(body.char_indices().nth(7).map_or(0, |(at, _)| at));
    let parts: Vec<_> = [one, other]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect();
    if is_chunked {
        ("Transfer-Encoding: chunked".to_owned(), chunked(&parts))
    } else {
        (
            format!("Content-Length: {}", body.chars().count()),
            body.to_owned(),
        )
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn headers_and_bodies_pass_unchanged(
        method in "(GET|POST|PUT|PATCH|DELETE|OPTIONS|REPORT)",
        headers in [lines(), lines()],
        bodies in ["[\u{0}-\u{ff}]{0,300}", "[\u{0}-\u{ff}]{0,300}"],
        are_chunked in [any::<bool>(), any::<bool>()],
    ) {
        let framed = [0, 1].map(|side| framed(&bodies[side], are_chunked[side]));
        let written = [0, 1].map(|side| {
            let lines = headers[side].iter().map(|(name, value)| format!("{name}: {value}\r\n"));
            lines.collect::<String>() + &framed[side].0
        });
        let sent = request(&format!("{method} /a?b=c"), &[&written[0]], &framed[0].1);
        let response = format!("HTTP/1.1 207 X\r\n{}\r\n\r\n{}", written[1], framed[1].1);
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");

        let (seen, got) = runtime.block_on(passed(&sent, &response));
        let got = Message::of(&got);

        let added = ["connection", "host", "via", "transfer-encoding", "date"];
        for (message, original, via) in [
            (&seen, Message::of(&sent), "1.1 lab"),
            (&got, Message::of(&response), "1.1 lab"),
        ] {
            prop_assert_eq!(message.without(&added), original.without(&added));
            prop_assert_eq!(&message.body, &original.body);
            prop_assert_eq!(message.values("via"), [via]);
        }
        prop_assert_eq!(seen.first, format!("{method} /a?b=c HTTP/1.1"));
        prop_assert_eq!(got.status(), "207");
    }
}

#[tokio::test]
async fn a_target_is_kept_byte_for_byte() {
    let targets = "/ /? /a?b=%2f%2F&c=+&d //a//b/../c/./ /%zz/%/a;b=c,d \
                   /{a}|\"b\"[c]?{d}=|[e]^` /a?b?c=/d&http://e.example/ /a'(b)!*~$@:";
    for target in targets.split(' ') {
        let (seen, got) = passed(&get(target), OK).await;

        assert_eq!(seen.first, format!("GET {target} HTTP/1.1"));
        assert_eq!(Message::of(&got).status(), "200", "{target}");
    }
    let (seen, _) = passed(&request("OPTIONS *", &[], ""), OK).await;
    assert_eq!(seen.first, "OPTIONS * HTTP/1.1");
}

#[tokio::test]
async fn hop_by_hop_headers_are_removed_and_via_is_appended() {
    let hops = "Connection: X-Hop , x-other\r\nX-Hop: 1\r\nX-Other: 2\r\nKeep-Alive: timeout=5\r\n\
                Proxy-Connection: keep-alive\r\nVia: 1.1 before\r\nX-Kept: 3\r\nSet-Cookie: a=1\r\n\
                Set-Cookie: b=2";
    let response = format!("HTTP/1.1 200 OK\r\n{hops}\r\nContent-Length: 2\r\n\r\nok");

    let (seen, got) = passed(&request("GET /", &[hops, "TE: trailers"], ""), &response).await;

    let kept = "set-cookie: a=1,set-cookie: b=2,via: 1.1 before,via: 1.1 lab,x-kept: 3";
    assert_eq!(seen.values("te"), ["trailers"]);
    for message in [seen, Message::of(&got)] {
        let added = ["host", "connection", "date", "content-length", "te"];
        let rest = message.without(&added);
        let lines = rest.iter().map(|(name, value)| format!("{name}: {value}"));
        assert_eq!(lines.collect::<Vec<_>>().join(","), kept);
        let hops = message.values("connection").concat();
        assert!(!hops.to_lowercase().contains("x-"), "{hops}");
    }
}

#[tokio::test]
async fn chunks_win_over_a_length() {
    let chunks = chunked(&["a", "bc"]);
    let both = "Transfer-Encoding: chunked\r\nContent-Length: 1";
    let response = format!("HTTP/1.1 200 OK\r\n{both}\r\n\r\n{chunks}");

    let (seen, got) = passed(&request("POST /", &[both], &chunks), &response).await;

    for message in [seen, Message::of(&got)] {
        assert_eq!(message.body, "abc");
        assert_eq!(message.values("content-length"), [""; 0]);
    }
}

#[tokio::test]
async fn a_head_may_have_two_hundred_lines() {
    let lines = |count: usize| {
        let lines = (0..count).map(|number| format!("X-{number}: {number}"));
        lines.collect::<Vec<_>>().join("\r\n")
    };
    let response = |lines: &str| format!("HTTP/1.1 200 OK\r\n{lines}\r\nContent-Length: 0\r\n\r\n");

    // Host and Connection are two, Content-Length is one.
    let sent = request("GET /", &[&lines(198)], "");
    let (seen, got) = passed(&sent, &response(&lines(199))).await;
    let (_, too_many) = passed(&get("/"), &response(&lines(200))).await;
    let (unseen, refused, _) = served(&request("GET /", &[&lines(199)], ""), OK).await;

    assert_eq!(seen.values("x-197"), ["197"]);
    assert_eq!(Message::of(&got).values("x-198"), ["198"]);
    assert_eq!(Message::of(&too_many).status(), "502");
    assert_eq!((unseen.len(), Message::of(&refused).status()), (0, "431"));
}

#[tokio::test]
async fn a_folded_header_of_a_response_is_unfolded() {
    let folded = "X-Folded: one\r\n  two\r\n\tthree";
    let response = format!("HTTP/1.1 200 OK\r\n{folded}\r\nContent-Length: 2\r\n\r\nok");

    let (_, got) = passed(&get("/"), &response).await;

    let got = Message::of(&got);
    let value = got.values("x-folded").concat();
    let words: Vec<_> = value.split_whitespace().collect();
    assert_eq!((words, &*got.body), (vec!["one", "two", "three"], "ok"));
}

#[tokio::test]
async fn trailers_pass_in_both_directions() {
    let chunks = "3\r\nabc\r\n0\r\nX-Sum: 7\r\n\r\n";
    let lines = [
        "Transfer-Encoding: chunked",
        "Trailer: X-Sum",
        "TE: trailers",
    ];
    let response = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n";

    let sent = request("POST /", &lines, chunks);
    let (seen, got, run) = served(&sent, &format!("{response}{chunks}")).await;

    assert_eq!(seen[0].values("trailer"), ["X-Sum"]);
    assert_eq!(seen[0].values("te"), ["trailers"]);
    assert_eq!(seen[0].trailers, "x-sum: 7\r\n");
    let got = Message::of(&got);
    assert_eq!((&*got.body, &*got.trailers), ("abc", "x-sum: 7\r\n"));
    assert_ne!(run.requests[0].body, Body::Unknown);
}

/// The end of a connection that the upstream resets in the middle of a response.
async fn end_after_a_reset(tls: Option<&Authority>) -> std::io::Error {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let proxy = match tls {
        None => Proxy::before(address, None),
        Some(authority) => Proxy(tls::trusting(address, authority.pem())),
    };
    let acceptor = tls.map(|authority| authority.acceptor("127.0.0.1", VALID, &[]));
    let half = bytes("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf");
    let (came, has_come) = tokio::sync::oneshot::channel();
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.expect("the proxy");
        match acceptor {
            None => {
                let mut stream = stream;
                answer(&mut stream, &half, &Mutex::default()).await;
                has_come.await.expect("the client got it");
                stream.set_zero_linger().expect("a socket");
            }
            Some(acceptor) => {
                let mut stream = acceptor.accept(stream).await.expect("a handshake");
                answer(&mut stream, &half, &Mutex::default()).await;
                has_come.await.expect("the client got it");
                stream.get_ref().0.set_zero_linger().expect("a socket");
            }
        }
    });
    let mut stream = proxy.connect().await;
    send(&mut stream, &get("/")).await;
    let mut all = Vec::new();
    while !all.ends_with(b"half") {
        stream.read_buf(&mut all).await.expect("it comes");
    }
    came.send(()).expect("it waits");
    let end = stream.read_buf(&mut all).await;
    end.expect_err("a close in good order")
}

#[tokio::test]
async fn a_reset_stays_a_reset() {
    let authority = Authority::named("an authority");

    for tls in [None, Some(&authority)] {
        let end = end_after_a_reset(tls).await;

        assert_eq!(end.kind(), std::io::ErrorKind::ConnectionReset);
    }
}

#[tokio::test]
async fn host_is_the_upstreams_unless_it_is_kept() {
    for keeps_host in [false, true] {
        let api = Api::answering(OK).await;
        let upstream = Upstream::new(&format!("http://{}", api.address), &[]);
        let upstream = upstream.expect("an origin");
        let setup = Setup {
            keeps_host,
            ..Setup::before(upstream)
        };
        let listening = Listening::start(&setup, None);

        Proxy(listening.expect("a port")).ask(&get("/")).await;

        let upstream = api.address.to_string();
        let expected = if keeps_host { "localhost" } else { &upstream };
        assert_eq!(api.seen()[0].values("host"), [expected]);
    }
}

#[tokio::test]
async fn a_response_without_a_body_stays_without_one() {
    for (method, head) in [
        ("HEAD", "200 OK\r\nContent-Length: 5\r\nETag: \"a\""),
        ("HEAD", "200 OK\r\nETag: \"a\""),
        ("HEAD", "404 Not Found\r\nContent-Length: 1234567"),
        ("GET", "204 No Content\r\nETag: \"a\""),
        ("GET", "304 Not Modified\r\nETag: \"a\""),
        ("POST", "200 OK\r\nContent-Length: 0"),
    ] {
        let response = format!("HTTP/1.1 {head}\r\n\r\n");

        let (_, got) = passed(&request(&format!("{method} /"), &[], ""), &response).await;

        let (got, sent) = (Message::of(&got), Message::of(&response));
        let added = ["connection", "via", "date"];
        assert_eq!(got.without(&added), sent.without(&added), "{method} {head}");
        assert_eq!((got.status(), &*got.body), (&head[..3], ""));
    }
}

#[tokio::test]
async fn http_1_0_is_understood_on_both_sides() {
    let chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let chunks = chunks.to_owned() + &chunked(&["a", "bc"]);
    for (sent, response, via, to_client) in [
        (
            "GET / HTTP/1.0\r\n\r\n",
            &*chunks,
            ["1.0 lab", "1.1 lab"],
            "HTTP/1.0",
        ),
        (
            &get("/"),
            "HTTP/1.0 200 OK\r\n\r\nabc",
            ["1.1 lab", "1.0 lab"],
            "HTTP/1.1",
        ),
    ] {
        let (seen, got) = passed(sent, response).await;

        let got = Message::of(&got);
        assert_eq!(seen.first, "GET / HTTP/1.1");
        assert_eq!([seen.values("via"), got.values("via")].concat(), via);
        assert_eq!((&got.first[..8], &*got.body), (to_client, "abc"));
    }
}

#[tokio::test]
async fn a_client_that_expects_100_continue_gets_it() {
    let api = Api::answering(OK).await;
    let proxy = Proxy::before(api.address, None);
    let mut stream = proxy.connect().await;
    let head = request("POST /", &["Expect: 100-continue", "Content-Length: 4"], "");

    send(&mut stream, &head).await;
    let mut interim = [0; 25];
    let read = stream.read_exact(&mut interim).await;
    send(&mut stream, "body").await;
    let got = read_to_end(&mut stream).await;

    assert!(read.is_ok() && interim.starts_with(b"HTTP/1.1 100 "));
    assert_eq!(Message::of(&got).first, "HTTP/1.1 200 OK");
    assert_eq!(got.matches("HTTP/1.1").count(), 1);
    // The proxy has answered the expectation, and does not pass it on.
    let seen = api.seen();
    assert_eq!(seen.len(), 1);
    assert_eq!((&*seen[0].body, seen[0].values("expect")), ("body", vec![]));
}

#[tokio::test]
async fn pipelined_requests_are_each_answered_once_and_in_order() {
    let [to, chunks] = ["HTTP/1.1\r\nHost: localhost\r\n", &chunked(&["22"])];
    let one = format!("POST /a {to}Content-Length: 1\r\n\r\n1");
    let two = format!("PUT /b {to}Transfer-Encoding: chunked\r\n\r\n{chunks}");

    let (seen, got, run) = served(&format!("{one}{two}{}", get("/c")), OK).await;

    let seen = seen
        .iter()
        .map(|request| format!("{} {}", request.first, request.body));
    let expected = "POST /a HTTP/1.1 1,PUT /b HTTP/1.1 22,GET /c HTTP/1.1 ";
    assert_eq!(seen.collect::<Vec<_>>().join(","), expected);
    assert_eq!(got.matches("HTTP/1.1 200 OK\r\n").count(), 3, "{got}");
    let routes: Vec<_> = run.requests.iter().map(|request| &*request.route).collect();
    assert_eq!(routes, ["POST /a", "PUT /b", "GET /c"]);
}

#[tokio::test]
async fn a_slow_reader_slows_the_upstream_down() {
    const CHUNK: usize = 64 * 1024;
    const ALL: usize = 1_024 * CHUNK;
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let proxy = Proxy::before(listener.local_addr().expect("an address"), None);
    let written = Arc::new(AtomicUsize::new(0));
    let writes = Arc::clone(&written);
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("a request");
        read_message(&mut stream).await;
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {ALL}\r\n\r\n");
        stream.write_all(head.as_bytes()).await.expect("written");
        while writes.load(Ordering::SeqCst) < ALL {
            stream.write_all(&[b'x'; CHUNK]).await.expect("written");
            writes.fetch_add(CHUNK, Ordering::SeqCst);
        }
    });
    let mut stream = proxy.connect().await;

    send(&mut stream, &get("/")).await;
    let mut before = usize::MAX;
    while before != written.load(Ordering::SeqCst) {
        before = written.load(Ordering::SeqCst);
        sleep(Duration::from_millis(60)).await;
    }
    let got = read_to_end(&mut stream).await;

    // The buffers of four sockets hold so much.
    assert!(before < ALL / 2, "the proxy took {before} bytes");
    assert_eq!(Message::of(&got).body.len(), ALL);
}
