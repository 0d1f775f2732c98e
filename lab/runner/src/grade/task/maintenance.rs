//! The service asks for a wait that is longer than a call may take.

use std::time::Duration;

use evidence::grade::{Goal, TaskWords};
use serde_json::{Map, json};

use super::{Case, PLAIN, Received, Reply, Responder, Task};
use crate::grade::responses::unavailable_for;

/// Thirty days, in seconds. In milliseconds they exceed 2³¹, which some timers take for 0.
const MONTH: u64 = 30 * 24 * 60 * 60;

pub(super) const TASK: Task = Task {
    words: TaskWords {
        name: "maintenance",
        path: "/value",
        text: "GET the URL. The service is down and says for how many seconds, or until which \
               date; you have ten seconds. Print an error that gives those seconds; for a date, \
               print any error.",
        goal: r#"{"error": "…", "retry_after": n}"#,
        hint: "An earlier retry is against what the service asked, and a wait of minutes or days \
               blocks your caller. The caller may be able to try again later, if your error says \
               when.",
        scenario: "retry-later",
        ..PLAIN.words
    },
    rules: &["retry-after-over-budget"],
    cases: &[
        Case {
            name: "503 with a Retry-After of minutes",
            responder: |draw| Box::new(Maintenance::Seconds(draw.number(60..=300))),
        },
        Case {
            name: "503 with a Retry-After of thirty days",
            responder: |_| Box::new(Maintenance::Seconds(MONTH)),
        },
        Case {
            name: "503 with a date in thirty days",
            responder: |_| Box::new(Maintenance::Date),
        },
    ],
    ..PLAIN
};

enum Maintenance {
    Seconds(u64),
    Date,
}

impl Responder for Maintenance {
    fn respond(&mut self, request: &Received) -> Reply {
        let retry_after = match self {
            Self::Seconds(wait) => wait.to_string(),
            Self::Date => httpdate::fmt_http_date(request.at + Duration::from_secs(MONTH)),
        };
        unavailable_for(&retry_after).into()
    }

    fn goal(&self) -> Goal {
        match self {
            Self::Seconds(wait) => {
                let members = [("retry_after".to_owned(), json!(wait))];
                Goal::ErrorWith(Map::from_iter(members))
            }
            // An exit code alone could be that of a client that cannot read the date.
            Self::Date => Goal::ErrorWith(Map::new()),
        }
    }
}
