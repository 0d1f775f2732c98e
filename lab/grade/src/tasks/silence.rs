//! The service accepts a request and never responds.

use std::time::Duration;

use host::{ConnectionFault, FaultLabel};
use judge::rules::read_timeout;

use crate::{
    Goal, TaskWords,
    fixed_goal::breaks_once,
    responses::withheld,
    task::{Case, PLAIN, Task},
};

pub(crate) const TASK: Task = Task {
    words: TaskWords {
        name: "silence",
        path: "/value",
        text: "GET the URL and print the object in the response. The service accepts the first \
               request and never responds to it; it responds to the next one. You have twenty \
               seconds.",
        goal: r#"the unchanged body of the 200, {"value": …}"#,
        hint: "TCP alone never ends a silence. How long may a response take before you stop \
               waiting, and what is your library's default? A GET changes nothing, so it may be \
               sent again.",
        scenario: "read-timeout",
        // Many libraries wait for ten seconds.
        time: Duration::from_secs(20),
        ..PLAIN.words
    },
    rules: &[&read_timeout::RULE],
    cases: &[Case::new("silence, then 200", |draw| {
        let breaks = |_: &_| withheld(ConnectionFault::Silence, FaultLabel::SILENCE);
        breaks_once(draw, Goal::result, breaks)
    })],
    ..PLAIN
};
