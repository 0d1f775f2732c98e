//! A service reads the cursors that it issued, and nothing else.

#![cfg_attr(fuzzing, no_main)]

use axum::body::Body;
use fuzz::{respond, target};
use http::{Request, StatusCode};
use reqwest::Url;
use serde_json::Value;

target!(cursor);

fn cursor(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (served, _) = respond(|config| config, ["/items".to_owned(), page(&text)].map(get));

    let first: Value = serde_json::from_slice(&served[0].body).expect("JSON");
    let issued = first["next_cursor"] == *text;
    match (served[1].status, issued) {
        (StatusCode::OK, true) | (StatusCode::BAD_REQUEST, false) => {}
        (other, _) => panic!("{other}"),
    }
}

fn page(cursor: &str) -> String {
    let mut url = Url::parse("http://service.test/items").expect("an address");
    url.query_pairs_mut().append_pair("cursor", cursor);
    format!("/items?{}", url.query().unwrap_or_default())
}

fn get(uri: String) -> Request<Body> {
    Request::get(uri).body(Body::empty()).expect("a request")
}
