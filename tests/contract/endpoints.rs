//! Every row of the endpoint table.

use std::collections::HashSet;

use serde_json::Value;
use server::RunningApi;

use super::wire::{Response, encode, get, post_job, send, start, start_with};

/// A page as the contract has it: its items, all objects, and its cursor.
fn read_page(response: &Response) -> (Vec<Value>, Option<String>) {
    assert_eq!(response.status, 200, "{response:?}");
    assert_eq!(response.header("content-type"), Some("application/json"));
    let page = response.json();
    let items = page["items"].as_array().expect("an array").clone();
    assert!(items.iter().all(Value::is_object), "{response:?}");
    let cursor = page.get("next_cursor").expect("it is never missing");
    assert!(cursor.is_null() || cursor.as_str().is_some_and(|text| !text.is_empty()));
    (items, cursor.as_str().map(str::to_owned))
}

/// Follows the cursors for as many pages as there are, up to `most`.
fn follow(service: &RunningApi, path: &str, most: usize) -> Vec<(Vec<Value>, Option<String>)> {
    let mut pages = vec![read_page(&get(service, path))];
    while let Some((_, Some(cursor))) = pages.last()
        && pages.len() < most
    {
        let next = get(service, &format!("{path}?cursor={}", encode(cursor)));
        pages.push(read_page(&next));
    }
    pages
}

#[test]
fn items_are_three_records_on_two_pages() {
    let pages = follow(&start(), "/items", 10);

    let [(first, Some(_)), (last, None)] = &*pages else {
        panic!("a page with a cursor and a last one, not {pages:?}")
    };
    assert_eq!(first.len() + last.len(), 3, "{pages:?}");
    let ids: HashSet<_> = first.iter().chain(last).map(|item| &item["id"]).collect();
    assert_eq!(ids.len(), 3, "{pages:?}");
}

#[test]
fn limit_bounds_a_page_and_is_bounded_itself() {
    let service = start();

    for (limit, items) in [("1", 1), ("2", 2), ("50", 2), ("100", 2)] {
        let (page, _) = read_page(&get(&service, &format!("/items?limit={limit}")));
        assert_eq!(page.len(), items, "limit={limit}");
    }
    for limit in ["0", "101", "-1", "1.5", "true", ""] {
        let response = get(&service, &format!("/items?limit={limit}"));
        assert_eq!(response.status, 400, "limit={limit}: {response:?}");
    }
}

#[test]
fn looping_items_repeat_a_cursor_that_is_not_the_last_one() {
    let pages = follow(&start(), "/looping-items", 5);

    let cursors: Vec<_> = pages.iter().map(|(_, cursor)| cursor.clone()).collect();
    assert!(cursors.iter().all(Option::is_some), "{cursors:?}");
    assert_ne!(cursors[0], cursors[1]);
    assert_eq!(cursors[0], cursors[2]);
    assert_eq!(cursors[1], cursors[3]);
}

#[test]
fn endless_items_never_end_and_never_repeat_a_cursor() {
    let pages = follow(&start(), "/endless-items", 50);

    let cursors: HashSet<_> = pages
        .iter()
        .filter_map(|(_, cursor)| cursor.clone())
        .collect();
    assert_eq!(cursors.len(), 50);
    assert!(pages.iter().all(|(items, _)| !items.is_empty()));
}

#[test]
fn bad_items_and_bad_cursor_are_well_formed_and_wrong() {
    let service = start();

    let items = get(&service, "/bad-items");
    let cursor = get(&service, "/bad-cursor");

    for response in [&items, &cursor] {
        assert_eq!(response.status, 200, "{response:?}");
        assert_eq!(response.header("content-type"), Some("application/json"));
    }
    let elements = items.json()["items"].as_array().expect("an array").clone();
    assert!(!elements.iter().all(Value::is_object), "{items:?}");
    assert!(cursor.json()["next_cursor"].is_number(), "{cursor:?}");
}

