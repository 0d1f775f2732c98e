//! A request that expects 100 (Continue): its body waits until the upstream asks for it.
//!
//! The proxy asks the client for the body when it is read for the first time. If the upstream
//! answers with a final response instead, such as a 417, the client never sends it.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use axum::body::{Body, Bytes};
use http::{Request, StatusCode, header::EXPECT};
use hyper::{
    body::{Body as HttpBody, Frame, SizeHint},
    ext::on_informational,
};
use tokio::{sync::Notify, time::sleep};

/// How long the upstream may take to ask for a body before it gets it unasked: it may be one
/// that knows no 100 (RFC 9110 §10.1.1).
const UNASKED: Duration = Duration::from_secs(1);

/// A body that waits until it is asked for.
struct Expecting {
    body: Body,
    /// None once it was asked for.
    asked: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    expectation: Expectation,
}

/// Whether the upstream got the body of a request that waited for its 100.
#[derive(Clone, Debug, Default)]
pub(super) struct Expectation(Arc<AtomicBool>);

impl Expectation {
    /// Whether the body is on its way, or was.
    pub(super) fn is_met(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Whether a request expects a 100, so that its client may not have sent its body.
pub(super) fn expects_continue<B>(request: &Request<B>) -> bool {
    let expectation = request.headers().get(EXPECT);
    expectation.is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"100-continue"))
}

/// Has the body of a request wait for a 100 of the upstream.
pub(super) fn wait_for_continue(request: Request<Body>) -> (Request<Body>, Expectation) {
    let expectation = Expectation::default();
    let asks = Arc::new(Notify::new());
    let asked = Arc::clone(&asks);
    let mut request = request.map(|body| {
        Body::new(Expecting {
            body,
            expectation: expectation.clone(),
            asked: Some(Box::pin(async move {
                tokio::select! {
                    () = asked.notified() => {}
                    () = sleep(UNASKED) => {}
                }
            })),
        })
    });
    on_informational(&mut request, move |interim| {
        if interim.status() == StatusCode::CONTINUE {
            asks.notify_one();
        }
    });
    (request, expectation)
}

impl HttpBody for Expecting {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if let Some(asked) = &mut self.asked {
            ready!(asked.as_mut().poll(cx));
            self.asked = None;
            self.expectation.0.store(true, Ordering::Relaxed);
        }
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;
    use tokio::time::{Instant, timeout};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_body_waits_until_it_is_asked_for_and_not_for_ever() {
        let request = Request::builder().header(EXPECT, "100-Continue");
        let request = request.body(Body::from("body")).expect("a request");
        assert!(expects_continue(&request));
        assert!(!expects_continue(&Request::new(())));
        let (request, expectation) = wait_for_continue(request);
        let mut body = request.into_body();
        let begun = Instant::now();

        let early = timeout(UNASKED / 2, body.frame()).await;
        let was_met = expectation.is_met();
        let whole = body.collect().await.expect("it is whole");

        assert!(early.is_err(), "it came unasked");
        assert_eq!(whole.to_bytes(), "body");
        assert_eq!(begun.elapsed(), UNASKED);
        assert!(!was_met && expectation.is_met());
    }
}
