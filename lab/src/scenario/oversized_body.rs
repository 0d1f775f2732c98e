//! A body has a largest size, or the service decides how much memory a client
//! needs.

use axum::{Extension, Json, Router, routing};
use client::Endpoint;
use serde_json::json;
use server::Fault;

use super::{PLAIN, Scenario};
use crate::{outcome::Ending, player::Task, policy::Policy, verdict::Expectation};

const EXPORT: Endpoint = Endpoint::new("export", "/export");

pub(super) const SCENARIO: Scenario = Scenario {
    name: "oversized-body",
    title: "an answer larger than the client accepts",
    request: "GET /export",
    question: "The client accepts 64 KiB, the answer has 1 MiB. How much of it is read?",
    hint: "The answer announces its length.",
    lesson: "Without a cap, one answer can take all the memory a process has. A length that is \
             announced is refused before a byte of the body is read, one that is not is cut off at \
             the cap; and neither is asked for again, since it would be as long.",
    unsolved: "Reading a large answer on purpose. That wants a stream, or an API with pages.",
    next: "scenario item-cap",
    policy: |policy| Policy {
        max_body_bytes: 64 * 1024,
        ..policy
    },
    routes: |_| {
        let export = async || {
            let body = Json(json!({ "rows": "x".repeat(1024 * 1024) }));
            (Extension(Fault("oversized_body")), body)
        };
        Router::new().route(EXPORT.template(), routing::get(export))
    },
    task: Task::Get(EXPORT),
    expect: |_| {
        vec![
            Expectation::ending(Ending::TransportError, "no answer was handed over"),
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
