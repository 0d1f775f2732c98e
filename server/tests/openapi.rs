//! The OpenAPI document against the live routes: no response that it does not
//! describe, and no response described that cannot be had.

use std::collections::BTreeSet;
use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::Router;
use axum::body::{Body, Bytes};
use host::{ServiceConfig, router};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, Request};
use http_body_util::BodyExt;
use hyper::body::{Body as HttpBody, Frame};
use serde_json::{Value, json};
use tower::ServiceExt;

type Headers<'a> = &'a [(&'a str, &'a str)];

const JSON: (&str, &str) = ("content-type", "application/json");

/// A body that fails before its first byte.
struct Failing(ErrorKind);

impl HttpBody for Failing {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        Poll::Ready(Some(Err(self.0.into())))
    }
}

struct Response {
    status: u16,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Response {
    fn media_type(&self) -> Option<&str> {
        self.headers
            .get(CONTENT_TYPE)
            .map(|value| value.to_str().unwrap())
    }
}

async fn send(
    service: &Router,
    method: &str,
    uri: &str,
    headers: Headers<'_>,
    body: impl Into<Body>,
) -> Response {
    let mut request = Request::builder().method(method).uri(uri);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(body.into()).unwrap();
    let (parts, body) = service.clone().oneshot(request).await.unwrap().into_parts();
    let body = body.collect().await.unwrap().to_bytes().to_vec();
    Response {
        status: parts.status.as_u16(),
        headers: parts.headers,
        body,
    }
}

fn document() -> Value {
    serde_json::from_str(&server::openapi()).unwrap()
}

/// How the document describes a response.
fn described<'a>(document: &'a Value, method: &str, uri: &str, status: u16) -> &'a Value {
    let path = uri.split('?').next().unwrap();
    let responses = &document["components"]["responses"];
    let Some(item) = document["paths"].get(path) else {
        return &responses["NotFound"];
    };
    match item.get(method.to_lowercase()) {
        Some(operation) => &operation["responses"][status.to_string()],
        None => &responses["MethodNotAllowed"],
    }
}

fn is_valid(document: &Value, schema: &Value, body: &Value) -> bool {
    // The references in the schema start at the root of the document.
    let schema = json!({ "allOf": [schema], "components": document["components"] });
    jsonschema::validator_for(&schema).unwrap().is_valid(body)
}

/// Fails unless the document describes this response.
fn check(document: &Value, method: &str, uri: &str, response: &Response) {
    let what = format!(
        "{method} {uri} → {} {:?}",
        response.status,
        response.media_type()
    );
    let described = described(document, method, uri, response.status);
    assert!(described.is_object(), "{what} is not in the document");
    assert!(
        response.headers.contains_key("x-request-id"),
        "{what} has no request id"
    );
    if method == "HEAD" {
        return assert!(response.body.is_empty(), "{what} has a body");
    }
    let Some(content) = described.get("content") else {
        return assert!(response.body.is_empty(), "{what} should have no body");
    };
    let schema = &content[response.media_type().expect(&what)]["schema"];
    assert!(
        schema.is_object(),
        "{what} has another media type in the document"
    );
    let is_text = response.media_type().unwrap().starts_with("text/");
    let body = if is_text {
        Some(Value::String(
            String::from_utf8(response.body.clone()).unwrap(),
        ))
    } else {
        serde_json::from_slice(&response.body).ok()
    };
    let keeps_schema = body.is_some_and(|body| is_valid(document, schema, &body));
    let is_broken = described["x-broken-on-purpose"] == true;
    assert_ne!(
        keeps_schema,
        is_broken,
        "{what}: {}",
        String::from_utf8_lossy(&response.body)
    );
}

/// What the document promises: operation, status, and code if it is a problem.
fn promised(document: &Value) -> BTreeSet<String> {
    let mut promised = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            for (status, response) in operation["responses"].as_object().unwrap() {
                let problem = &response["content"]["application/problem+json"]["schema"];
                let problems = problem["allOf"][1]["oneOf"].as_array();
                let codes = problems.into_iter().flatten();
                let codes = codes.map(|it| it["properties"]["code"]["const"].as_str().unwrap());
                let codes: Vec<_> = codes.collect();
                let codes = if codes.is_empty() { vec![""] } else { codes };
                promised.extend(
                    codes
                        .iter()
                        .map(|code| format!("{method} {path} {status} {code}")),
                );
            }
        }
    }
    promised
}

#[test]
fn it_is_openapi_3_1() {
    assert_eq!(document()["openapi"], "3.1.0");
}

#[tokio::test]
async fn every_response_is_described_and_every_description_is_of_a_response() {
    let document = document();
    let config = ServiceConfig::builder().build().unwrap();
    let (service, _) = router(&config, server::with_room_for(1, 1));
    let large = format!("\"{}\"", "x".repeat(65_536));
    let key = ("idempotency-key", "k");
    let jobs: [(Headers<'_>, &str); 11] = [
        (&[], "{}"),
        (&[JSON], "{}"),
        (&[JSON, ("idempotency-key", "a b")], "{}"),
        (&[JSON, key], &large),
        (&[JSON, key], "{"),
        (&[JSON, key], "[]"),
        (&[JSON, key], "{}"),
        (&[JSON, key], "{}"),
        (&[("content-type", "application/job+json"), key], "{ }"),
        (&[JSON, key], "{\"a\":1}"),
        (&[JSON, ("idempotency-key", "new")], "{}"),
    ];
    let mut requests: Vec<(&str, String, Headers<'_>, Body)> = jobs
        .into_iter()
        .map(|(headers, body)| ("POST", "/jobs".to_owned(), headers, body.to_owned().into()))
        .collect();
    for failure in [ErrorKind::UnexpectedEof, ErrorKind::TimedOut] {
        let body = Body::new(Failing(failure));
        requests.push((
            "POST",
            "/jobs".to_owned(),
            &[JSON, ("idempotency-key", "k")],
            body,
        ));
    }
    for path in document["paths"].as_object().unwrap().keys() {
        // The second round finds /flaky recovered, and the cursors in use.
        for method in ["HEAD", "GET", "GET", "GET", "HEAD", "PUT", "DELETE", "BREW"] {
            for query in ["", "?limit=0", "?cursor=tampered", "?limit=1"] {
                requests.push((method, format!("{path}{query}"), &[], Body::empty()));
            }
        }
    }
    requests.push(("GET", "/nowhere".to_owned(), &[], Body::empty()));
    requests.push(("POST", "/items/1".to_owned(), &[JSON], "{}".into()));

    let mut seen = BTreeSet::new();
    for (method, uri, headers, body) in requests {
        let response = send(&service, method, &uri, headers, body).await;
        check(&document, method, &uri, &response);
        let path = uri.split('?').next().unwrap();
        let is_problem = response.media_type() == Some("application/problem+json");
        let problem: Value = serde_json::from_slice(&response.body).unwrap_or_default();
        let code = if is_problem {
            problem["code"].as_str().unwrap_or_default()
        } else {
            ""
        };
        seen.insert(format!(
            "{} {path} {} {code}",
            method.to_lowercase(),
            response.status
        ));
    }

    let is_plannable = |promise: &&String| !promise.contains(" 500 ");
    let promised = promised(&document);
    let unseen: Vec<_> = promised.difference(&seen).filter(is_plannable).collect();
    assert!(unseen.is_empty(), "described, but never seen: {unseen:#?}");
}
