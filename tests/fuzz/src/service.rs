//! A service without a socket.

use axum::body::{Body, to_bytes};
use http::{HeaderMap, Request, StatusCode};
use server::{ServiceConfig, ServiceConfigBuilder, ServiceState, router};
use tower::ServiceExt;
use wire::WireRecord;

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

/// What a fresh service responds to requests, one after the other.
pub fn respond(
    configure: impl FnOnce(ServiceConfigBuilder) -> ServiceConfigBuilder,
    requests: impl IntoIterator<Item = Request<Body>>,
) -> (Vec<Served>, ServiceState) {
    let config = configure(ServiceConfig::builder().seed(1)).build();
    let state = ServiceState::new(&config.expect("a legal configuration"));
    let router = router(state.clone());
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
    (served.collect(), state)
}

/// What a service remembers of its requests.
#[must_use]
pub fn snapshot(state: &ServiceState) -> WireRecord {
    state.ledger().snapshot()
}
