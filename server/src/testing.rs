//! A service without a socket, for the tests of routes and layers.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::response::Response;
use host::{Ledger, RecordedExchange, Routes, ServiceConfig};
use http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::Value;
use tower::ServiceExt;
use wire::WireRecord;

use crate::lessons::lessons;

const SEED: u64 = 1;

/// The media type of a job.
pub(crate) const JSON: (&str, &str) = ("content-type", "application/json");

/// A fresh service. Its seed is fixed, so that a failure repeats.
pub(crate) struct Service {
    ledger: Ledger,
    router: Router,
}

impl Service {
    pub(crate) fn new() -> Self {
        Self::with(ServiceConfig::default())
    }

    pub(crate) fn with(config: ServiceConfig) -> Self {
        Self::serving(lessons(SEED), config)
    }

    /// A service with the standard routes and these.
    pub(crate) fn adding(routes: Router, config: ServiceConfig) -> Self {
        Self::serving(lessons(SEED).and(routes), config)
    }

    pub(crate) fn serving(served: Routes, config: ServiceConfig) -> Self {
        let config = ServiceConfig {
            seed: SEED,
            ..config
        };
        let (router, ledger) = host::router(&config, served);
        Self { ledger, router }
    }

    pub(crate) fn ledger(&self) -> WireRecord {
        self.ledger.snapshot()
    }

    pub(crate) fn exchanges(&self) -> Vec<RecordedExchange> {
        self.ledger.exchanges()
    }

    pub(crate) async fn respond(&self, request: Request<Body>) -> Response {
        self.router.clone().oneshot(request).await.unwrap()
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> TestResponse {
        let response = self.respond(request).await;
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        TestResponse {
            status: parts.status,
            headers: parts.headers,
            body,
        }
    }

    pub(crate) async fn request(
        &self,
        method: &str,
        uri: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> TestResponse {
        let mut request = Request::builder().method(method).uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.send(request.body(Body::from(body.to_owned())).unwrap())
            .await
    }

    pub(crate) async fn get(&self, uri: &str) -> TestResponse {
        self.request("GET", uri, &[], "").await
    }

    pub(crate) async fn head(&self, uri: &str) -> TestResponse {
        self.request("HEAD", uri, &[], "").await
    }

    pub(crate) async fn post(
        &self,
        uri: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> TestResponse {
        self.request("POST", uri, headers, body).await
    }

    /// The page that a cursor leads to.
    pub(crate) async fn page(&self, path: &str, cursor: &str) -> TestResponse {
        self.get(&format!("{path}?cursor={}", percent_encode(cursor)))
            .await
    }

    /// The cursor of the first page, and those of so many more.
    pub(crate) async fn follow(&self, path: &str, pages: usize) -> Vec<String> {
        let mut cursors = vec![self.get(path).await.next_cursor()];
        for _ in 0..pages {
            let page = self.page(path, &cursors[cursors.len() - 1]).await;
            assert!(!page.json()["items"].as_array().unwrap().is_empty());
            cursors.push(page.next_cursor());
        }
        cursors
    }

    /// Fails unless `/metrics` has each of these samples.
    pub(crate) async fn assert_counts(&self, samples: &[&str]) {
        let scrape = self.get("/metrics").await.text();
        for sample in samples {
            let is_there = scrape.lines().any(|line| line == *sample);
            assert!(is_there, "{sample} is not in\n{scrape}");
        }
    }
}

/// The response of a fresh service.
pub(crate) async fn get(uri: &str) -> TestResponse {
    Service::new().get(uri).await
}

/// A response, read to its end.
#[derive(Debug)]
pub(crate) struct TestResponse {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl TestResponse {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.to_vec()).unwrap()
    }

    pub(crate) fn next_cursor(&self) -> String {
        self.json()["next_cursor"]
            .as_str()
            .expect("a cursor")
            .to_owned()
    }

    /// The machine-readable code of a problem.
    pub(crate) fn code(&self) -> String {
        assert_eq!(
            self.headers["content-type"], "application/problem+json",
            "{self:?}"
        );
        self.json()["code"].as_str().expect("a code").to_owned()
    }

    /// The code of a problem, and the part of the request that it names.
    pub(crate) fn fault(&self) -> (String, Value) {
        (self.code(), self.json()["field"].clone())
    }
}

/// Escapes everything that is not a letter or a digit.
pub(crate) fn percent_encode(text: &str) -> String {
    let escape = |byte: u8| match byte {
        b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(escape).collect()
}
