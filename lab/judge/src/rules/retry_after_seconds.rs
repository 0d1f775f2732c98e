//! A Retry-After in seconds must be waited for in full.

use wire::{RetryAfterForm, WireRequest};

use super::{Judge, Rule, RuleLevel, waited_out_in_each};

/// The rule.
pub const RULE: Rule = Rule {
    id: "retry-after-seconds",
    level: RuleLevel::Standard,
    source: "RFC 9110 §10.2.3",
    text: "every Retry-After in seconds was waited for in full",
    why: "The service knows when it will be available. An earlier request is refused again, and adds to the load.",
    hint: "Read Retry-After on every failure, wait for all of it, and give up with an error if it is longer than you may wait.",
    judge: Judge::Cases(|cases| waited_out_in_each(cases, applies)),
};

fn applies(request: &WireRequest) -> bool {
    let form = request.retry_after.map(|retry_after| retry_after.form);
    form == Some(RetryAfterForm::Seconds) && request.ended.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{Script, hold};

    fn came_back_after(millis: u64) -> Script {
        let asked = Script::new().respond(0, 503).retry_after(2);
        asked.respond(millis, 200)
    }

    #[test]
    fn a_request_before_the_wait_is_over_breaks_it() {
        hold! { RULE;
            Script::new().respond(0, 503) => NotExercised,
            Script::new().respond(0, 503).retry_after(2) => Skipped,
            came_back_after(1_020) => Broken [2]: "asked for 2 s, retried after 1 s",
            came_back_after(1_997) => Broken [2],
            came_back_after(1_998) => Kept,
            came_back_after(9_000) => Kept,
            // Without a known single caller it cannot be told.
            came_back_after(0).of_several_callers() => Skipped,
        }
    }

    #[test]
    fn the_newest_response_counts() {
        let ended = came_back_after(2_000).respond(2_001, 200);
        let renewed = came_back_after(2_000).retry_after(1).respond(2_500, 200);

        hold! { RULE;
            ended => Kept,
            renewed => Broken [3],
        }
    }

    #[test]
    fn a_request_after_a_response_is_early_unless_the_client_hedges() {
        let asked = || Script::new().respond(0, 503).retry_after(2).on(1, 2);
        let next = |millis, connection| asked().respond(millis, 200).on(connection, 3);

        hold! { RULE;
            // What was answered in full is no transport's replay.
            next(5, 2) => Broken [2],
            next(5, 1).hedging() => Broken [2],
            next(5, 2).hedging() => CannotTell,
            next(6, 2).hedging() => Broken [2],
            next(2_000, 2).hedging() => Kept,
            asked().lasting(3).respond(2, 200).hedging() => Skipped,
        }
    }
}
