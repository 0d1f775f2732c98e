//! What a service costs that does nothing but respond: axum, and a body that stands in
//! the program text.

use axum::{Router, http::header::CONTENT_TYPE, routing::get};
use tokio::net::TcpListener;

use crate::process;

pub(crate) const WORKER: &str = "bare-service";

/// The first page of `/items`, as the teaching service sends it.
pub(crate) const PAGE: &str = r#"{"items":[{"id":"item-1","name":"Item 1"},{"id":"item-2","name":"Item 2"}],"next_cursor":"Mg+/=&2a0c1d5e8f9b3a47"}"#;

pub(crate) fn serve() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let listener = runtime
        .block_on(TcpListener::bind("127.0.0.1:0"))
        .expect("a port is free");
    let address = listener.local_addr().expect("it is bound");
    let router = Router::new().route(
        "/items",
        get(async || ([(CONTENT_TYPE, "application/json")], PAGE)),
    );
    std::thread::spawn(move || {
        runtime.block_on(async { axum::serve(listener, router).await.expect("it serves") });
    });
    process::serve_at(&format!("http://{address}"));
}
