//! The service says when to come back.
use judge::rules::retry_after;

use crate::{
    Goal, TaskWords,
    fixed_goal::failures_first,
    responses::{too_many_for, unavailable_for, unavailable_for_cut},
    task::{Case, PLAIN, Task},
};

/// In seconds, and longer than a usual backoff.
const SHORT: &str = "2";

/// No pause of one length shows that a client waits for as long as it is asked to: for some
/// this one is too long, and for the others both waits look alike.
const LONG: &str = "4";

pub(super) const TASK: Task = Task {
    words: TaskWords {
        name: "retry-after",
        path: "/value",
        text: "GET the URL and print the object in the response. The service fails once, with 503 \
               or 429, and says when to come back.",
        goal: r#"the unchanged body of the 200, {"value": …}"#,
        hint: "Retry-After: 2 asks for a wait of two seconds, and Retry-After: 4 for one of four. \
               The head of the response says so, even if its body breaks off.",
        scenario: "retry-after-seconds",
        ..PLAIN.words
    },
    rules: &[
        &retry_after::RETRY_AFTER_SECONDS,
        &retry_after::RETRY_AFTER_CUT_BODY,
    ],
    cases: &[
        Case::new("503 with Retry-After: 2, then 200", |draw| {
            failures_first(draw, Goal::result, vec![|_: &_| unavailable_for(SHORT)])
        }),
        Case::new("429 with Retry-After: 4, then 200", |draw| {
            failures_first(draw, Goal::result, vec![|_: &_| too_many_for(LONG)])
        }),
        Case::new(
            "503 with Retry-After: 2 whose body breaks off, then 200",
            |draw| failures_first(draw, Goal::result, vec![|_: &_| unavailable_for_cut(SHORT)]),
        ),
        Case::new(
            "503 with Retry-After: 4 whose body breaks off, then 200",
            |draw| failures_first(draw, Goal::result, vec![|_: &_| unavailable_for_cut(LONG)]),
        ),
    ],
    ..PLAIN
};

#[cfg(test)]
mod tests {
    use http::header::RETRY_AFTER;

    use super::*;
    use crate::{draw::Draw, responder::Received};

    #[test]
    fn the_cases_of_each_rule_ask_for_waits_that_differ_by_two_seconds() {
        let asked = |case: &Case| {
            let mut responder = (case.responder)(&mut Draw::new(7, "retry-after", 0));
            let response = responder.respond(&Received::of("/value")).response;
            let asked = response.headers().get(RETRY_AFTER).expect("a wait");
            let asked = asked.to_str().expect("text").parse::<u64>();
            asked.expect("seconds")
        };
        for is_cut in [false, true] {
            let cases = TASK.cases.iter();
            let cases = cases.filter(|case| case.name.contains("breaks off") == is_cut);
            let asked: Vec<_> = cases.map(asked).collect();

            let (shortest, longest) = (asked.iter().min(), asked.iter().max());
            assert!(
                shortest.expect("a case") + 2 <= *longest.expect("a case"),
                "{asked:?}"
            );
        }
    }
}
