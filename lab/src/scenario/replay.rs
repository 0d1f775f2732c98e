//! The same key and body mean the same job, however often they come.

use super::{PLAIN, Scenario, job};
use crate::{
    outcome::{Ending, Outcome},
    verdict::Expectation,
};

pub(super) const SCENARIO: Scenario = Scenario {
    name: "replay",
    title: "the same job is asked for twice",
    request: "POST /jobs",
    question: "Two requests, one key, one body. How many jobs are there?",
    hint: "The service remembers the key together with the body.",
    lesson: "A program that restarts between sending and noting the answer cannot know whether its \
             job exists. With the key it need not know: it sends the same request again and gets \
             the same job.",
    unsolved: "A service that forgets its keys. How long they are remembered is part of its contract.",
    next: "scenario conflict",
    act: |client| {
        Box::pin(async move {
            let key = client.new_idempotency_key();
            let first = match client.create_job(&key, &job(1)).await {
                Ok(first) => first,
                Err(error) => return Outcome::failed(&error),
            };
            Outcome::of(client.create_job(&key, &job(1)).await, |second| {
                let same = first == second;
                let text = if same { "the same job" } else { "another job" };
                Outcome::ok(format!("ok, the second request brought {text}")).with("same_job", same)
            })
        })
    },
    expect: |_| {
        vec![
            Expectation::ending(Ending::Ok, "both requests succeeded"),
            Expectation::fact("same_job", true, "both brought the same job"),
            Expectation::created(1, "the service created one job"),
            Expectation::requests(2),
        ]
    },
    ..PLAIN
};
