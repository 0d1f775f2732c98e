//! The least HTTP client that will do: bytes out, bytes in, and no opinion.

use std::{
    collections::BTreeSet,
    io::{Read, Write},
    net::TcpStream,
};

use serde_json::Value;
use server::{RunningApi, ServiceConfig, ServiceConfigBuilder, TeachingApi};

/// A response, up to the end of its connection.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    /// Names in lower case.
    headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Response {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.headers.iter().filter(|(key, _)| key == name);
        let (_, value) = lines.next()?;
        assert_eq!(lines.next(), None, "{name} comes once");
        Some(value)
    }

    /// The body, which must be JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }

    /// Headers that do not name this one response, in no order of their own.
    pub(crate) fn lasting_headers(&self) -> BTreeSet<&(String, String)> {
        let passing = ["date", "x-request-id"];
        let lines = self.headers.iter();
        lines
            .filter(|(name, _)| !passing.contains(&&**name))
            .collect()
    }
}

pub(crate) fn start() -> RunningApi {
    start_with(|config| config)
}

pub(crate) fn start_with(
    configure: impl FnOnce(ServiceConfigBuilder) -> ServiceConfigBuilder,
) -> RunningApi {
    let config = configure(ServiceConfig::builder().port(0)).build();
    TeachingApi::start(config.expect("a legal configuration")).expect("a free port")
}

pub(crate) fn get(service: &RunningApi, path: &str) -> Response {
    send(service, "GET", path, &[], "")
}

pub(crate) fn post_job(service: &RunningApi, key: &str, body: &str) -> Response {
    let headers = [
        ("content-type", "application/json"),
        ("idempotency-key", key),
    ];
    send(service, "POST", "/jobs", &headers, body)
}

/// One request on a connection of its own, which the service closes.
pub(crate) fn send(
    service: &RunningApi,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Response {
    let mut request =
        format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n");
    for (name, value) in headers {
        request += &format!("{name}: {value}\r\n");
    }
    request += &format!("content-length: {}\r\n\r\n{body}", body.len());

    let mut stream = TcpStream::connect(service.local_addr()).expect("it listens");
    stream.write_all(request.as_bytes()).expect("it reads");
    let mut response = String::new();
    stream
        .read_to_string(&mut response)
        .expect("a response in text");

    let (head, body) = response.split_once("\r\n\r\n").expect("a head");
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.split(' ').nth(1));
    let headers = lines.map(|line| line.split_once(": ").expect("a header"));
    Response {
        status: status
            .and_then(|status| status.parse().ok())
            .expect("a status"),
        headers: headers
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect(),
        body: body.to_owned(),
    }
}

/// A query value, with everything encoded that need not stand for itself.
pub(crate) fn encode(value: &str) -> String {
    value.bytes().map(|byte| format!("%{byte:02X}")).collect()
}
