//! The content that a success must have, and the order in which it is checked.

use client::{ApiError, Endpoint, IdempotencyKey, JsonObject, JsonType, ResponseProblem};
use serde_json::json as value;
use tests::{Bench, Loopback, Reply, Script, http_error, json, response_problem, status, typed};

/// Reads the first page of a listing whose response is `reply`.
async fn read_page(reply: Reply) -> Result<usize, ApiError> {
    let bench = Bench::with(Script::always(reply), |builder| builder.max_attempts(1)).await;
    let page = bench.client.items().pages().next_page().await;
    page.expect("a page or an error")
        .map(|page| page.items.len())
}

fn wrong(field: &'static str, expected: &'static str, found: JsonType) -> ResponseProblem {
    ResponseProblem::WrongType {
        field,
        expected,
        found,
    }
}

fn missing(field: &'static str) -> ResponseProblem {
    ResponseProblem::MissingField { field }
}

/// Each row breaks its own rule, and later ones with it where that is possible.
fn broken_pages() -> [(&'static str, &'static str, ResponseProblem); 13] {
    use ResponseProblem::{
        EmptyCursor, InvalidJson, ItemNotAnObject, NotAnObject, NotJson, NotUnicode, RepeatedField,
    };
    const JSON: &str = "application/json";
    const CURSOR: &str = "next_cursor";
    let (items, found) = ("items", JsonType::Array);
    let not_an_array = wrong(items, "an array", JsonType::Object);
    let number = wrong(CURSOR, "a string or null", JsonType::Number);
    let twice = |field| RepeatedField { field };
    let cut = InvalidJson { line: 2, column: 7 };
    let item = ItemNotAnObject {
        field: items,
        index: 1,
        found,
    };
    let both_twice = r#"{"next_cursor":1,"next_cursor":1,"items":[],"items":[]}"#;
    let cursor_twice = r#"{"items":[],"next_cursor":null,"next_cursor":"A"}"#;
    let surrogate = r#"{"items":[],"next_cursor":"\ud800"}"#;
    [
        ("text/plain", "[7]", NotJson),
        ("text/plain", r#"{"items":[],"next_cursor":null}"#, NotJson),
        (JSON, "{\n\"items\"", cut),
        (JSON, "[7]", NotAnObject { found }),
        (JSON, r#"{"next_cursor":7}"#, missing(items)),
        (JSON, both_twice, twice(items)),
        (JSON, r#"{"items":{},"next_cursor":7}"#, not_an_array),
        (JSON, r#"{"items":[{},[],7],"next_cursor":7}"#, item),
        (JSON, r#"{"items":[{}]}"#, missing(CURSOR)),
        (JSON, cursor_twice, twice(CURSOR)),
        (JSON, r#"{"items":[],"next_cursor":7}"#, number),
        (
            JSON,
            r#"{"items":[],"next_cursor":""}"#,
            EmptyCursor { field: CURSOR },
        ),
        (JSON, surrogate, NotUnicode { field: CURSOR }),
    ]
}

#[tokio::test]
async fn a_page_is_checked_in_the_order_of_the_contract() {
    // A body whose media type is not said.
    let untyped = status(200).body("[7]");
    let untyped = response_problem(read_page(untyped).await);
    assert_eq!(untyped, ResponseProblem::NotJson);
    for (media_type, body, problem) in broken_pages() {
        let reply = typed(200, media_type, body);
        assert_eq!(response_problem(read_page(reply).await), problem, "{body}");
    }
    let good = value!({ "items": [{}, { "id": 1 }], "next_cursor": null });
    for code in [302, 404, 500, 503] {
        // The status comes first, before the media type and the shape of the body.
        for (media_type, body) in [
            ("application/json", &*good.to_string()),
            ("application/json", "{"),
            ("application/json", "[7]"),
            ("text/plain", "[7]"),
            ("text/html", "<h1>Sorry</h1>"),
        ] {
            let error = http_error(read_page(typed(code, media_type, body)).await);
            assert_eq!(error.status, code, "{media_type} {body}: {error}");
        }
    }
    assert_eq!(read_page(json(200, &good)).await.expect("a page"), 2);
}

#[tokio::test]
async fn case_and_parameters_of_a_json_media_type_do_not_matter() {
    let table = [
        ("application/json", true),
        ("application/json; charset=utf-8", true),
        ("application/json ; charset=utf-8", true),
        ("application/json;charset=latin-1;v=2", true),
        ("APPLICATION/Json", true),
        ("application/problem+json", true),
        ("application/vnd.api+JSON; v=1", true),
        ("text/x.y+json", true),
        ("text/json", false),
        ("text/plain; charset=utf-8", false),
        ("application/jsonl", false),
        ("application/json-seq", false),
        ("application/x-json", false),
        // By the letter of the rule: it ends in +json.
        ("application/+json", true),
        ("application/x+json+xml", false),
        ("application/json, text/plain", false),
        ("a b/c+json", false),
        ("text/plain; like=application/json", false),
        ("json", false),
        ("", false),
    ];

    for (media_type, is_json) in table {
        let bench = Bench::new(Script::of([typed(200, media_type, "{}")])).await;

        let response = bench.client.get(Endpoint::OTHER).send().await;

        let problem = response
            .err()
            .map(|error| response_problem::<()>(Err(error)));
        let expected = (!is_json).then_some(ResponseProblem::NotJson);
        assert_eq!(problem, expected, "{media_type}");
    }
}

#[tokio::test]
async fn a_response_of_the_wrong_kind_is_final_and_not_an_http_error() {
    use ResponseProblem::{InvalidJson, ItemNotAnObject, NotJson};
    let loopback = Loopback::start();
    let client = &loopback.client;
    let first =
        async |listing: client::Listing| listing.pages().next_page().await.expect("an error");

    let bad_json = response_problem(client.bad_json().await);
    let text_json = response_problem(client.text_json().await);
    let bad_items = response_problem(first(client.bad_items()).await);
    let bad_cursor = response_problem(first(client.bad_cursor()).await);

    let number = JsonType::Number;
    assert!(matches!(bad_json, InvalidJson { .. }), "{bad_json}");
    assert_eq!(text_json, NotJson);
    let found = JsonType::String;
    let item = ItemNotAnObject {
        field: "items",
        index: 1,
        found,
    };
    assert_eq!(bad_items, item);
    assert_eq!(bad_cursor, wrong("next_cursor", "a string or null", number));
    let ledger = loopback.stop().await;
    assert_eq!(ledger.total, 4, "one request each: {ledger:#?}");

    let key = IdempotencyKey::new("k").expect("a key");
    for (body, expected) in [
        (value!({}), missing("id")),
        (value!({ "id": 7 }), wrong("id", "a string", number)),
    ] {
        let bench = Bench::new(Script::of([json(201, &body)])).await;
        let job = bench.client.create_job(&key, &JsonObject::new()).await;
        assert_eq!(response_problem(job), expected);
    }
    for (body, expected) in [
        (value!({}), missing("attempt")),
        (
            value!({ "attempt": 3.5 }),
            wrong("attempt", "a non-negative integer", number),
        ),
    ] {
        let bench = Bench::new(Script::of([json(200, &body)])).await;
        assert_eq!(response_problem(bench.client.flaky().await), expected);
    }
    for body in [
        r#"{"attempt":1,"attempt":1}"#,
        r#"{"attempt":1,"\u0061ttempt":1}"#,
        r#"{"attempt":18446744073709551616}"#,
    ] {
        let bench = Bench::new(Script::of([typed(200, "application/json", body)])).await;
        let called = bench.client.flaky().await;
        assert!(matches!(called, Err(ApiError::Response(_))), "{body}");
    }
}

#[tokio::test]
async fn every_2xx_is_a_success_and_a_204_is_never_parsed() {
    let loopback = Loopback::start();
    loopback
        .client
        .no_content()
        .await
        .expect("an empty success");
    assert_eq!(loopback.stop().await.total, 1);

    let key = IdempotencyKey::new("k").expect("a key");
    let body = value!({ "id": "job-1", "attempt": 3 });
    for code in (200..300).filter(|code| *code != 204) {
        let bench = Bench::new(Script::always(json(code, &body))).await;
        let job = bench.client.create_job(&key, &JsonObject::new()).await;
        let flaky = bench.client.flaky().await;
        assert_eq!(job.expect("a success").id, "job-1", "{code}");
        assert_eq!(flaky.expect("a success").attempt, 3, "{code}");
    }
    // It says that its body is JSON, and has none.
    let empty = status(204).header("content-type", "application/json");
    let bench = Bench::new(Script::always(empty)).await;
    bench.client.no_content().await.expect("an empty success");
    let owed = bench.client.flaky().await;
    assert_eq!(response_problem(owed), ResponseProblem::NoContent);
    assert_eq!(bench.lines().await, ["GET /no-content", "GET /flaky"]);
}
