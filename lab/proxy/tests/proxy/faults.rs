//! Each fault on the wire: what the client gets, what the upstream sees, and what the record
//! says of it.

use std::time::Duration;

use http::StatusCode;
use proxy::{Injected, ProxyFault};
use tokio::time::{Instant, timeout};

use super::*;

const ORDERS: &str = "POST /v1/orders";
const CREATED: &str = "HTTP/1.1 201 Created\r\nX-Upstream: 1\r\nContent-Length: 2\r\n\r\nok";

#[tokio::test]
async fn an_injected_response_comes_once_and_the_upstream_sees_nothing_of_it() {
    for (fault, status, retry_after) in [
        (ProxyFault::Unavailable, 503, vec![]),
        (ProxyFault::RetryAfter, 503, vec!["2"]),
        (ProxyFault::Refused, 400, vec![]),
    ] {
        let api = Api::answering(CREATED).await;
        let proxy = Proxy::before(api.address, Some((ORDERS, fault)));

        let other = Message::of(&proxy.ask(&get("/v1/orders")).await);
        let faulty = Message::of(&proxy.ask(&post("/v1/orders", "first")).await);
        let next = Message::of(&proxy.ask(&post("/v1/orders", "next")).await);

        assert_eq!([other.status(), next.status()], ["201"; 2], "{fault}");
        assert_eq!(faulty.status(), status.to_string(), "{fault}");
        assert_eq!(faulty.values("content-type"), ["application/json"]);
        assert_eq!(faulty.values("retry-after"), retry_after, "{fault}");
        let upstreams = [faulty.values("x-upstream"), faulty.values("via")];
        assert_eq!(upstreams.concat(), [""; 0], "{fault}");
        let bodies: Vec<_> = api.seen().into_iter().map(|request| request.body).collect();
        assert_eq!(bodies, ["", "next"], "{fault}");
        let run = proxy.stop().await;
        let ends: Vec<_> = run.requests.iter().map(end_of).collect();
        let passed = (Some(201), Some(Some(201)), false);
        assert_eq!(ends, [passed, (Some(status), None, true), passed]);
    }
}

