//! A redirect is returned to the caller, not followed.

use super::prelude::*;

pub(super) const SCENARIO: Scenario = Scenario {
    chapter: Chapter::Responses,
    words: ScenarioWords {
        name: "redirect",
        title: "the service redirects to another URL",
        request: "GET /redirect",
        question: answers::requests(
            "The response is a 302 with a Location. How many requests will the service see?",
        ),
        hint: "The Location may point anywhere.",
        why: "A client that follows redirects by default sends its headers to any host that a \
                 Location names, and may turn a POST into a GET on the way.",
        reliable: "The reliable client handed the redirection over as a value, and its caller \
                 decides whether to follow it.",
        naive: "The naive client followed the redirect: the service saw a second request, which \
                 the caller did not ask for.",
        unsolved: "Following safely. A caller that follows must check the host and remove \
                 credentials.",
    },
    load: Share::healthy(4),
    task: Task::Redirect,
    expect: |_| {
        vec![
            Expectation::ending(Ending::Ok, "a redirect is not an error"),
            Expectation::fact("status", 302_u64, "its status is 302"),
            Expectation::fact("has_location", true, "its location is kept"),
            Expectation::requests(1),
        ]
    },
    ..PLAIN
};
