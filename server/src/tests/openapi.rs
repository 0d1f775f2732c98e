//! The OpenAPI document against the live routes: no response that it does not
//! describe, and no response described that cannot be had.

use std::collections::BTreeSet;
use std::io::{self, ErrorKind};

use axum::body::Body;
use bytes::Bytes;
use host::ServiceConfig;
use http::Request;
use http_body_util::{BodyExt, Empty};
use serde_json::{Value, json};

use crate::testing::{JSON, Service, TestResponse};
use crate::with_room_for;

type Headers<'a> = &'a [(&'a str, &'a str)];

const KEY: (&str, &str) = ("idempotency-key", "k");

/// A submission whose body fails before its first byte.
fn failing(failure: ErrorKind) -> Request<Body> {
    let nothing = Empty::<Bytes>::new().map_err(|never| match never {});
    let body = nothing.with_trailers(async move { Some(Err(io::Error::from(failure))) });
    let request = Request::post("/jobs").header(JSON.0, JSON.1);
    request.header(KEY.0, KEY.1).body(Body::new(body)).unwrap()
}

fn media_type(response: &TestResponse) -> Option<&str> {
    let value = response.headers.get("content-type");
    value.map(|value| value.to_str().unwrap())
}

fn document() -> Value {
    serde_json::from_str(&crate::openapi()).unwrap()
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
fn check(document: &Value, method: &str, uri: &str, response: &TestResponse) {
    let (status, media_type) = (response.status.as_u16(), media_type(response));
    let what = format!("{method} {uri} → {status} {media_type:?}");
    let described = described(document, method, uri, status);
    assert!(described.is_object(), "{what} is not in the document");
    let has_id = response.headers.contains_key("x-request-id");
    assert!(has_id, "{what} has no request id");
    let content = described.get("content").filter(|_| method != "HEAD");
    let Some(content) = content else {
        return assert!(response.body.is_empty(), "{what} should have no body");
    };
    let media_type = media_type.expect(&what);
    let schema = &content[media_type]["schema"];
    assert!(
        schema.is_object(),
        "{what}: described by another media type"
    );
    let body = match media_type.starts_with("text/") {
        true => Some(Value::String(response.text())),
        false => serde_json::from_slice(&response.body).ok(),
    };
    let keeps_schema = body.is_some_and(|body| is_valid(document, schema, &body));
    let is_broken = described["x-broken-on-purpose"] == true;
    assert_ne!(keeps_schema, is_broken, "{what}: {}", response.text());
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
                let promise = |code| format!("{method} {path} {status} {code}");
                promised.extend(codes.into_iter().map(promise));
            }
        }
    }
    promised
}

#[tokio::test]
async fn every_response_is_described_and_every_description_is_of_a_response() {
    let document = document();
    assert_eq!(document["openapi"], "3.1.0");
    let service = Service::serving(with_room_for(1, 1), ServiceConfig::builder());
    let mut seen = BTreeSet::new();
    let mut see = |method: &str, uri: &str, response: TestResponse| {
        check(&document, method, uri, &response);
        let path = uri.split('?').next().unwrap();
        let is_problem =
            method != "HEAD" && media_type(&response) == Some("application/problem+json");
        let code = match is_problem {
            true => response.code(),
            false => String::new(),
        };
        let (method, status) = (method.to_lowercase(), response.status.as_u16());
        seen.insert(format!("{method} {path} {status} {code}"));
    };

    let large = format!("\"{}\"", "x".repeat(65_536));
    let jobs: [(Headers<'_>, &str); 11] = [
        (&[], "{}"),
        (&[JSON], "{}"),
        (&[JSON, ("idempotency-key", "a b")], "{}"),
        (&[JSON, KEY], &large),
        (&[JSON, KEY], "{"),
        (&[JSON, KEY], "[]"),
        (&[JSON, KEY], "{}"),
        (&[JSON, KEY], "{}"),
        (&[("content-type", "application/job+json"), KEY], "{ }"),
        (&[JSON, KEY], "{\"a\":1}"),
        (&[JSON, ("idempotency-key", "new")], "{}"),
    ];
    for (headers, body) in jobs {
        see("POST", "/jobs", service.post("/jobs", headers, body).await);
    }
    for failure in [ErrorKind::UnexpectedEof, ErrorKind::TimedOut] {
        see("POST", "/jobs", service.send(failing(failure)).await);
    }
    for path in document["paths"].as_object().unwrap().keys() {
        // The second round finds /flaky recovered, and the cursors in use.
        for method in ["HEAD", "GET", "GET", "GET", "HEAD", "PUT", "DELETE", "BREW"] {
            for query in ["", "?limit=0", "?cursor=tampered", "?limit=1"] {
                let uri = format!("{path}{query}");
                see(method, &uri, service.request(method, &uri, &[], "").await);
            }
        }
    }
    see("GET", "/nowhere", service.get("/nowhere").await);
    let missing = service.post("/items/1", &[JSON], "{}").await;
    see("POST", "/items/1", missing);

    let is_plannable = |promise: &&String| !promise.contains(" 500 ");
    let promised = promised(&document);
    let unseen: Vec<_> = promised.difference(&seen).filter(is_plannable).collect();
    assert!(unseen.is_empty(), "described, but never seen: {unseen:#?}");
}
