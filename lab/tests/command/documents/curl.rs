//! The `curl` lines of the service's document.

use std::collections::HashMap;

use host::ServiceConfig;
use http::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, redirect};
use server::TeachingApi;

use super::{code, document, rows};

/// Sends what a `curl` line would, as far as the document uses it, and returns the
/// path and the status of the response.
async fn curl(line: &str, service: &str) -> (String, u16) {
    let (mut path, mut body, mut headers) = (String::new(), None, HeaderMap::new());
    let mut words = shlex::Shlex::new(line).skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().expect("a value");
        match word.as_str() {
            "-i" => {}
            "-H" => {
                let header = value();
                let (name, value) = header.split_once(": ").expect("a header");
                let name = HeaderName::try_from(name).expect("a name");
                headers.insert(name, HeaderValue::try_from(value).expect("a value"));
            }
            "-d" => body = Some(value()),
            url => {
                let start = url.strip_prefix("http://127.0.0.1:8765");
                path = start.expect("the default address").to_owned();
            }
        }
    }
    client::install_tls_provider();
    let http = Client::builder().no_proxy().tls_certs_only([]);
    let http = http.redirect(redirect::Policy::none()).build();
    let (http, url) = (http.expect("legal"), format!("{service}{path}"));
    let request = match body {
        Some(body) => http.post(url).body(body),
        None => http.get(url),
    };
    let response = request.headers(headers).send().await;
    (path, response.expect("a response").status().as_u16())
}

#[tokio::test]
async fn every_curl_line_gets_its_response() {
    let document = document("server/README.md");
    let service = TeachingApi::start(ServiceConfig::default()).expect("a service");

    let mut shown = HashMap::new();
    for row in rows(&document) {
        let Some(line) = code(row[0]).filter(|code| code.starts_with("curl ")) else {
            continue;
        };
        let (path, status) = curl(line, &service.base_url()).await;
        assert!(row[1].starts_with(&status.to_string()), "{line}: {status}");
        shown.insert(path, status);
    }

    assert_eq!(shown.len(), 14, "{shown:?}");
    service.stop().await.expect("nothing left behind");
}