#[tokio::test]
async fn the_user_chooses_the_status_and_the_body_of_a_fault() {
    let json =
        r#"{"error":{"code":"ServiceUnavailable","message":"Service Unavailable","status":503}}"#;
    for (given, status, media_type, body) in [
        (None, "503", "application/json", json),
        (
            Some(r#"{"own": 1}"#),
            "429",
            "application/json",
            r#"{"own": 1}"#,
        ),
        (Some("\n<Error/>"), "429", "application/xml", "\n<Error/>"),
    ] {
        let api = Api::answering(CREATED).await;
        let upstream = Upstream::new(&format!("http://{}", api.address), &[]).expect("an origin");
        let setup = Setup {
            injected: Injected {
                body: given.map(|body| body.as_bytes().to_vec()),
                status: given.and_then(|_| StatusCode::from_u16(429).ok()),
            },
            ..Setup::before(upstream)
        };
        let aim = Aim::at(ORDERS, ProxyFault::Unavailable);
        let proxy = Proxy(Listening::start(&setup, Some(aim)).expect("a port"));

        let got = Message::of(&proxy.ask(&post("/v1/orders", "")).await);

        assert_eq!((got.status(), &*got.body), (status, body));
        assert_eq!(got.values("content-type"), [media_type]);
    }
}

#[tokio::test]
async fn a_text_of_its_body_or_target_chooses_the_request_that_meets_the_fault() {
    let api = Api::answering(CREATED).await;
    let upstream = Upstream::new(&format!("http://{}", api.address), &[]).expect("an origin");
    let setup = Setup {
        text: Some("createOrder".to_owned()),
        ..Setup::before(upstream)
    };
    let aim = Aim::at("POST /graphql [createOrder]", ProxyFault::Unavailable);
    let proxy = Proxy(Listening::start(&setup, Some(aim)).expect("a port"));
    let in_pieces = chunked(&["{ create", "Order }"]);
    let chunks = request("POST /graphql", &["Transfer-Encoding: chunked"], &in_pieces);

    let mut statuses = Vec::new();
    for sent in [
        post("/graphql", "{ orders }"),
        chunks,
        post("/graphql", "{ createOrder }"),
        post("/graphql?operation=createOrder", ""),
        post("/other", "{ createOrder }"),
    ] {
        statuses.push(Message::of(&proxy.ask(&sent).await).status().to_owned());
    }

    assert_eq!(statuses, ["201", "503", "201", "201", "201"]);
    let bodies: Vec<_> = api.seen().into_iter().map(|seen| seen.body).collect();
    assert_eq!(
        bodies,
        ["{ orders }", "{ createOrder }", "", "{ createOrder }"]
    );
    let run = proxy.stop().await;
    let routes: Vec<_> = run.requests.iter().map(|request| &*request.route).collect();
    let held = "POST /graphql [createOrder]";
    let other = "POST /other [createOrder]";
    assert_eq!(routes, ["POST /graphql", held, held, held, other]);
    assert!(run.requests[1].fault.is_some());
}

#[tokio::test]
async fn a_form_with_another_boundary_and_a_compressed_body_are_noticed() {
    let api = Api::answering(CREATED).await;
    let upstream = Upstream::new(&format!("http://{}", api.address), &[]).expect("an origin");
    let setup = Setup {
        text: Some("createOrder".to_owned()),
        ..Setup::before(upstream)
    };
    let proxy = Proxy(Listening::start(&setup, None).expect("a port"));
    let sent = |header: &str, body: &str| {
        let length = format!("Content-Length: {}", body.len());
        request("POST /v1/files", &[header, &length], body)
    };
    let form = |boundary: &str, content: &str| {
        let header = format!("Content-Type: multipart/form-data; boundary={boundary}");
        sent(
            &header,
            &format!("--{boundary}\r\n\r\n{content}\r\n--{boundary}--\r\n"),
        )
    };

    for sent in [
        form("one", "a"),
        form("other", "a"),
        form("other", "b"),
        sent("Content-Encoding: gzip", "a"),
    ] {
        proxy.ask(&sent).await;
    }

    let run = proxy.stop().await;
    let [one, other, different, compressed] = &*run.requests else {
        panic!("{:?}", run.requests);
    };
    assert_eq!(one.body, other.body);
    assert_ne!(one.body, different.body);
    assert_eq!(
        [one, compressed].map(|sent| sent.is_unsearched),
        [false, true]
    );
}

#[tokio::test]
async fn methods_of_one_path_are_routes_of_their_own() {
    let api = Api::answering(CREATED).await;
    let named = "POST /api/chat.postMessage";
    let proxy = Proxy::before(api.address, Some((named, ProxyFault::Refused)));

    let other = proxy.ask(&post("/api/chat.delete", "")).await;
    let faulty = proxy.ask(&post("/api/chat.postMessage?a", "")).await;

    let statuses = [other, faulty].map(|got| Message::of(&got).status().to_owned());
    assert_eq!(statuses, ["201", "400"]);
    let run = proxy.stop().await;
    let routes: Vec<_> = run.requests.iter().map(|request| &*request.route).collect();
    assert_eq!(routes, ["POST /api/chat.delete", named]);
}

#[tokio::test]
async fn a_success_is_lost_and_another_response_passes() {
    for status in [200, 201, 302, 404, 500] {
        let is_lost = status < 300;
        let response = format!("HTTP/1.1 {status} X\r\nContent-Length: 2\r\n\r\nok");
        let api = Api::answering(&response).await;
        let proxy = Proxy::before(api.address, Some((ORDERS, ProxyFault::LostResponse)));

        let first = proxy.ask(&post("/v1/orders", "first")).await;
        let next = Message::of(&proxy.ask(&post("/v1/orders", "next")).await);

        let bodies: Vec<_> = api.seen().into_iter().map(|request| request.body).collect();
        assert_eq!(bodies, ["first", "next"], "{status}");
        assert_eq!(first.is_empty(), is_lost, "{first}");
        assert_eq!(next.status(), status.to_string());
        let run = proxy.stop().await;
        let got = (!is_lost).then_some(status);
        assert_eq!(end_of(&run.requests[0]), (got, Some(Some(status)), is_lost));
        assert!(run.requests[0].closed.is_some());
        let passed = (Some(status), Some(Some(status)), false);
        assert_eq!(end_of(&run.requests[1]), passed);
    }
}

#[tokio::test]
async fn silence_lasts_until_the_client_gives_up() {
    let api = Api::answering(CREATED).await;
    let proxy = Proxy::before(api.address, Some((ORDERS, ProxyFault::Silence)));
    let mut stream = proxy.connect().await;

    send(&mut stream, &post("/v1/orders", "first")).await;
    let nothing = timeout(Duration::from_millis(50), stream.read_u8()).await;
    drop(stream);
    let next = Message::of(&proxy.ask(&post("/v1/orders", "next")).await);

    assert!(nothing.is_err(), "{nothing:?}");
    assert_eq!(next.status(), "201");
    assert_eq!(api.seen().len(), 1);
    let run = proxy.stop().await;
    assert_eq!(end_of(&run.requests[0]), (None, None, true));
    assert!(run.requests[0].closed >= Some(Duration::from_millis(50)));
}

#[tokio::test]
async fn a_connection_that_the_user_ends_was_not_given_up_by_the_client() {
    let api = Api::answering(CREATED).await;
    let proxy = Proxy::before(api.address, Some((ORDERS, ProxyFault::Silence)));
    let mut stream = proxy.connect().await;
    send(&mut stream, &post("/v1/orders", "first")).await;
    // Another route takes the way to the API and back: the silence has begun by then.
    proxy.ask(&get("/other")).await;

    let run = proxy.0.stop(None).await;

    let target = run.target().expect("the first request");
    assert_eq!(end_of(target), (None, None, true));
    assert_eq!(target.closed, None);
    assert!(run.end.took >= target.arrived);
}

#[tokio::test]
async fn hold_gives_the_true_response_late() {
    const HELD: Duration = Duration::from_millis(300);
    let api = Api::answering(CREATED).await;
    let upstream = Upstream::new(&format!("http://{}", api.address), &[]).expect("an origin");
    let mut aim = Aim::at(ORDERS, ProxyFault::Hold);
    aim.lasts = HELD;
    let proxy = Proxy(Listening::start(&Setup::before(upstream), Some(aim)).expect("a port"));

    let begun = Instant::now();
    let held = Message::of(&proxy.ask(&post("/v1/orders", "first")).await);
    let took = begun.elapsed();
    proxy.ask(&post("/v1/orders", "next")).await;

    assert!(took >= HELD, "{took:?}");
    assert_eq!((held.status(), &*held.body), ("201", "ok"));
    assert_eq!(held.values("x-upstream"), ["1"]);
    assert_eq!(api.seen().len(), 2);
    let run = proxy.stop().await;
    assert_eq!(end_of(&run.requests[0]), (Some(201), Some(Some(201)), true));
    assert!(run.requests[0].head >= Some(HELD));
    assert_eq!(run.requests[1].fault, None);
}

#[tokio::test]
async fn every_response_closes_its_connection_where_the_fault_may_end_one() {
    for fault in ProxyFault::ALL {
        let closes = matches!(fault, ProxyFault::LostResponse | ProxyFault::Silence);
        let api = Api::answering(CREATED).await;
        let proxy = Proxy::before(api.address, Some((ORDERS, fault)));
        let one = "GET /a HTTP/1.1\r\nHost: localhost\r\n";
        let two = format!("{one}\r\n").repeat(2);
        let refused = format!("{one}Upgrade: a\r\n\r\n");

        for (sent, responses) in [(two, 2), (refused, 1)] {
            let mut stream = proxy.connect().await;
            send(&mut stream, &sent).await;
            if closes {
                read_to_end(&mut stream).await;
                continue;
            }
            let mut got = Vec::new();
            while text(&got).matches("HTTP/1.1 ").count() < responses {
                stream.read_buf(&mut got).await.expect("it is open");
            }
            let end = timeout(Duration::from_millis(50), read_to_end(&mut stream)).await;
            assert!(end.is_err(), "{fault}");
        }
        assert_eq!(api.seen().len(), if closes { 1 } else { 2 }, "{fault}");
    }
}
