//! A body has a largest size, or the service decides how much memory a client
//! needs.

use axum::{Extension, Json, Router, routing};
use client::Endpoint;
use host::{ExpectedRoute, Fault, Served};
use http::{Method, StatusCode};
use serde_json::json;

use super::{PLAIN, Scenario, shown};
use crate::clients::{NAIVE, RELIABLE, Task};
use evidence::{Choice, Condition, Ending, Expectation, Policy, Question, ScenarioWords, Sentence};

const EXPORT: Endpoint = Endpoint::new("export", "/export");

pub(super) const SCENARIO: Scenario = Scenario {
    words: ScenarioWords {
        name: "oversized-body",
        title: "a body larger than a client should accept",
        request: "GET /export",
        question: Question::choices(
            "A 200 comes with a body of 1 MiB. What does the caller get?",
            &[
                Choice::new("the body", shown::SUCCESS),
                Choice::new("an error", shown::ERROR),
            ],
        ),
        hint: "The response announces its length.",
        lessons: &[
            Sentence::always(
                "Without a cap, one response can take all the memory a process has. A length that is \
                 announced can be refused before a byte of the body is read, and one that is not is \
                 cut off at the cap; neither is worth asking for again, since it would be as long.",
            ),
            Sentence::of(
                RELIABLE,
                &[Condition::Problem("body_too_large"), Condition::Requests(1)],
                "The reliable client refused the length and did not retry.",
            ),
            Sentence::of(
                NAIVE,
                &[Condition::Ended(Ending::Ok), Condition::Requests(1)],
                "The naive client took the whole body into memory.",
            ),
        ],
        unsolved: "Reading a large response on purpose. That wants a stream, or an API with pages.",
    },
    policy: |policy| Policy {
        max_body_bytes: 64 * 1024,
        ..policy
    },
    routes: |_| {
        let export = async || {
            let body = Json(json!({ "rows": "x".repeat(1024 * 1024) }));
            (Extension(Fault("oversized_body")), body)
        };
        Served {
            router: Router::new().route(EXPORT.template(), routing::get(export)),
            expected: vec![ExpectedRoute {
                path: EXPORT.template(),
                method: Method::GET,
                statuses: vec![StatusCode::OK],
                faults: vec!["oversized_body"],
                has_retry_after: false,
            }],
        }
    },
    task: Task::Get(EXPORT),
    expect: |_| {
        vec![
            Expectation::ending(Ending::TransportError, "no response was handed over"),
            Expectation::fact(
                "problem",
                "body_too_large",
                "the length is named as the culprit",
            ),
            Expectation::requests(1),
        ]
    },
    ..PLAIN
};
