//! A job is created, and its response is lost.

use host::{ConnectionFault, FaultLabel};
use http::Method;
use judge::rules::{idempotency_key_reuse, one_job, same_body};
use serde_json::json;
use wire::JobResult;

use super::create::{FirstBodies, Jobs, RESIZE, another_body, created};
use crate::{
    Goal, TaskWords,
    draw::Draw,
    responder::{Received, Reply, Responder},
    responses::{asks_for_a_fresh_connection, job, withheld},
    task::{Case, PLAIN, Task},
};

pub(super) const TASK: Task = Task {
    words: TaskWords {
        name: "lost-response",
        path: "/jobs",
        request: "POST",
        body: Some(RESIZE),
        text: "POST {\"task\": \"resize\"} to the URL as JSON and print the id of the job, \
               {\"id\": …}. The connection may break before the response arrives.",
        goal: r#"{"id": "…"}"#,
        hint: "A client cannot know whether the job was created. With an Idempotency-Key the \
               service can: send the same request again, with the same key.",
        scenario: "lost-response",
        ..PLAIN.words
    },
    rules: &[
        &idempotency_key_reuse::RULE,
        &same_body::RULE,
        &one_job::RULE,
    ],
    method: Method::POST,
    cases: &[Case::new(
        "the job is created, the connection breaks",
        |draw| Box::new(LostResponse::new(draw)),
    )],
    ..PLAIN
};

struct LostResponse {
    jobs: Jobs,
    first: FirstBodies,
    is_lost: bool,
}

impl LostResponse {
    fn new(draw: &mut Draw) -> Self {
        Self {
            jobs: Jobs::new(draw),
            first: FirstBodies::default(),
            is_lost: false,
        }
    }
}

impl Responder for LostResponse {
    fn respond(&mut self, request: &Received) -> Reply {
        let Some(attempt) = self.first.attempt(&["resize"], request) else {
            return job(JobResult::Rejected, another_body()).into();
        };
        let reply = if !self.is_lost && !request.is_fresh {
            job(JobResult::Rejected, asks_for_a_fresh_connection()).into()
        } else {
            let is_first = !std::mem::replace(&mut self.is_lost, true);
            let submitted = attempt.is_asked_for.then(|| {
                let (result, job) = self.jobs.submit(0, request.key.as_deref());
                (result, job.id.clone())
            });
            match submitted {
                _ if is_first => {
                    let result = submitted.map_or(JobResult::Rejected, |(result, _)| result);
                    job(
                        result,
                        withheld(ConnectionFault::Close, FaultLabel::LOST_RESPONSE),
                    )
                    .into()
                }
                Some((result, id)) => created(result, &id),
                None => job(JobResult::Rejected, another_body()).into(),
            }
        };
        Reply {
            call: attempt.call(),
            ..reply
        }
    }

    fn goal(&self) -> Goal {
        // Only the first job is the intended one.
        Goal::result_of(self.jobs.ids(0).take(1).map(|id| json!({"id": id})))
    }
}
