//! A request that the service rejected must not be retried.

use super::{Level, Rule, not_repeated};
use crate::wire::status;

pub(super) const RULE: Rule = Rule {
    id: "no-retry-4xx",
    level: Level::GoodPractice,
    source: "AIP-194; RFC 9110 §15.5",
    text: "a request that the service refused was not retried",
    why: "The request itself is at fault, so it fails again, and credentials are sent again.",
    hint: "Return a 4xx to the caller at once; only 408 and 429 may be different later.",
    judge: |cases| not_repeated(cases, |it| it.status.is_some_and(status::is_final)),
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{
        Verdict::{Broken, Kept, NotExercised},
        testing::{Script, hold, hold_to_words},
    };

    #[test]
    fn a_second_request_breaks_it() {
        for status in [400, 401, 403, 404, 409, 422] {
            let refused = || Script::new().respond(0, status);
            hold(
                &RULE,
                [
                    (refused(), Kept, vec![]),
                    (refused().respond(200, 200), Broken, vec![2]),
                    (
                        refused().respond(9, status).respond(18, 200),
                        Broken,
                        vec![2, 3],
                    ),
                ],
            );
        }
        let other = Script::new().respond(0, 404).respond(1, 200).cursor(7);
        let limited = Script::new().respond(0, 429).respond(200, 200);
        hold(
            &RULE,
            [(other, Kept, vec![]), (limited, NotExercised, vec![])],
        );
    }

    #[test]
    fn the_requests_that_followed_are_counted() {
        let refused = || Script::new().respond(0, 404);

        hold_to_words(
            &RULE,
            [
                (refused(), None),
                (refused().respond(9, 200), Some("1 more request followed")),
                (
                    refused().respond(9, 404).respond(18, 200),
                    Some("2 more requests followed"),
                ),
            ],
        );
    }
}
