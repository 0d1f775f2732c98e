//! Endpoints of a caller's own: any method, path parameters, queries, headers, bodies, and
//! what responses and errors give of theirs.

use std::{collections::HashMap, time::Duration};

use client::{
    ApiClient, ApiError, ApiResponseError, ApiTransportError, ConfigError, ContractError,
    CrawlError, Endpoint, FailureKind, IdempotencyKey, RequestName, ResponseProblem, StopReason,
    teaching::Builder, telemetry,
};
use http::{Method, StatusCode};
use serde::{Deserialize, Serialize};
use serde_json::json as value;

use crate::bench::{
    Bench, Reply, Script, Tally, cursor, http_error, json, page, read, response_problem,
    retry_after, status, sum, typed,
};

use crate::support::{offline, scripted::scripted};

const ORDER: Endpoint = Endpoint::new("order", "/orders/{id}");
const ORDERS: Endpoint = Endpoint::new("orders", "/orders");

#[tokio::test]
async fn path_parameters_and_a_query_go_into_the_url_or_nothing_is_sent() {
    let order = json(200, &value!({"id": 4711}));
    let bench = Bench::new(Script::always(order)).await;

    let target = ORDER.path("id", "47/11").query("expand", "a b");
    let order = bench.client.get(target).send().await;

    assert_eq!(order.expect("an object").text(), r#"{"id":4711}"#);
    for target in [ORDER.into(), ORDER.path("id", ".."), ORDER.path("no", 1)] {
        let refused = bench.client.get(target).send().await.expect_err("refused");
        assert_eq!(refused.error_type(), "config", "{refused}");
    }
    let sent = bench.lines().await;
    assert_eq!(sent, ["GET /orders/47%2F11?expand=a%20b"]);
}

/// A call that sends nothing of its own takes no attempts: one attempt a call is a call
/// without a retry.
#[tokio::test]
async fn calls_without_a_request_of_their_own_are_counted_and_have_no_attempts() {
    let tally = Tally::new();
    let script = Script::of([
        page([1], Some("A")),
        page([2, 3], Some("B")),
        page([4], None),
    ]);
    let configure = |builder: Builder| builder.recorder(tally.recorder()).max_pages(1).max_items(1);
    let bench = Bench::with(script, configure).await;

    // The limit of pages, and that of items.
    let mut pages = bench.client.items().pages();
    assert!(pages.next_page().await.is_some_and(|page| page.is_ok()));
    assert!(pages.next_page().await.is_some_and(|page| page.is_err()));
    assert!(read(bench.client.items()).await.is_err());
    // A value that does not fit the template.
    let refused = bench.client.get(ORDER.path("id", "..")).send().await;
    assert!(refused.is_err());

    let counted = tally.read();
    let calls = sum(&counted, telemetry::CALLS.name, &[]);
    let ended_by_a_limit = [("outcome", "contract_error")];
    assert_eq!(sum(&counted, telemetry::CALLS.name, &ended_by_a_limit), 2.0);
    let refused = [("outcome", "transport_error")];
    assert_eq!(sum(&counted, telemetry::CALLS.name, &refused), 1.0);
    let attempts = counted
        .iter()
        .filter(|series| series.name == telemetry::CALL_ATTEMPTS.name);
    let attempts: Vec<_> = attempts.flat_map(|series| &series.observations).collect();
    assert_eq!(attempts, [&1.0; 2], "of {calls} calls, two sent a request");
    assert_eq!(bench.lines().await.len(), 2);
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Order {
    id: u64,
    state: String,
}

fn order() -> Order {
    Order {
        id: 4711,
        state: "open".to_owned(),
    }
}

#[tokio::test]
async fn a_header_of_the_callers_replaces_the_clients() {
    let bench = Bench::new(Script::always(status(204))).await;
    let patch = bench.client.patch(ORDERS).json(&[1]);

    let patch = patch.header("content-type", "application/json-patch+json");
    let patch = patch.header("accept", "application/hal+json");
    patch.send().await.expect("a success");

    let sent = &bench.sent().await[0];
    assert_eq!(sent.headers["accept"], "application/hal+json");
    assert_eq!(sent.headers["content-type"], "application/json-patch+json");
}

/// A server cannot send one, but a transport can.
#[tokio::test]
async fn the_body_of_a_204_is_not_looked_at() {
    let transport = scripted(|_| async {
        let response = http::Response::builder().status(204).body("no JSON");
        Ok(response.expect("a response"))
    });
    let (client, _) = offline(transport, |builder| builder);

    let response = client.delete(ORDERS).send().await;

    response.expect("a success");
}

#[tokio::test]
async fn a_request_that_cannot_be_written_is_not_sent() {
    let bench = Bench::new(Script::always(status(204))).await;
    let post = || bench.client.post(ORDERS);
    let keyed_by_numbers = HashMap::from([([1, 2], 3)]);
    for (request, expected) in [
        (
            post().header("x y", "z"),
            "POST /orders must have valid names of headers",
        ),
        (
            post().header("x", "new\nline"),
            "POST /orders must have a valid value for the header x",
        ),
        (
            post().json(&keyed_by_numbers),
            "POST /orders must have a body that can be written as JSON",
        ),
        (
            post().deadline(Duration::ZERO),
            "the deadline must be longer than 0 s",
        ),
        (
            post().deadline(Duration::from_secs(86_401)),
            "the deadline must be at most 86400 s, got 86401 s",
        ),
    ] {
        let error = request.send().await.expect_err("refused");

        assert!(matches!(error, ApiError::Config(_)), "{error:?}");
        assert_eq!(error.to_string(), expected);
    }
    assert_eq!(bench.lines().await, [""; 0]);
}

#[tokio::test]
async fn successes_and_errors_give_their_headers_and_their_body() {
    const BOUND: usize = 64 * 1024;
    let long = format!("\"{}\"", "x".repeat(2 * BOUND));
    let with_etag = |reply: Reply| reply.header("etag", "\"7\"");
    let send = async |reply: Reply| {
        let bench = Bench::new(Script::always(with_etag(reply))).await;
        bench.client.put(ORDERS).json(&order()).send().await
    };

    let created = send(json(201, &value!(order()))).await.expect("a success");
    let empty = send(status(200)).await.expect("a success");
    let refused = http_error(send(json(422, &value!({"code": "no", "more": 1}))).await);
    let text = send(typed(200, "text/plain", "hello"))
        .await
        .expect_err("no JSON");
    let broken = send(typed(200, "application/json", "{").header("x-y", "z")).await;
    let misread = send(typed(200, "application/json", &*long))
        .await
        .expect("JSON");
    let misread = misread.json::<Order>().expect_err("a string");

    assert_eq!((created.status().as_u16(), created.attempts()), (201, 1));
    assert_eq!(created.headers()["etag"], "\"7\"");
    assert_eq!(created.json::<Order>().expect("an order"), order());
    assert_eq!((empty.text(), empty.body()), ("", &b""[..]));
    let owed = empty.json::<Order>();
    assert_eq!(response_problem(owed), ResponseProblem::NotJson);
    assert_eq!(refused.headers()["etag"], "\"7\"");
    assert_eq!(refused.body(), br#"{"code":"no","more":1}"#);
    for (error, problem, body) in [
        (text, "not_json", &b"hello"[..]),
        (broken.expect_err("no JSON"), "invalid_json", b"{"),
        (misread, "does_not_fit", &long.as_bytes()[..BOUND]),
    ] {
        let ApiError::Response(error) = error else {
            panic!("another class: {error}")
        };
        assert_eq!(error.problem.as_str(), problem);
        assert_eq!(error.headers()["etag"], "\"7\"");
        assert!(error.body() == body, "{problem}");
    }
}

/// Items and responses alike, so that one `?` is enough.
#[tokio::test]
async fn what_does_not_fit_the_callers_type_is_an_error_of_the_response() {
    async fn states(client: &ApiClient) -> Result<Vec<String>, ApiError> {
        let mut states = vec![client.get(ORDERS).send().await?.json::<Order>()?.state];
        let mut items = client.listing(ORDERS).items();
        while let Some(item) = items.next_item().await {
            states.push(item?.parse::<Order>()?.state);
        }
        Ok(states)
    }
    let good = value!(order());
    let bad = value!({"id": 7});
    let response = |top: &serde_json::Value, item: &serde_json::Value| {
        let mut page = top.clone();
        page["items"] = value!([item]);
        page["next_cursor"] = value!(null);
        json(200, &page)
    };
    for (reply, fits) in [
        (response(&good, &good), true),
        (response(&good, &bad), false),
        (response(&bad, &good), false),
    ] {
        let bench = Bench::new(Script::always(reply)).await;

        let states = states(&bench.client).await;

        match states {
            Ok(states) => assert!(fits && states == ["open", "open"]),
            Err(ApiError::Response(error)) => {
                assert!(!fits, "{error}");
                assert_eq!(error.problem.as_str(), "does_not_fit");
                assert_eq!(error.request.to_string(), "GET /orders");
                let detail = error.detail().expect("what serde says");
                assert!(detail.contains("missing field `state`"), "{detail}");
            }
            Err(other) => panic!("another class: {other}"),
        }
    }
}

#[tokio::test]
async fn a_listing_keeps_its_query_on_every_page_and_may_not_set_that_of_the_pages() {
    let script = Script::by(move |request| {
        let next = cursor(&request.url).is_none().then_some("c&d");
        page([1], next)
    });
    let bench = Bench::new(script).await;

    let open = bench.client.listing(ORDERS.query("state", "open"));
    read(open).await.expect("two pages");
    let collides = read(bench.client.listing(ORDERS.query("limit", 5))).await;

    let error = collides.expect_err("limit is there twice").to_string();
    assert!(error.contains("query parameter limit"), "{error}");
    let expected = [
        "GET /orders?state=open&limit=50",
        "GET /orders?state=open&limit=50&cursor=c%26d",
    ];
    assert_eq!(bench.lines().await, expected);
}

/// The deadline of one call, in place of the client's.
#[tokio::test]
async fn a_request_has_a_deadline_of_its_own() {
    let seconds = Duration::from_secs;
    for (of_the_client, of_the_request, expected) in [
        (None, None, (3, StopReason::AttemptsExhausted)),
        (None, Some(3), (2, StopReason::Deadline)),
        (Some(3), None, (2, StopReason::Deadline)),
        (Some(3), Some(60), (3, StopReason::AttemptsExhausted)),
        (Some(60), Some(1), (1, StopReason::Deadline)),
    ] {
        let script = Script::always(retry_after(503, "2"));
        let bench = Bench::with(script, |builder| {
            builder.deadline(of_the_client.map(seconds))
        });
        let bench = bench.await;
        let mut request = bench.client.get(ORDERS);
        if let Some(deadline) = of_the_request {
            request = request.deadline(seconds(deadline));
        }

        let error = http_error(request.send().await);

        let ended = (error.attempts, error.stopped.expect("a rule"));
        assert_eq!(ended, expected, "{of_the_client:?}, {of_the_request:?}");
    }
}

/// A test of one's own wants errors that no service has to make.
#[test]
fn every_error_can_be_made_without_a_service() {
    let request = RequestName::new(&Method::GET, ORDERS);
    let mut lost = ApiTransportError::new(request, FailureKind::ReadTimeout);
    lost.attempts = 3;
    let no_object = ApiResponseError::new(request, StatusCode::OK, ResponseProblem::NotJson);
    let limit = ContractError::PageLimit {
        request,
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

#[test]
fn the_question_mark_turns_each_refused_value_into_the_error_of_the_call() {
    fn call(key: &str) -> Result<(), ApiError> {
        IdempotencyKey::new(key)?;
        Ok(())
    }
    fn crawl(base_url: &str) -> Result<(), CrawlError> {
        ApiClient::builder(base_url).build()?;
        Ok(())
    }

    let refused = call("two words").expect_err("a space");
    assert!(matches!(
        refused,
        ApiError::Config(ConfigError::IdempotencyKey(_))
    ));
    let refused = crawl("no URL").expect_err("no scheme");
    assert!(matches!(
        refused,
        CrawlError::Api(ApiError::Config(ConfigError::BaseUrl(_)))
    ));
}
