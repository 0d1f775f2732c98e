//! The service of each connection.

use std::convert::Infallible;

use axum::Router;
use axum::body::Body;
use axum::response::Response;
use http::header::CONTENT_LENGTH;
use http::{Request, StatusCode};
use hyper::service::{Service, service_fn};
use tower::Service as _;

use crate::admission::admit;
use crate::problem::{self, Problem};
use crate::state::HostState;

/// The router behind the rules of admission. The rules are here and not in the router,
/// since a lab may call the router without any connection.
pub(crate) fn service(
    router: Router,
    state: HostState,
) -> impl Service<Request<Body>, Response = Response, Error = Infallible, Future: Future + Send> + Send
{
    service_fn(move |request: Request<Body>| {
        let admitted = admit(request.version(), request.uri(), request.headers());
        let (mut router, state) = (router.clone(), state.clone());
        async move {
            match admitted {
                Ok(()) => router.call(request).await.map(without_length_of_nothing),
                Err(problem) => Ok(refuse(problem, &state)),
            }
        }
    })
}

/// The response to a request that is not admitted. It is counted by its reason alone.
fn refuse(problem: Problem, state: &HostState) -> Response {
    let arrived = state.now();
    state.ledger.lock().refused(problem);
    let refusal = problem::refuse(problem, &state.request_ids.make());
    let took = state.now().saturating_sub(arrived);
    state.instruments.count_refused(problem.status, took);
    refusal
}

/// Takes away the length that axum gives to every body that it knows. A 204 must
/// not have one (RFC 9110 §8.6); hyper sees to that for GET, and not for HEAD.
fn without_length_of_nothing(mut response: Response) -> Response {
    if response.status() == StatusCode::NO_CONTENT {
        response.headers_mut().remove(CONTENT_LENGTH);
    }
    response
}
