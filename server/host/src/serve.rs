//! The service of each connection.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::Router;
use axum::body::Body;
use axum::response::Response;
use axum::routing::future::RouteFuture;
use http::header::CONTENT_LENGTH;
use http::{Request, StatusCode};
use hyper::service::{Service, service_fn};
use tower::Service as _;

use crate::admission::admit;
use crate::problem;
use crate::state::HostState;

/// The router behind the rules of admission. The rules are here and not in the router,
/// since a lab may call the router without any connection.
pub(crate) fn service(
    router: Router,
    state: HostState,
) -> impl Service<Request<Body>, Response = Response, Error = Infallible, Future: Future + Send> + Send
{
    service_fn(move |request: Request<Body>| {
        let headers = request.headers();
        match admit(request.version(), request.uri(), headers) {
            Ok(()) => Responding::Routed(router.clone().call(request)),
            Err(problem) => {
                let arrived = state.now();
                state.ledger.lock().refused(problem);
                let refusal = problem::refuse(problem, &state.request_ids.make());
                let took = state.now().saturating_sub(arrived);
                state.instruments.count_refused(problem.status, took);
                Responding::Refused(Some(refusal))
            }
        }
    })
}

/// The response of the router, or the refusal that takes its position.
enum Responding {
    Routed(RouteFuture<Infallible>),
    Refused(Option<Response>),
}

impl Future for Responding {
    type Output = Result<Response, Infallible>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.get_mut() {
            Self::Routed(response) => Pin::new(response)
                .poll(cx)
                .map_ok(without_length_of_nothing),
            Self::Refused(refusal) => refusal
                .take()
                .map_or(Poll::Pending, |refusal| Poll::Ready(Ok(refusal))),
        }
    }
}

/// Takes away the length that axum gives to every body that it knows. A 204 must
/// not have one (RFC 9110 §8.6); hyper sees to that for GET, and not for HEAD.
fn without_length_of_nothing(mut response: Response) -> Response {
    if response.status() == StatusCode::NO_CONTENT {
        response.headers_mut().remove(CONTENT_LENGTH);
    }
    response
}
