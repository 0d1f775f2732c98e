//! A 429 asks all callers together to slow down, not only the one that got it.

use std::sync::Arc;

use axum::{
    Extension, Json,
    response::{IntoResponse, Response},
    routing::get,
};
use client::Clock;
use host::{FaultLabel, Routes, problems};
use http::StatusCode;
use serde_json::json;
use tokio::sync::Semaphore;

use super::prelude::*;
use crate::{Fact, verdict::Source};

const NARROW: Endpoint = Endpoint::new("narrow", "/narrow");

/// The number of workers that call at the same time.
const WORKERS: u32 = 16;

/// The number of requests that the service takes at the same time.
const PLACES: u32 = 8;

// The question says so.
const _: () = assert!(client::ConcurrencyLimit::DEFAULT_MAX == 64);

/// How long it takes for one.
const WORK: Duration = Duration::from_millis(100);

pub(super) const SCENARIO: Scenario = Scenario {
    chapter: Chapter::Limits,
    words: ScenarioWords {
        name: "too-many-requests",
        title: "sixteen callers, and a service that takes eight",
        request: "GET /narrow",
        question: Question::number(
            "Sixteen callers call at the same time, and the service serves eight at a time. \
                 A limit that the callers share, if there is one, starts at 64 requests in flight, \
                 and each 429 halves it. How many requests are refused?",
            "requests",
            answers::REFUSED,
        ),
        hint: "The first callers that are refused could slow the others down.",
        why: "A 429 says that all callers together send too much. A caller that backs off alone \
                 does not change that.",
        reliable: "Each 429 halved the limit that all workers of the reliable client share, also \
                   several times in one burst. So calls waited for their turn, and those that were \
                   refused succeeded on a further attempt. A client that halves once for each burst \
                   slows down later, and is right as well.",
        naive: "Each worker of the naive client came back at once and alone, and most of their \
                 requests were refused.",
        unsolved: "A quota for an hour. A wait of seconds does not help there; the work has to be \
                   delayed or reduced.",
    },
    variation: Some(Variation {
        options: "--max-attempts 1",
        shows: "the refused calls fail, since none may be sent again",
    }),
    network: Network::Workers,
    routes: narrow,
    task: Task::Workers(NARROW, WORKERS),
    // How many are refused depends on the pace: over sockets, all sixteen requests are on
    // their way before the first 429 is back.
    expect: |policy| {
        let may_retry = policy.max_attempts > 1;
        let text = if may_retry {
            "every refused call succeeded on a further attempt"
        } else {
            "every call that was not refused succeeded"
        };
        vec![
            Expectation::new(text, Source::Client, move |evidence| {
                let refused = if may_retry {
                    0
                } else {
                    evidence.responded(429)
                };
                let expected = Fact::from(u64::from(WORKERS).saturating_sub(refused));
                let succeeded = evidence.outcome.fact("succeeded")?;
                (*succeeded != expected)
                    .then(|| format!("{succeeded} of {WORKERS} calls succeeded"))
            }),
            Expectation::new(
                "fewer requests were refused than served",
                Source::Wire,
                |evidence| {
                    let [served, refused] = [200, 429].map(|status| evidence.responded(status));
                    (refused >= served).then(|| format!("{refused} refused, {served} served"))
                },
            ),
        ]
    },
    ..PLAIN
};

/// The name of the refusals.
const FAULT: FaultLabel = FaultLabel("too_many_requests");

/// A route that works on a few requests at a time and refuses the rest.
fn narrow(clock: Arc<dyn Clock>) -> Routes {
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
