//! A 429 asks all callers together to slow down, not only the one that got it.

use std::sync::Arc;

use axum::{
    Extension, Json,
    response::{IntoResponse, Response},
    routing::get,
};
use client::Clock;
use host::{FaultLabel, Served, problems};
use http::StatusCode;
use serde_json::json;
use tokio::sync::Semaphore;

use super::prelude::*;

const NARROW: Endpoint = Endpoint::new("narrow", "/narrow");

/// The number of workers that call at the same time.
const WORKERS: u32 = 16;

/// The number of requests that the service takes at the same time.
const PLACES: u32 = 8;

/// How many it refuses: so many halvings bring the client's limit of 64 down to the
/// service's workers, and the callers that have not called by then wait for a turn.
const REFUSED: u32 = (client::ConcurrencyLimit::DEFAULT_MAX / PLACES).ilog2();

// The question says so.
const _: () = assert!(client::ConcurrencyLimit::DEFAULT_MAX == 64);

/// How long it takes for one.
const WORK: Duration = Duration::from_millis(100);

pub(super) const SCENARIO: Scenario = Scenario {
    words: ScenarioWords {
        name: "too-many-requests",
        title: "sixteen callers, and a service that takes eight",
        request: "GET /narrow",
        question: Question::number(
            "Sixteen callers call at the same time, and the service serves eight at a time. \
                 Callers that share a limit begin with 64 requests at once, and each 429 halves it. \
                 How many requests are refused?",
            "requests",
            answers::REFUSED,
        ),
        hint: "The first callers that are refused could slow the others down.",
        lessons: &[
            Sentence::always(
                "A 429 says that all callers together send too much. A caller that backs off alone \
                 does not change that.",
            ),
            reliable(
                &[Condition::Responded(429)],
                "Each 429 halved the limit that all workers of the reliable client share, also \
                 several times in one burst: from 64 to 32, 16 and 8. So the remaining calls \
                 waited for their turn, and none of them was refused. A client that halves once \
                 for each burst slows down later, and is right as well.",
            ),
            reliable(
                &[Condition::GaveUp(StopReason::AttemptsExhausted)],
                "The workers of the reliable client that had been refused were allowed no second \
                 attempt.",
            ),
            naive(
                &[Condition::Responded(429)],
                "Each worker of the naive client came back at once and alone, and most of their \
                 requests were refused.",
            ),
        ],
        unsolved: "A quota for an hour. A wait of seconds does not help there; the work has to be \
                   delayed or reduced.",
    },
    variation: Overrides {
        max_attempts: Some(1),
        ..Overrides::NONE
    },
    network: Network::Function,
    routes: narrow,
    task: Task::Workers(NARROW, WORKERS),
    expect: |policy| {
        let (succeeded, retries) = if policy.max_attempts < 2 {
            (WORKERS - REFUSED, 0)
        } else {
            (WORKERS, REFUSED)
        };
        vec![
            Expectation::fact(
                "succeeded",
                u64::from(succeeded),
                "every call that waited for a turn got a response",
            ),
            Expectation::counter(
                client::telemetry::RETRIES.name,
                retries.into(),
                "every refused call was retried at most once",
            ),
            Expectation::requests((WORKERS + retries).into()),
        ]
    },
    ..PLAIN
};

/// The name of the refusals.
const FAULT: FaultLabel = FaultLabel("too_many_requests");

/// A route that works on a few requests at a time and refuses the rest.
fn narrow(clock: Arc<dyn Clock>) -> Served {
    let workers = Arc::new(Semaphore::new(PLACES as usize));
    let work = async move || -> Response {
        let Ok(_worker) = workers.try_acquire() else {
            return (Extension(FAULT), TOO_MANY).into_response();
        };
        clock.sleep(WORK).await;
        Json(json!({})).into_response()
    };
    let statuses = vec![StatusCode::OK, StatusCode::TOO_MANY_REQUESTS];
    faulty(NARROW.template(), get(work), statuses, FAULT)
}

problems! { ,
TOO_MANY = TOO_MANY_REQUESTS, "too_many_requests", "all workers are busy";
}
