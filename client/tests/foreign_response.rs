//! Responses of a stack of one's own, as this crate's errors.

use std::time::Duration;

use client::{
    ApiError, ApiResponseError, ApiTransportError, ContractError, Endpoint, FailureKind,
    RequestName, ResponseProblem, StopReason, check,
};
use http::{Method, StatusCode};
use serde_json::json as value;

use crate::bench::{Bench, Script, http_error, json, transport_error};
use crate::support::{
    quiet_session,
    wire::{Then, Wire},
};

const ORDERS: Endpoint = Endpoint::new("orders", "/orders");

fn request() -> RequestName {
    RequestName::new(&Method::GET, ORDERS)
}

#[tokio::test]
async fn a_failed_request_of_the_stack_is_told_as_a_method_would_tell_it() {
    let problem = value!({"code": "unavailable", "request_id": "r-1"});
    let reply = json(503, &problem).header("retry-after", "120");
    let bench = Bench::new(Script::always(reply)).await;

    let url = bench.server.uri() + "/orders";
    let sent = bench.client.http().get(url).send().await;
    let error = http_error(check(request(), sent).await);

    assert_eq!(error.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(error.code(), Some("unavailable"));
    assert_eq!(error.request_id(), Some("r-1"));
    assert_eq!(error.retry_after, Some(Duration::from_secs(120)));
    assert_eq!(error.stopped, Some(StopReason::RetryAfterOverBudget));
    assert_eq!(error.attempts, 1);
    assert!(error.to_string().starts_with("GET /orders"), "{error}");
}

#[tokio::test]
async fn a_success_passes_unread() {
    let body = value!({"orders": []});
    let bench = Bench::new(Script::always(json(201, &body))).await;

    let sent = bench.client.http().get(bench.server.uri()).send().await;
    let passed = check(request(), sent).await;

    let passed = passed.expect("a success").text().await;
    assert_eq!(passed.expect("a body"), body.to_string());
}

/// Without the retry middleware nobody has read the body yet.
#[tokio::test]
async fn a_plain_response_is_judged_by_its_head() {
    let cut = "HTTP/1.1 409 \r\ncontent-type: application/json\r\nretry-after: 120\r\n\
               content-length: 60\r\n\r\n\
               {\"code\":\"conflict\",";
    let wire = Wire::serve(&[(cut, Then::Close)]).await;

    let sent = quiet_session().get(wire.base_url()).send().await;
    let error = http_error(check(request(), sent.map_err(Into::into)).await);

    assert_eq!((error.status.as_u16(), error.attempts), (409, 1));
    assert_eq!(error.code(), Some("conflict"));
    assert_eq!(error.retry_after, Some(Duration::from_secs(120)));
    assert!(error.to_string().contains("a wait of 120 s"), "{error}");
    assert_eq!(error.incomplete_body, Some(FailureKind::ConnectionLost));
}

#[tokio::test]
async fn a_failure_of_the_transport_keeps_its_kind() {
    let wire = Wire::serve(&[("", Then::Close)]).await;

    let request_of_a_secret = quiet_session().get(wire.base_url() + "/?secret");
    let sent = request_of_a_secret.send().await;
    let error = transport_error(check(request(), sent.map_err(Into::into)).await);

    assert_eq!(error.kind, FailureKind::ConnectionLost);
    let source = format!("{:?}", error.source);
    assert!(!source.contains("secret"), "{source}");
}

/// A test of one's own wants errors that no service has to make.
#[test]
fn every_error_can_be_made_without_a_service() {
    let mut lost = ApiTransportError::new(request(), FailureKind::ReadTimeout);
    lost.attempts = 3;
    let no_object = ApiResponseError::new(request(), StatusCode::OK, ResponseProblem::NotJson);

    let limit = ContractError::PageLimit {
        request: request(),
        max_pages: 7,
    };
    for (error, attempts, error_type) in [
        (ApiError::from(lost), 3, "read_timeout"),
        (no_object.into(), 1, "response"),
        (limit.into(), 0, "contract"),
    ] {
        let reported = (error.attempts(), error.error_type());
        assert_eq!(reported, (attempts, error_type));
    }
}
