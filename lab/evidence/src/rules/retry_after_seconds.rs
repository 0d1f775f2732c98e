//! A Retry-After in seconds must be waited for in full.

use super::{Level, Rule, waited_out};
use crate::wire::{RetryAfterForm, WireRequest};

pub(super) const RULE: Rule = Rule {
    id: "retry-after-seconds",
    level: Level::Standard,
    source: "RFC 9110 §10.2.3",
    text: "every Retry-After in seconds was waited for in full",
    why: "The service knows when it will be available. An earlier request is refused again, and adds to the load.",
    hint: "Read Retry-After on every failure, wait for all of it, and give up with an error if it is longer than you may wait.",
    judge: |cases| waited_out(cases, applies),
};

fn applies(request: &WireRequest) -> bool {
    let form = request.retry_after.map(|it| it.form);
    form == Some(RetryAfterForm::Seconds) && request.ended.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{
        Verdict::{Broken, CannotTell, Kept, NotExercised, Skipped},
        testing::{Script, hold},
    };

    fn came_back_after(millis: u64) -> Script {
        Script::new()
            .respond(0, 503)
            .retry_after(2)
            .respond(millis, 200)
    }

    #[test]
    fn a_request_before_the_wait_is_over_breaks_it() {
        hold(
            &RULE,
            [
                (Script::new().respond(0, 503), NotExercised, vec![]),
                (
                    Script::new().respond(0, 503).retry_after(2),
                    Skipped,
                    vec![],
                ),
                (came_back_after(1_020), Broken, vec![2]),
                (came_back_after(1_997), Broken, vec![2]),
                (came_back_after(1_998), Kept, vec![]),
                (came_back_after(9_000), Kept, vec![]),
            ],
        );
    }

    #[test]
    fn the_requested_and_the_actual_wait_are_reported() {
        let judgement = came_back_after(1_020).judged(&RULE);

        let found = judgement.found.as_deref();
        assert_eq!(found, Some("asked for 2 s, retried after 1 s"));
    }

    #[test]
    fn the_newest_response_counts() {
        let ended = came_back_after(2_000).respond(2_001, 200);
        let renewed = came_back_after(2_000).retry_after(1).respond(2_500, 200);

        hold(&RULE, [(ended, Kept, vec![]), (renewed, Broken, vec![3])]);
    }

    #[test]
    fn a_request_that_a_transport_may_have_resent_is_not_early() {
        let on = |script: Script, connection, position| {
            script.with(|it| (it.connection, it.position) = (Some(connection), Some(position)))
        };
        let asked = |position| on(Script::new().respond(0, 503).retry_after(2), 1, position);
        let next = |script: Script, millis, connection, position| {
            on(script.respond(millis, 200), connection, position)
        };
        let twice = next(asked(2), 5, 2, 1).retry_after(2);

        hold(
            &RULE,
            [
                // It arrived: the next request followed on its connection.
                (next(asked(2), 5, 1, 3), Broken, vec![2]),
                // No transport resends a request that a fresh connection lost.
                (next(asked(1), 5, 2, 1), Broken, vec![2]),
                (next(asked(2), 5, 2, 1), CannotTell, vec![]),
                (next(asked(2), 2_000, 2, 1), Kept, vec![]),
                // The request after it is the client's own.
                (next(twice, 10, 3, 1), Broken, vec![3]),
            ],
        );
    }

    #[test]
    fn without_a_known_single_caller_it_cannot_be_told() {
        let mut wire = came_back_after(0).record();
        wire.one_caller = false;

        let judgement = (RULE.judge)(&[crate::rules::Case::of(&wire)]);

        assert_eq!(judgement.verdict, Skipped);
    }
}
