//! A service without a socket.

use std::cell::OnceCell;

use axum::body::{Body, to_bytes};
use host::ServiceConfig;
use http::{HeaderValue, Request, Response};
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt;

/// Waits for what needs a runtime. Each thread has one of these.
pub fn wait<T>(future: impl Future<Output = T>) -> T {
    thread_local! {
        static RUNTIME: OnceCell<Runtime> = const { OnceCell::new() };
    }
    let build = || Builder::new_current_thread().enable_all().build();
    RUNTIME.with(|runtime| {
        runtime
            .get_or_init(|| build().expect("a runtime"))
            .block_on(future)
    })
}

/// The responses of a fresh service of the lessons to requests, one after the other.
pub fn respond(requests: impl IntoIterator<Item = Request<Body>>) -> Vec<Response<Vec<u8>>> {
    let config = ServiceConfig {
        seed: 1,
        ..ServiceConfig::default()
    };
    let lessons = server::lessons(1);
    let (router, _) = host::router(&config, lessons);
    let responses = requests.into_iter().map(|request| {
        wait(async {
            let response = router.clone().oneshot(request).await;
            let (head, body) = response.expect("a response").into_parts();
            let body = to_bytes(body, usize::MAX).await;
            Response::from_parts(head, body.map(Vec::from).unwrap_or_default())
        })
    });
    responses.collect()
}

/// A request for a job.
pub fn job(media_type: &HeaderValue, key: &HeaderValue, body: &[u8]) -> Request<Body> {
    let job = Request::post("/jobs").header("content-type", media_type);
    let job = job.header("idempotency-key", key);
    job.body(body.to_vec().into()).expect("a request")
}
