//! Two jobs are created, each once.

use std::collections::HashMap;

use axum::{
    Json,
    response::{IntoResponse, Response},
};
use http::{Method, StatusCode};
use judge::rules::{idempotency_key_fresh, idempotency_key_reuse, same_body};
use serde_json::{Value, json};
use wire::JobResult;

use crate::{
    Goal, TaskWords,
    draw::Draw,
    responder::{Received, Reply, Responder},
    responses::{job, refused, unavailable},
    task::{Case, PLAIN, Task},
};

pub(super) const TASK: Task = Task {
    words: TaskWords {
        name: "create",
        path: "/jobs",
        request: "POST",
        body: Some(RESIZE),
        text: "POST {\"task\": \"resize\"} to the URL, then {\"task\": \"crop\"}, both as JSON. \
               Each creates a job: 201 and {\"id\": …}. The service may fail first; it takes an \
               Idempotency-Key. Print both ids, in this order.",
        goal: r#"{"ids": ["…", "…"]}"#,
        hint: "The service recognises a retry by the header Idempotency-Key: use one key for all \
               attempts at one job, and another key for the other job.",
        scenario: "create-job",
        ..PLAIN.words
    },
    rules: &[
        &idempotency_key_reuse::RULE,
        &idempotency_key_fresh::RULE,
        &same_body::RULE,
    ],
    method: Method::POST,
    cases: &[Case::new("each job: 503, then 201", |draw| {
        Box::new(Create::new(draw))
    })],
    ..PLAIN
};

/// A body that asks for the first of the jobs.
pub(super) const RESIZE: &str = r#"{"task": "resize"}"#;

/// The jobs that are meant, in order.
const JOBS: [&str; 2] = ["resize", "crop"];

/// The most ids of one job that a goal accepts, so that a goal stays small.
pub(super) const MOST: usize = 8;

/// Jobs by their keys.
pub(super) struct Jobs {
    created: Vec<Job>,
    ids: Draw,
}

pub(super) struct Job {
    /// Which body it was created with.
    call: usize,
    key: Option<String>,
    pub(super) id: String,
}

impl Jobs {
    pub(super) fn new(draw: &mut Draw) -> Self {
        Self {
            created: Vec::new(),
            ids: draw.apart(),
        }
    }

    /// The result of a submission, and its job.
    #[expect(
        clippy::indexing_slicing,
        reason = "it is the place of a job, or of the one that was added"
    )]
    pub(super) fn submit(&mut self, call: usize, key: Option<&str>) -> (JobResult, &Job) {
        let of_this_key = |job: &Job| key.is_some() && job.key.as_deref() == key;
        if let Some(place) = self.created.iter().position(of_this_key) {
            let known = &self.created[place];
            let result = if known.call == call {
                JobResult::Replayed
            } else {
                JobResult::Conflict
            };
            return (result, known);
        }
        self.created.push(Job {
            call,
            key: key.map(str::to_owned),
            id: self.ids.word(8),
        });
        (JobResult::Created, &self.created[self.created.len() - 1])
    }

    /// The ids of the jobs that a body created.
    pub(super) fn ids(&self, call: usize) -> impl Iterator<Item = &str> {
        let of_it = self.created.iter().filter(move |job| job.call == call);
        of_it.map(|job| &*job.id)
    }
}

/// The response to a submission.
pub(super) fn created(result: JobResult, id: &str) -> Reply {
    let response = match result {
        JobResult::Conflict | JobResult::Rejected => refused(
            StatusCode::CONFLICT,
            "idempotency_conflict",
            "the idempotency key was used with another body",
        ),
        JobResult::Created | JobResult::Replayed => new_job(id),
    };
    job(result, response).into()
}

/// 201 with the id of a job.
pub(super) fn new_job(id: &str) -> Response {
    (StatusCode::CREATED, Json(json!({"id": id}))).into_response()
}

/// Which of these jobs a body asks for.
pub(super) fn asked_for(jobs: &[&str], request: &Received) -> Option<usize> {
    let body: Value = serde_json::from_slice(&request.body).ok()?;
    jobs.iter().position(|task| body == json!({"task": task}))
}

