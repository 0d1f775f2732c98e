//! A temporary failure is worth another attempt.
use judge::rules::{CaseKind, backoff_jitter, backoff_waits};
use serde_json::{Value, json};

use crate::{
    Goal, TaskWords,
    draw::Draw,
    responder::{Received, Reply, Responder},
    responses::{ok, unavailable},
    task::{Case, PLAIN, Task},
};

const TWICE: Case = Case::new("503 twice, then 200", |draw| Box::new(Flaky::new(draw, 2)));

pub(crate) const TASK: Task = Task {
    words: TaskWords {
        name: "flaky",
        path: "/flaky",
        text: "GET the URL and print the object in the response. The service may fail a few times \
               first.",
        goal: r#"the unchanged body of the 200, {"attempt": n, "value": …}"#,
        hint: "A 503 says that the service is unavailable for now. A GET changes nothing, so send \
               it again, a few times at most. Wait before each retry, longer each time, and add a \
               random part so that clients do not retry together.",
        scenario: "flaky",
        ..PLAIN.words
    },
    kind: CaseKind::FailsAlike,
    rules: &[&backoff_waits::RULE, &backoff_jitter::RULE],
    // As many gaps of two numbers as the rules about waits need.
    cases: &[TWICE; 8],
    ..PLAIN
};

/// So many failures, and successes from then on.
struct Flaky {
    failures: u64,
    calls: u64,
    value: String,
}

impl Flaky {
    fn new(draw: &mut Draw, failures: u64) -> Self {
        Self {
            failures,
            calls: 0,
            value: draw.word(6),
        }
    }

    fn success(&self, attempt: u64) -> Value {
        json!({"attempt": attempt, "value": self.value})
    }
}

impl Responder for Flaky {
    fn respond(&mut self, _: &Received) -> Reply {
        self.calls += 1;
        let response = if self.calls <= self.failures {
            unavailable()
        } else {
            ok(&self.success(self.calls))
        };
        response.into()
    }

    fn goal(&self) -> Goal {
        let served = self.failures + 1..=self.calls;
        Goal::result_of(served.map(|attempt| self.success(attempt)))
    }
}
