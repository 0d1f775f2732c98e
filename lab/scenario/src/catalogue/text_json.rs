//! The client checks the media type before it parses the body.

use super::prelude::*;

pub(super) const SCENARIO: Scenario = Scenario {
    chapter: Chapter::Responses,
    words: ScenarioWords {
        name: "text-json",
        title: "a valid page, declared as text",
        request: "GET /text-json",
        question: Question::choices(
            "A 200 contains a valid page, but its Content-Type is text/plain. What does the caller \
                 get?",
            &[
                Choice::new("the records", answers::SUCCESS),
                Choice::new("an error", answers::ERROR),
            ],
        ),
        hint: "The same server wrote the header and the body.",
        why: "A text body that happens to be JSON today may be an error page tomorrow. The \
                 service did not promise JSON.",
        reliable: "The reliable client checked the media type first, refused the response, and did \
                 not retry.",
        naive: "The naive client took the text for data, and followed the cursor in it.",
        unsolved: "A server that mislabels everything. Its contract has to change, deliberately \
                 and in one place.",
    },
    task: Task::List(endpoint::TEXT_JSON),
    expect: |_| {
        vec![
            Expectation::rejection(Ending::ResponseError, "the response is invalid"),
            Expectation::fact("problem", "not_json", "the error names the media type"),
            Expectation::requests(1),
        ]
    },
    ..PLAIN
};
