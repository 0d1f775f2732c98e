//! A service without a socket.

use axum::body::{Body, to_bytes};
use host::{Ledger, ServiceConfig, ServiceConfigBuilder};
use http::{HeaderMap, Request, StatusCode};
use tower::ServiceExt;

use crate::wait;

/// What a service responds.
#[derive(Debug, PartialEq, Eq)]
pub struct Served {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The whole body.
    pub body: Vec<u8>,
}

/// What a fresh service of the lessons responds to requests, one after the other, and its
/// record.
pub fn respond(
    configure: impl FnOnce(ServiceConfigBuilder) -> ServiceConfigBuilder,
    requests: impl IntoIterator<Item = Request<Body>>,
) -> (Vec<Served>, Ledger) {
    serve(server::lessons(1), configure, requests)
}

/// What a fresh service of these routes responds.
pub fn serve(
    routes: impl Into<host::Served>,
    configure: impl FnOnce(ServiceConfigBuilder) -> ServiceConfigBuilder,
    requests: impl IntoIterator<Item = Request<Body>>,
) -> (Vec<Served>, Ledger) {
    let config = configure(ServiceConfig::builder().seed(1)).build();
    let (router, ledger) = host::router(&config.expect("a legal configuration"), routes);
    let served = requests.into_iter().map(|request| {
        wait(async {
            let response = router.clone().oneshot(request).await;
            let (head, body) = response.expect("a response").into_parts();
            let body = to_bytes(body, usize::MAX).await;
            Served {
                status: head.status,
                headers: head.headers,
                body: body.map(Vec::from).unwrap_or_default(),
            }
        })
    });
    (served.collect(), ledger)
}