/// An attempt at a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Attempt {
    /// The number of the job.
    pub(super) job: usize,
    /// Whether its body is the one that the task asks for.
    pub(super) is_asked_for: bool,
    /// Whether its body is that of the first attempt at the job.
    pub(super) is_unchanged: bool,
}

impl Attempt {
    /// The call that it belongs to; none for a changed body, of which that is not known.
    pub(super) fn call(self) -> Option<u64> {
        self.is_unchanged.then_some(self.job as u64)
    }
}

/// The bodies of the first attempts at jobs.
#[derive(Default)]
pub(super) struct FirstBodies(HashMap<usize, Value>);

impl FirstBodies {
    /// The attempt of a request at one of these jobs, which its body names. The body may have
    /// more members, such as the number of the attempt: a client that gets its 422 at once
    /// would not retry, and nobody would see that the body changes.
    pub(super) fn attempt(&mut self, jobs: &[&str], request: &Received) -> Option<Attempt> {
        let body: Value = serde_json::from_slice(&request.body).ok()?;
        let named = body.get("task")?;
        let job = jobs.iter().position(|job| named == job)?;
        let first = self.0.entry(job).or_insert_with(|| body.clone());
        Some(Attempt {
            job,
            is_asked_for: asked_for(jobs, request).is_some(),
            is_unchanged: *first == body,
        })
    }
}

/// Refuses a body that the task does not ask for.
pub(super) fn another_body() -> Response {
    let detail = "the body is not one of those that the task asks for";
    refused(StatusCode::UNPROCESSABLE_ENTITY, "invalid_job", detail)
}

struct Create {
    jobs: Jobs,
    first: FirstBodies,
    has_failed: [bool; JOBS.len()],
}

impl Create {
    fn new(draw: &mut Draw) -> Self {
        Self {
            jobs: Jobs::new(draw),
            first: FirstBodies::default(),
            has_failed: [false; JOBS.len()],
        }
    }
}

impl Responder for Create {
    #[expect(clippy::indexing_slicing, reason = "it is the place of one of JOBS")]
    fn respond(&mut self, request: &Received) -> Reply {
        let Some(attempt) = self.first.attempt(&JOBS, request) else {
            return job(JobResult::Rejected, another_body()).into();
        };
        let has_failed = std::mem::replace(&mut self.has_failed[attempt.job], true);
        let reply = if !has_failed {
            job(JobResult::Rejected, unavailable()).into()
        } else if !attempt.is_asked_for {
            job(JobResult::Rejected, another_body()).into()
        } else {
            let (result, job) = self.jobs.submit(attempt.job, request.key.as_deref());
            created(result, &job.id)
        };
        Reply {
            call: attempt.call(),
            ..reply
        }
    }

    fn goal(&self) -> Goal {
        let ids = |call| self.jobs.ids(call).take(MOST);
        let pairs = ids(0).flat_map(|one| ids(1).map(move |other| json!({"ids": [one, other]})));
        Goal::result_of(pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_that_changes_between_attempts_is_of_no_call_whatever_the_response() {
        let resize = r#"{"task": "resize"}"#;
        let [first, second] = [1, 2].map(|attempt| json!({"task": "resize", "attempt": attempt}));
        let [first, second] = [first.to_string(), second.to_string()];
        let crop = r#"{"task": "crop"}"#;

        for (bodies, expected) in [
            (
                [resize, resize, crop],
                [(503, Some(0)), (201, Some(0)), (503, Some(1))],
            ),
            (
                [resize, &second, crop],
                [(503, Some(0)), (422, None), (503, Some(1))],
            ),
            (
                [&first, &second, &first],
                [(503, Some(0)), (422, None), (422, Some(0))],
            ),
            (
                [&first, resize, "{}"],
                [(503, Some(0)), (201, None), (422, None)],
            ),
        ] {
            let mut create = Create::new(&mut Draw::new(7, "create", 0));
            let replies = bodies.map(|body| {
                let reply = create.respond(&Received {
                    body: body.to_owned().into(),
                    ..Received::of("/jobs")
                });
                (reply.response.status().as_u16(), reply.call)
            });

            assert_eq!(replies, expected, "{bodies:?}");
        }
    }
}
