//! A service reads the cursors that it issued, and nothing else.

#![cfg_attr(fuzzing, no_main)]

use fuzz::target;
use http::StatusCode;
use reqwest::Url;
use serde_json::Value;
use tests::{get, respond};

target!(cursor);

fn cursor(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut url = Url::parse("http://service.test/items").expect("an address");
    url.query_pairs_mut().append_pair("cursor", &text);
    let page = format!("/items?{}", url.query().unwrap_or_default());

    let (served, _) = respond(["/items", &page].map(get));

    let first: Value = serde_json::from_slice(served[0].body()).expect("JSON");
    let issued = first["next_cursor"] == *text;
    match (served[1].status(), issued) {
        (StatusCode::OK, true) | (StatusCode::BAD_REQUEST, false) => {}
        (other, _) => panic!("{other}"),
    }
}
