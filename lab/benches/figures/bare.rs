//! A bare axum service: it responds with a constant body, and does nothing else.

use std::{fmt::Write as _, sync::Arc};

use axum::{
    Router, extract::RawQuery, http::header::CONTENT_TYPE, response::IntoResponse, routing::get,
};
use tokio::net::TcpListener;

use crate::process;

/// The worker that serves.
pub(crate) const SERVICE: &str = "bare-service";

/// The worker that is a bare proxy.
pub(crate) const PROXY: &str = "bare-proxy";

/// The first page of `/items`, as the teaching service sends it.
const PAGE: &str = r#"{"items":[{"id":"item-1","name":"Item 1"},{"id":"item-2","name":"Item 2"}],"next_cursor":"Mg+/=&2a0c1d5e8f9b3a47"}"#;

/// A listing of a million items, a hundred a page.
pub(crate) const LONG_PAGES: &str = "/long";

/// A listing without an end, an item a page.
pub(crate) const ENDLESS_PAGES: &str = "/endless";

pub(crate) fn serve() {
    let runtime = process::runtime();
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"));
    let listener = listener.expect("a port is free");
    let address = listener.local_addr().expect("it is bound");
    let (hundred, one) = (items(100), items(1));
    let json = [(CONTENT_TYPE, "application/json")];
    let router = Router::new()
        .route("/items", get(async move || (json, PAGE)))
        .route(
            LONG_PAGES,
            get(async move |RawQuery(query)| page(&hundred, query, 10_000)),
        )
        .route(
            ENDLESS_PAGES,
            get(async move |RawQuery(query)| page(&one, query, u32::MAX)),
        );
    std::thread::spawn(move || {
        runtime.block_on(async { axum::serve(listener, router).await.expect("it serves") });
    });
    process::serve_at(&format!("http://{address}"));
}

/// The items of a page, as JSON.
fn items(count: u32) -> Arc<str> {
    let items =
        (1..=count).map(|number| format!(r#"{{"id":"item-{number}","name":"Item {number}"}}"#));
    items.collect::<Vec<_>>().join(",").into()
}

/// A page of these items, with a cursor unless it is the last. The cursor is the number of
/// pages before it, padded to the length of a real one.
fn page(items: &str, query: Option<String>, pages: u32) -> impl IntoResponse + use<> {
    let query = query.unwrap_or_default();
    let cursor = query
        .split('&')
        .find_map(|pair| pair.strip_prefix("cursor="));
    let next = 1 + cursor.map_or(0, |cursor| cursor.parse().expect("a cursor of its own"));
    let mut page = format!(r#"{{"items":[{items}],"next_cursor":"#);
    if next < pages {
        write!(page, r#""{next:024}"}}"#)
    } else {
        write!(page, "null}}")
    }
    .expect("text takes text");
    ([(CONTENT_TYPE, "application/json")], page)
}
