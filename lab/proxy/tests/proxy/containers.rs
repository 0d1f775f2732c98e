//! A proxy with a name of its own, for containers.

use proxy::ListenAddress;

use super::*;

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

fn before(api: &Api, listen: ListenAddress) -> Proxy {
    let upstream = Upstream::new(&format!("http://{}", api.address), &[]).expect("an origin");
    let setup = Setup {
        listen,
        ..Setup::before(upstream)
    };
    Proxy(Listening::start(&setup, None).expect("a port"))
}

#[tokio::test]
async fn the_name_of_the_url_is_admitted_and_no_other() {
    let api = Api::answering(OK).await;
    let name = Some("api.test".to_owned());
    let listen = ListenAddress::new([127, 0, 0, 1].into(), false, name).expect("loopback");
    let proxy = before(&api, listen);
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
