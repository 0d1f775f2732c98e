//! The environment: proxies and netrc files.

use std::{env, fs, process::Command};

use client::teaching::ReliableApiClient;
use http::{
    HeaderMap, HeaderValue,
    header::{ACCEPT, AUTHORIZATION},
};
use tests::{Bench, Script, json};

/// Tells a second process of this test, in which the environment can be set
/// without a race, where the service is.
const CHILD: &str = "CALL_THE_SERVICE_AT";

/// The caller puts it into its session, and the client into no other.
const CREDENTIAL: &str = "Bearer of-the-caller";

#[tokio::test]
async fn a_given_session_keeps_its_proxies_and_the_clients_own_ignores_them() {
    if let Ok(service) = env::var(CHILD) {
        let session = reqwest::Client::builder()
            .tls_certs_only([])
            .default_headers(HeaderMap::from_iter([(
                AUTHORIZATION,
                HeaderValue::from_static(CREDENTIAL),
            )]));
        let own = ReliableApiClient::builder(&service);
        let given = ReliableApiClient::builder(&service).session(session);
        for builder in [own, given] {
            let client = builder.build().expect("a legal configuration");
            assert_eq!(client.flaky().await.expect("a response").attempt, 3);
        }
        return;
    }
    let script = || Script::always(json(200, &serde_json::json!({ "attempt": 3 })));
    let (service, proxy) = (Bench::new(script()).await, Bench::new(script()).await);
    let home = tempfile::tempdir().expect("a folder");
    let netrc = home.path().join(".netrc");
    fs::write(&netrc, "default login someone password SECRET\n").expect("a file");

    let mut child = Command::new(env::current_exe().expect("this binary"));
    child
        .args(["--exact", "--nocapture"])
        .arg("proxies::a_given_session_keeps_its_proxies_and_the_clients_own_ignores_them")
        .env(CHILD, service.server.uri())
        .env("HOME", home.path())
        .env("NETRC", &netrc)
        .env_remove("REQUEST_METHOD");
    for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
        child.env(name, proxy.server.uri());
    }
    for name in ["NO_PROXY", "no_proxy"] {
        child.env_remove(name);
    }
    // The two servers have threads of their own: waiting here holds nobody up.
    let output = child.output().expect("this binary runs");

    assert!(output.status.success(), "{output:?}");
    let one_request = async |bench: Bench| {
        let [request] = <[_; 1]>::try_from(bench.sent().await).expect("one request");
        assert_eq!(request.url.path(), "/flaky");
        assert_eq!(request.url.query(), None);
        assert_eq!(request.headers[ACCEPT], "application/json");
        request
    };
    let port = service.server.address().port();
    let (own, given) = (one_request(service).await, one_request(proxy).await);
    assert!(!own.headers.contains_key(AUTHORIZATION), "{own:?}");
    assert_eq!(given.headers[AUTHORIZATION], CREDENTIAL);
    // A proxy is asked for the whole URL.
    assert_eq!(given.url.port(), Some(port));
}
