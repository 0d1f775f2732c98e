//! The proxy never does this: it sends nothing again, opens no tunnel, and serves no web site.

use std::time::Duration;

use proxy::{Body, UpstreamFailure};

use super::*;

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

#[tokio::test]
async fn nothing_is_sent_again_where_the_upstream_breaks_off() {
    for (response, status) in [
        ("", "502"),
        ("HTTP/1.1 20", "502"),
        ("no HTTP\r\n\r\n", "502"),
        (
            "HTTP/1.1 101 Switching\r\nUpgrade: a\r\nConnection: upgrade\r\n\r\n",
            "502",
        ),
        ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", "200"),
    ] {
        for sent in [get("/a"), post("/a", "body")] {
            let (seen, got, run) = served(&sent, response).await;

            assert_eq!(Message::of(&got).status(), status, "{response:?}");
            assert_eq!(seen.len(), 1, "{response:?}");
            let status = status.parse().ok();
            let expected = (status, Some(status.filter(|status| *status == 200)), false);
            let ends: Vec<_> = run.requests.iter().map(end_of).collect();
            assert_eq!(ends, [expected], "{response:?}");
        }
    }
}

#[tokio::test]
async fn a_mistake_of_the_client_is_called_that() {
    let chunked = ["Transfer-Encoding: chunked"];
    let broken = request("POST /a", &chunked, "5\r\nhello\r\nno size\r\n");
    let coded = request(
        "POST /a",
        &["Transfer-Encoding: gzip, chunked"],
        "0\r\n\r\n",
    );

    let api = Api::answering(OK).await;
    let proxy = Proxy::before(api.address, None);
    let [broken, coded] = [proxy.ask(&broken).await, proxy.ask(&coded).await];

    let statuses = [&broken, &coded].map(|got| Message::of(got).status().to_owned());
    assert_eq!(statuses, ["400", "501"], "{broken} {coded}");
    let run = proxy.stop().await;
    let failure = run.requests[0]
        .upstream
        .as_ref()
        .and_then(|upstream| upstream.failure.clone());
    assert_eq!(failure, Some(UpstreamFailure::RequestBody));
    assert_eq!(run.refused, ["a transfer coding other than chunked"]);
}

#[tokio::test]
async fn an_upstream_that_resets_gets_no_second_request() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let proxy = Proxy::before(listener.local_addr().expect("an address"), None);
    let accepts = tokio::spawn(async move {
        for number in 0.. {
            let next = tokio::time::timeout(Duration::from_millis(100), listener.accept());
            let Ok(Ok((stream, _))) = next.await else {
                return number;
            };
            // With bytes unread, the close is a reset.
            stream.readable().await.expect("bytes");
        }
        0
    });

    let got = Message::of(&proxy.ask(&post("/a", "body")).await);

    assert_eq!(got.status(), "502");
    assert_eq!(accepts.await.expect("no panic"), 1);
    let run = proxy.stop().await;
    assert_eq!(end_of(&run.requests[0]), (Some(502), Some(None), false));
}

#[tokio::test]
async fn tunnels_upgrades_and_web_sites_are_refused_and_noted_once() {
    let upgrade = "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n\r\n";
    let twice = upgrade.to_owned() + &request("GET /", &["Upgrade: websocket"], "");
    let rebound = get("/").replace("localhost", "rebound.example");
    for (sent, expected, word) in [
        (request("CONNECT a.example:443", &[], ""), "501", "CONNECT"),
        (get("http://a.example/b"), "501", "absolute target"),
        (get("http://127.0.0.1/"), "501", "absolute target"),
        (twice, "501", "Upgrade"),
        (
            request("POST /", &["Origin: http://a.example"], ""),
            "403",
            "",
        ),
        (request("POST /", &["Origin: null"], ""), "403", ""),
        (
            request("GET /", &["Sec-Fetch-Site: cross-site"], ""),
            "403",
            "",
        ),
        (rebound, "421", "host"),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(), "", "HTTP/2"),
    ] {
        let (seen, got, run) = served(&sent, OK).await;

        assert_eq!((seen, run.requests), (vec![], vec![]), "{sent}");
        assert_eq!(Message::of(&got).status(), expected, "{sent}");
        let is_noted = matches!(&*run.refused, [it] if it.contains(word));
        assert!(is_noted, "{sent} {:?}", run.refused);
    }
}

