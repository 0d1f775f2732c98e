//! Every row of the error table, and what all responses share.

use super::wire::{Response, get, post_job, send, start, start_with};

/// Holds a response to the form that every error has.
fn assert_problem(response: &Response, status: u16, code: &str) {
    assert_eq!(response.status, status, "{response:?}");
    let media_type = response.header("content-type");
    assert_eq!(media_type, Some("application/problem+json"), "{response:?}");
    let problem = response.json();
    assert_eq!(problem["code"], code, "{response:?}");
    assert_eq!(problem["status"], status, "{response:?}");
    assert_eq!(
        problem["request_id"].as_str(),
        response.header("x-request-id"),
        "{response:?}"
    );
    for text in ["type", "title", "detail"] {
        let text = problem[text].as_str();
        assert!(text.is_some_and(|text| !text.is_empty()), "{response:?}");
    }
    assert_eq!(problem.as_object().map(serde_json::Map::len), Some(6));
}

#[test]
fn any_other_path_is_a_problem_whatever_the_method() {
    let service = start();
    for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] {
        for path in ["/", "/nowhere", "/items/", "/Items", "/jobs/1", "//items"] {
            assert_problem(&send(&service, method, path, &[], ""), 404, "not_found");
        }
    }
}

#[test]
fn any_other_method_is_a_problem_that_says_what_is_allowed() {
    let service = start();
    for (path, allow) in [
        ("/items", "GET,HEAD"),
        ("/flaky", "GET,HEAD"),
        ("/jobs", "POST"),
    ] {
        for method in ["PUT", "PATCH", "DELETE", "OPTIONS"] {
            let response = send(&service, method, path, &[], "");

            assert_problem(&response, 405, "method_not_allowed");
            assert_eq!(response.header("allow"), Some(allow), "{method} {path}");
        }
    }
    assert_problem(&get(&service, "/jobs"), 405, "method_not_allowed");
    let post = send(&service, "POST", "/items", &[], "");
    assert_problem(&post, 405, "method_not_allowed");
}

#[test]
fn faults_on_purpose_are_problems_too() {
    let service = start();

    assert_problem(&get(&service, "/flaky"), 503, "transient_failure");
    assert_problem(&get(&service, "/retry-later"), 503, "retry_later");
}

#[test]
fn a_query_that_no_list_understands_is_a_problem() {
    let service = start();
    for path in [
        "/items",
        "/looping-items",
        "/endless-items",
        "/bad-items",
        "/bad-cursor",
    ] {
        let limit = get(&service, &format!("{path}?limit=0"));
        let cursor = get(&service, &format!("{path}?cursor=x"));

        assert_problem(&limit, 400, "invalid_limit");
        assert_problem(&cursor, 400, "invalid_cursor");
    }
}

#[test]
fn a_job_that_breaks_a_rule_is_a_problem() {
    let service = start_with(|config| config.max_jobs(1));
    let json = ("content-type", "application/json");
    let text = ("content-type", "text/plain");
    let key = ("idempotency-key", "k");
    let too_long = "k".repeat(256);
    let too_large = format!("{{\"a\":\"{}\"}}", "x".repeat(64 * 1024));
    let post = |headers: &[(&str, &str)], body| send(&service, "POST", "/jobs", headers, body);

    assert_problem(&post(&[json], "{}"), 400, "idempotency_key_missing");
    for invalid in ["", "two words", "tab\there", "schl\u{fc}ssel", &too_long] {
        let response = post(&[json, ("idempotency-key", invalid)], "{}");
        let code = "idempotency_key_invalid";
        assert_problem(&response, 400, code);
    }
    assert_problem(&post(&[text, key], "{}"), 415, "unsupported_media_type");
    assert_problem(&post(&[key], "{}"), 415, "unsupported_media_type");
    assert_problem(&post(&[json, key], &too_large), 413, "payload_too_large");
    assert_problem(&post(&[json, key], "{"), 400, "invalid_json");
    for other in ["[]", "null", "7", "\"text\""] {
        assert_problem(&post(&[json, key], other), 422, "invalid_job");
    }
    assert_eq!(post_job(&service, "k", "{}").status, 201);
    let conflict = post_job(&service, "k", r#"{"a":1}"#);
    assert_problem(&conflict, 409, "idempotency_conflict");
    assert_problem(&post_job(&service, "new", "{}"), 507, "job_store_full");
    assert_eq!(post_job(&service, "k", "{}").status, 201, "a replay works");
}

#[test]
fn every_response_has_a_request_id_of_its_own_or_the_callers() {
    let service = start();
    let mut ids = Vec::new();
    for path in [
        "/items",
        "/flaky",
        "/no-content",
        "/redirect",
        "/nowhere",
        "/text-json",
    ] {
        let own = get(&service, path);
        let callers = send(&service, "GET", path, &[("x-request-id", "caller-1")], "");
        let insane = send(&service, "GET", path, &[("x-request-id", "a b")], "");

        assert_eq!(callers.header("x-request-id"), Some("caller-1"), "{path}");
        for response in [own, insane] {
            ids.push(response.header("x-request-id").expect("an id").to_owned());
        }
    }
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count, "{ids:?}");
}

#[test]
fn no_response_repeats_a_secret_of_its_request() {
    let service = start();
    let header = [
        ("x-request-id", "5ecret 5ecret"),
        ("authorization", "5ecret"),
    ];
    for path in [
        "/5ecret",
        "/items?cursor=5ecret",
        "/items?limit=5ecret",
        "/flaky?5ecret",
    ] {
        let response = send(&service, "GET", path, &header, "");

        assert!(!format!("{response:?}").contains("5ecret"), "{response:?}");
    }
    assert_ne!(get(&service, "/metrics").status, 404);
}