#[test]
fn flaky_fails_twice_and_then_says_attempt_3() {
    let service = start();

    let responses = [(); 3].map(|()| get(&service, "/flaky"));

    assert_eq!(
        responses.each_ref().map(|response| response.status),
        [503, 503, 200]
    );
    assert_eq!(
        responses[2].header("content-type"),
        Some("application/json")
    );
    assert_eq!(responses[2].json()["attempt"], 3);
    for failure in &responses[..2] {
        assert_eq!(failure.header("retry-after"), None);
    }
    assert_eq!(
        get(&start(), "/flaky").status,
        503,
        "another service starts anew"
    );
}

#[test]
fn retry_later_asks_for_120_seconds() {
    let response = get(&start(), "/retry-later");

    assert_eq!(response.status, 503);
    assert_eq!(response.header("retry-after"), Some("120"));
}

#[test]
fn bad_json_and_text_json_each_break_the_other_half_of_the_promise() {
    let service = start();

    let bad_json = get(&service, "/bad-json");
    let text_json = get(&service, "/text-json");

    assert_eq!((bad_json.status, text_json.status), (200, 200));
    assert_eq!(bad_json.header("content-type"), Some("application/json"));
    assert!(serde_json::from_str::<Value>(&bad_json.body).is_err());
    let media_type = text_json.header("content-type").expect("a media type");
    assert!(media_type.starts_with("text/plain"), "{media_type}");
    assert!(text_json.json()["items"].is_array(), "it would even parse");
}

#[test]
fn no_content_and_redirect_have_no_body() {
    let service = start();

    let no_content = get(&service, "/no-content");
    let redirect = get(&service, "/redirect");

    assert_eq!((no_content.status, &*no_content.body), (204, ""));
    assert_eq!(no_content.header("content-type"), None);
    assert_eq!((redirect.status, &*redirect.body), (302, ""));
    assert_eq!(redirect.header("location"), Some("/items"));
}

#[test]
fn a_job_is_created_once_for_each_key() {
    let service = start();

    let created = post_job(&service, "k", r#"{"a": 1, "b": 2}"#);
    let replayed = post_job(&service, "k", r#"{"b":2,"a":1}"#);
    let conflict = post_job(&service, "k", r#"{"a": 2}"#);
    let replayed_again = post_job(&service, "k", r#"{"a": 1, "b": 2}"#);
    let other = post_job(&service, "other", r#"{"a": 1, "b": 2}"#);

    assert_eq!(created.status, 201);
    assert_eq!(created.header("content-type"), Some("application/json"));
    assert_eq!(created.header("idempotency-replayed"), None);
    assert!(created.json()["id"].is_string(), "{created:?}");
    for replay in [replayed, replayed_again] {
        assert_eq!((replay.status, &replay.body), (201, &created.body));
        assert_eq!(replay.header("idempotency-replayed"), Some("true"));
    }
    assert_eq!(conflict.status, 409);
    assert_ne!(other.json(), created.json());
}

#[test]
fn head_gets_the_response_of_get_without_the_body() {
    for path in [
        "/items",
        "/looping-items",
        "/endless-items",
        "/bad-items",
        "/bad-cursor",
        "/flaky",
        "/retry-later",
        "/bad-json",
        "/text-json",
        "/no-content",
        "/redirect",
        "/nowhere",
        "/items?limit=0",
    ] {
        // One seed, so that two services issue the same cursors.
        let service = || start_with(|config| config.seed(7));

        let head = send(&service(), "HEAD", path, &[], "");
        let get = get(&service(), path);

        assert_eq!(head.status, get.status, "{path}");
        assert_eq!(head.body, "", "{path}");
        assert_eq!(head.lasting_headers(), get.lasting_headers(), "{path}");
    }
    let service = start();
    for _ in 0..3 {
        assert_eq!(send(&service, "HEAD", "/flaky", &[], "").status, 503);
    }
    assert_eq!(get(&service, "/flaky").status, 503, "no call was used up");
}