#[tokio::test]
async fn an_origin_that_names_the_upstream_is_admitted() {
    // Not a name of loopback, and no server listens there.
    let upstream = Upstream::new("http://0.0.0.0:1", &["0.0.0.0".to_owned()]);
    let upstream = upstream.expect("allowed");
    for (origin, status) in [("http://0.0.0.0:1", "502"), ("http://0.0.0.0:2", "403")] {
        let proxy =
            Proxy(Listening::start(&Setup::before(upstream.clone()), None).expect("a port"));
        let origin = format!("Origin: {origin}");

        let got = proxy.ask(&request("GET /", &[&origin], "")).await;

        assert_eq!(Message::of(&got).status(), status, "{origin}");
    }
}

#[tokio::test]
async fn a_missing_upstream_is_a_502_and_requests_beyond_the_bound_are_dropped() {
    let socket = host::refusing_port().expect("a port");
    let address = socket.local_addr().expect("an address");
    let proxy = Proxy::before(address, None);
    let mut stream = proxy.connect().await;
    let most = "GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(3_001) + &get("/b");
    let (mut reads, mut writes) = stream.split();

    let mut got = Vec::new();
    let write = writes.write_all(most.as_bytes());
    let (wrote, read) = tokio::join!(write, reads.read_to_end(&mut got));

    wrote.and(read.map(drop)).expect("all are answered");
    let got = text(&got);
    assert_eq!(got.matches("HTTP/1.1 502").count(), 3_000);
    assert_eq!(got.matches("HTTP/1.1 503").count(), 2);
    let run = proxy.stop().await;
    assert_eq!((run.requests.len(), run.dropped), (3_000, 2));
    assert_eq!(end_of(&run.requests[0]), (Some(502), Some(None), false));
}

#[tokio::test]
async fn a_body_of_more_than_8_mib_passes_and_is_unknown() {
    const MOST: usize = 8 * 1024 * 1024;
    for (length, is_known) in [(MOST, true), (MOST + 1, false)] {
        let sent = post("/", &"x".repeat(length));

        let (seen, got, run) = served(&sent, OK).await;

        assert_eq!(Message::of(&got).status(), "200");
        assert_eq!((seen.len(), seen[0].body.len()), (1, length));
        assert_eq!(run.requests[0].body != Body::Unknown, is_known);
    }
}

#[tokio::test]
async fn a_body_that_breaks_off_or_is_still_coming_is_unknown() {
    for breaks_off in [true, false] {
        let api = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let proxy = Proxy::before(api.local_addr().expect("an address"), None);
        let mut stream = proxy.connect().await;
        let whole = post("/", "0123456789");

        send(&mut stream, &whole[..whole.len() - 5]).await;
        // The request is known once it is handed on.
        let _upstream = api.accept().await.expect("the proxy");
        let stream = Some(stream).filter(|_| !breaks_off);
        let run = proxy.stop().await;

        assert_eq!(run.requests[0].body, Body::Unknown, "{breaks_off}");
        drop(stream);
    }
}

#[tokio::test]
async fn a_response_that_leads_past_the_proxy_is_noted() {
    for (line, leads) in [
        ("Location: http://UPSTREAM/next", true),
        ("Content-Location: http://UPSTREAM/a", true),
        ("Link: <http://UPSTREAM/?page=2>; rel=next", true),
        ("Set-Cookie: a=b; Path=/; domain=127.0.0.1", true),
        ("Set-Cookie: a=b; Path=/", false),
        ("Set-Cookie: a=b; Domain=a.example", false),
        ("Location: /next", false),
        ("Location: http://UPSTREAM0/", false),
        ("X-Other: http://UPSTREAM/", false),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let line = line.replace("UPSTREAM", &address.to_string());
        let response = format!("HTTP/1.1 201 Created\r\n{line}\r\nContent-Length: 0\r\n\r\n");
        let proxy = Proxy::before(address, None);
        let api = async {
            let (mut stream, _) = listener.accept().await.expect("a request");
            read_message(&mut stream).await;
            send(&mut stream, &response).await;
        };

        let (got, ()) = tokio::join!(async { proxy.ask(&get("/")).await }, api);

        assert!(got.to_lowercase().contains(&line.to_lowercase()), "{got}");
        assert_eq!(proxy.stop().await.names_upstream, leads, "{line}");
    }
}
