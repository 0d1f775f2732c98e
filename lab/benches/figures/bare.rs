//! A bare axum service: it responds with a constant body, and does nothing else.

use std::{fmt::Write as _, sync::Arc};

use axum::{
    Router, extract::RawQuery, http::header::CONTENT_TYPE, response::IntoResponse, routing::get,
};
use tokio::net::TcpListener;

use crate::process;

/// The first page of `/items`, as the teaching service sends it.
const PAGE: &str = r#"{"items":[{"id":"item-1","name":"Item 1"},{"id":"item-2","name":"Item 2"}],"next_cursor":"Mg+/=&2a0c1d5e8f9b3a47"}"#;

/// A listing of a million items, a hundred a page.
pub(crate) const LONG_PAGES: &str = "/long";

pub(crate) fn serve() {
    let runtime = process::runtime();
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"));
    let listener = listener.expect("a port is free");
    let address = listener.local_addr().expect("it is bound");
    let items =
        (1..=100).map(|number| format!(r#"{{"id":"item-{number}","name":"Item {number}"}}"#));
    let items: Arc<str> = items.collect::<Vec<_>>().join(",").into();
    let json = [(CONTENT_TYPE, "application/json")];
    let router = Router::new()
        .route("/items", get(async move || (json, PAGE)))
        .route(
            LONG_PAGES,
            get(async move |RawQuery(query)| page(&items, query)),
        );
    std::thread::spawn(move || {
        runtime.block_on(async { axum::serve(listener, router).await.expect("it serves") });
    });
    process::serve_at(&format!("http://{address}"));
}

/// A page of these items, with a cursor unless it is the last. The cursor is the number of
/// pages before it, padded to the length of a real one.
fn page(items: &str, query: Option<String>) -> impl IntoResponse + use<> {
    let query = query.unwrap_or_default();
    let cursor = query
        .split('&')
        .find_map(|pair| pair.strip_prefix("cursor="));
    let next = 1 + cursor.map_or(0, |cursor| cursor.parse().expect("a cursor of its own"));
    let mut page = format!(r#"{{"items":[{items}],"next_cursor":"#);
    if next < 10_000 {
        write!(page, r#""{next:024}"}}"#)
    } else {
        write!(page, "null}}")
    }
    .expect("text takes text");
    ([(CONTENT_TYPE, "application/json")], page)
}
