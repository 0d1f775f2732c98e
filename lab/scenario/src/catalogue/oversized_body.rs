//! A client limits the size of a body, so that a response cannot use up its memory.

use axum::{Extension, Json, routing::get};
use host::FaultLabel;
use http::StatusCode;
use serde_json::json;

use super::prelude::*;

const EXPORT: Endpoint = Endpoint::new("export", "/export");

/// The fault that its response is.
const FAULT: FaultLabel = FaultLabel("oversized_body");

pub(super) const SCENARIO: Scenario = Scenario {
    chapter: Chapter::Network,
    words: ScenarioWords {
        name: "oversized-body",
        title: "a body of 1 MiB",
        request: "GET /export",
        question: Question::choices(
            "A 200 has a body of 1 MiB. What does the caller get?",
            &[
                Choice::new("the body", answers::SUCCESS),
                Choice::new("an error", answers::ERROR),
            ],
        ),
        hint: "The response announces its length.",
        why: "Without a size limit, one response can use all the memory of a process. A body \
                 that announces its length can be refused before it is read. Any other body is cut \
                 off at the limit. A retry would not help, because the body would be as large \
                 again.",
        reliable: "The reliable client refused the announced length and did not retry.",
        naive: "The naive client took the whole body into memory.",
        unsolved: "Reading a large response on purpose. That needs a stream, or an API with pages.",
    },
    policy: |policy| ScenarioPolicy {
        max_body_bytes: 64 * 1024,
        ..policy
    },
    routes: |_| {
        let export = async || {
            let body = Json(json!({ "rows": "x".repeat(1024 * 1024) }));
            (Extension(FAULT), body)
        };
        let statuses = vec![StatusCode::OK];
        faulty(EXPORT.template(), get(export), statuses, FAULT)
    },
    task: Task::Get(EXPORT),
    expect: |_| {
        vec![
            Expectation::rejection(Ending::TransportError, "the caller got no response"),
            Expectation::fact("problem", "body_too_large", "the error names the length"),
            Expectation::requests(1),
        ]
    },
    ..PLAIN
};
