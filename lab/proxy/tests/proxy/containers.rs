//! A proxy that others than this machine reach: its peers, its path and its name.

use std::net::IpAddr;

use proxy::{ListenAddress, Network};
use tokio::net::TcpSocket;

use super::*;

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// A proxy on loopback as if that were the network of an interface.
fn on_network(api: &Api, prefix: u8, aim: Option<Aim>) -> Proxy {
    let address: IpAddr = [127, 0, 0, 1].into();
    let listen = ListenAddress::of(Network::of(address, prefix));
    before(api, listen, aim)
}

fn before(api: &Api, listen: ListenAddress, aim: Option<Aim>) -> Proxy {
    let upstream = Upstream::new(&format!("http://{}", api.address), &[]).expect("an origin");
    let setup = Setup::before(upstream).listens(listen);
    Proxy(Listening::start(&setup, aim).expect("a port"))
}

/// The path in the URL of a proxy.
fn path(proxy: &Proxy) -> String {
    let path = proxy.0.base_url().splitn(4, '/').nth(3);
    format!("/{}", path.expect("it has a path"))
}

#[tokio::test]
async fn the_first_segment_of_the_path_is_secret_and_does_not_reach_the_api() {
    let response = "HTTP/1.1 303 See Other\r\nLocation: /v1/next\r\n\
                    Set-Cookie: a=b; Path=/v1\r\nContent-Length: 0\r\n\r\n";
    let api = Api::answering(response).await;
    let proxy = on_network(&api, 8, None);
    let secret = path(&proxy);

    let passed = proxy.ask(&get(&format!("{secret}/v1/orders?a=b"))).await;
    let root = proxy.ask(&get(&secret)).await;
    let mut refused = Vec::new();
    for target in ["/v1/orders", "/", &secret[..32], &secret.to_uppercase()] {
        let got = proxy.ask(&get(target)).await;
        refused.push(Message::of(&got).status().to_owned());
    }

    let passed = Message::of(&passed);
    assert_eq!(passed.status(), "303");
    assert_eq!(passed.values("location"), [format!("{secret}/v1/next")]);
    assert_eq!(
        passed.values("set-cookie"),
        [format!("a=b; Path={secret}/v1")]
    );
    assert_eq!(Message::of(&root).status(), "303");
    assert_eq!(refused, ["404"; 4]);
    let seen = api.seen();
    let seen: Vec<_> = seen.iter().map(|message| &*message.first).collect();
    assert_eq!(seen, ["GET /v1/orders?a=b HTTP/1.1", "GET / HTTP/1.1"]);
    let run = proxy.stop().await;
    assert!(run.refused[0].contains("path of its base URL"), "{run:?}");
    assert_eq!(run.requests.len(), 2);
    assert!(!format!("{run:?}").contains(&secret[1..]), "{run:?}");
}

#[tokio::test]
async fn a_fault_is_for_the_route_behind_the_segment() {
    let api = Api::answering(OK).await;
    let aim = Aim::at("POST /v1/orders", ProxyFault::Refused);
    let proxy = on_network(&api, 8, Some(aim));
    let sent = post(&format!("{}/v1/orders", path(&proxy)), "order");

    let got = [proxy.ask(&sent).await, proxy.ask(&sent).await];

    let statuses = got.map(|got| Message::of(&got).status().to_owned());
    assert_eq!(statuses, ["400", "200"]);
    let run = proxy.stop().await;
    assert!(run.requests[0].is_same_as(&run.requests[1]), "{run:?}");
}

/// Other systems give loopback one address only.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn only_peers_of_the_network_are_served() {
    for (prefix, from, status) in [
        (8, [127, 0, 0, 1], "200"),
        (8, [127, 9, 9, 9], "200"),
        (32, [127, 0, 0, 1], "200"),
        (32, [127, 0, 0, 2], "403"),
        (24, [127, 0, 1, 1], "403"),
    ] {
        let api = Api::answering(OK).await;
        let proxy = on_network(&api, prefix, None);
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind((from, 0).into()).expect("an address");
        let address = ([127, 0, 0, 1], proxy.port()).into();
        let mut stream = socket.connect(address).await.expect("it listens");

        send(&mut stream, &get(&path(&proxy))).await;
        let got = read_to_end(&mut stream).await;

        assert_eq!(Message::of(&got).status(), status, "{from:?}/{prefix}");
        let is_served = status == "200";
        assert_eq!(api.seen().len(), usize::from(is_served));
        let run = proxy.stop().await;
        let is_noted = run.refused.iter().any(|why| why.contains("--listen"));
        assert_eq!(is_noted, !is_served, "{run:?}");
    }
}

#[tokio::test]
async fn the_name_of_the_url_is_admitted_and_no_other() {
    let api = Api::answering(OK).await;
    let named = ListenAddress::default().known_as(Some("api.test".to_owned()));
    let proxy = before(&api, named, None);
    let port = proxy.port();
    let page = format!("Origin: http://api.test:{port}");
    let asks = [
        (
            get("/").replace("localhost", &format!("api.test:{port}")),
            "200",
        ),
        (get("/").replace("localhost", "API.test"), "200"),
        (get("/"), "200"),
        (request("GET /", &[&page], ""), "200"),
        (get("/").replace("localhost", "other.test"), "421"),
        (request("GET /", &["Origin: http://other.test"], ""), "403"),
        (
            request("GET /", &["Origin: https://api.test.evil"], ""),
            "403",
        ),
    ];

    for (sent, status) in asks {
        let got = proxy.ask(&sent).await;
        assert_eq!(Message::of(&got).status(), status, "{sent}");
    }

    assert_eq!(proxy.0.base_url(), format!("http://api.test:{port}"));
    let run = proxy.stop().await;
    assert!(run.refused[0].contains("--base-host"), "{run:?}");
}

/// Between a container and loopback stands another process, so that nobody sees whether the one
/// that sent a request goes on.
#[tokio::test]
async fn the_sender_behind_another_name_is_unknown() {
    for (name, is_unknown) in [(None, false), (Some("api.test".to_owned()), true)] {
        let api = Api::answering(OK).await;
        let listen = ListenAddress::default().known_as(name);
        let proxy = before(&api, listen, Some(Aim::at("GET /", ProxyFault::Silence)));
        let mut stream = proxy.connect().await;

        send(&mut stream, &get("/")).await;
        proxy.0.hit().await;
        let run = proxy.stop().await;

        assert_eq!(run.requests[0].is_sender_unknown, is_unknown);
    }
}
