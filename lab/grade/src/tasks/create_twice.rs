//! Two jobs with equal bodies are created.

use http::Method;
use judge::rules::idempotency_key_fresh;
use serde_json::json;
use wire::JobResult;

use super::create::{Jobs, MOST, RESIZE, another_body, asked_for, created};
use crate::{
    Goal, TaskWords,
    responder::{Received, Reply, Responder},
    responses::job,
    task::{Case, PLAIN, Task},
};

pub(super) const TASK: Task = Task {
    words: TaskWords {
        name: "create-twice",
        path: "/jobs",
        request: "POST",
        body: Some(RESIZE),
        text: "POST {\"task\": \"resize\"} to the URL as JSON, and after its response once more: \
               two jobs are wanted. Nothing fails. Print both ids, in this order.",
        goal: r#"{"ids": ["…", "…"]}"#,
        hint: "An idempotency key names what your caller intends, not the text of a request. Two \
               equal jobs are two intentions.",
        scenario: "create-job",
        ..PLAIN.words
    },
    rules: &[&idempotency_key_fresh::RULE],
    method: Method::POST,
    cases: &[Case::new("two equal jobs, without a failure", |draw| {
        Box::new(CreateTwice(Jobs::new(draw)))
    })],
    ..PLAIN
};

struct CreateTwice(Jobs);

impl Responder for CreateTwice {
    fn respond(&mut self, request: &Received) -> Reply {
        if asked_for(&["resize"], request).is_none() {
            return job(JobResult::Rejected, another_body()).into();
        }
        let before = self.0.ids(0).count() as u64;
        let (result, known) = self.0.submit(0, request.key.as_deref());
        Reply {
            call: Some(before),
            ..created(result, &known.id)
        }
    }

    fn goal(&self) -> Goal {
        let ids: Vec<_> = self.0.ids(0).take(MOST).collect();
        let pairs = ids.iter().flat_map(|one| {
            let others = ids.iter().filter(move |other| *other != one);
            others.map(move |other| json!({"ids": [one, other]}))
        });
        Goal::result_of(pairs)
    }
}

#[cfg(test)]
mod tests {
    use http::StatusCode;

    use super::*;
    use crate::draw::Draw;

    #[test]
    fn another_key_is_another_job_and_the_same_key_is_not() {
        for (keys, goals) in [
            ([Some("one"), Some("other")], 2),
            ([Some("one"), Some("one")], 0),
            ([None, None], 2),
        ] {
            let mut responder = CreateTwice(Jobs::new(&mut Draw::new(7, "create-twice", 0)));
            for (number, key) in (0..).zip(keys) {
                let reply = responder.respond(&Received {
                    key: key.map(str::to_owned),
                    body: RESIZE.into(),
                    ..Received::of("/jobs")
                });
                assert_eq!(reply.call, Some(number));
                assert_eq!(reply.response.status(), StatusCode::CREATED);
            }

            let Goal::Result(pairs) = responder.goal() else {
                panic!("it wants a result");
            };
            assert_eq!(pairs.len(), goals, "{keys:?}");
        }
    }
}
