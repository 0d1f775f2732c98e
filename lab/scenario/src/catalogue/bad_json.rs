//! A body that does not parse is an error, whatever its media type says.

use super::prelude::*;

pub(super) const SCENARIO: Scenario = Scenario {
    chapter: Chapter::Responses,
    words: ScenarioWords {
        name: "bad-json",
        title: "a response declared as JSON, with an invalid body",
        request: "GET /bad-json",
        question: answers::requests(
            "A 200 says that its body is JSON, but the body does not parse. How many requests will \
                 the service see?",
        ),
        hint: "What does a status promise about the body?",
        why: "A status of 200 says that the request was served, not that the body can be used. \
                 A complete response with an invalid body is the service's mistake, and another \
                 request would get the same response.",
        reliable: "So the reliable client did not retry, and its error says that the body is not \
                 valid JSON.",
        naive: "The naive client asked ten times and got the same response ten times.",
        unsolved: "A body that parses but has the wrong meaning. Only a schema or a business check \
                 finds that.",
    },
    task: Task::Get(endpoint::BAD_JSON),
    expect: |_| {
        vec![
            Expectation::rejection(Ending::ResponseError, "the response is invalid"),
            Expectation::fact("problem", "invalid_json", "the error names the body"),
            Expectation::requests(1),
        ]
    },
    ..PLAIN
};
