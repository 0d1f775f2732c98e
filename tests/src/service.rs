//! A service without a socket.

use std::cell::OnceCell;

use axum::body::{Body, to_bytes};
use host::{Ledger, ServiceConfig, ServiceConfigBuilder};
use http::{HeaderValue, Request, Response, Uri};
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt;

/// Waits for what needs a runtime. Each thread has one of these.
pub fn wait<T>(future: impl Future<Output = T>) -> T {
    thread_local! {
        static RUNTIME: OnceCell<Runtime> = const { OnceCell::new() };
    }
    let runtime = || Builder::new_current_thread().enable_all().build();
    RUNTIME.with(|it| {
        it.get_or_init(|| runtime().expect("a runtime"))
            .block_on(future)
    })
}

/// What a fresh service of the lessons responds to requests, one after the other, and its
/// record.
pub fn respond(
    requests: impl IntoIterator<Item = Request<Body>>,
) -> (Vec<Response<Vec<u8>>>, Ledger) {
    serve(server::lessons(1), |config| config, requests)
}

/// What a fresh service of these routes responds.
pub fn serve(
    routes: impl Into<host::Served>,
    configure: impl FnOnce(ServiceConfigBuilder) -> ServiceConfigBuilder,
    requests: impl IntoIterator<Item = Request<Body>>,
) -> (Vec<Response<Vec<u8>>>, Ledger) {
    let config = configure(ServiceConfig::builder().seed(1)).build();
    let (router, ledger) = host::router(&config.expect("a legal configuration"), routes);
    let served = requests.into_iter().map(|request| {
        wait(async {
            let response = router.clone().oneshot(request).await;
            let (head, body) = response.expect("a response").into_parts();
            let body = to_bytes(body, usize::MAX).await;
            Response::from_parts(head, body.map(Vec::from).unwrap_or_default())
        })
    });
    (served.collect(), ledger)
}

/// A request without a body.
pub fn get(uri: impl TryInto<Uri, Error: Into<http::Error>>) -> Request<Body> {
    let request = Request::get(uri).body(Body::empty());
    request.expect("a request")
}

/// A request for a job.
pub fn job(media_type: &HeaderValue, key: &HeaderValue, body: &[u8]) -> Request<Body> {
    let job = Request::post("/jobs").header("content-type", media_type);
    let job = job.header("idempotency-key", key);
    job.body(body.to_vec().into()).expect("a request")
}
