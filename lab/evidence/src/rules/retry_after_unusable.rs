//! What cannot be read is no permission to come at once.

use std::time::Duration;

use super::{
    Level, Rule,
    gaps::{self, PAUSE},
};
use crate::wire::WireRequest;

pub(super) const RULE: Rule = Rule {
    id: "retry-after-unusable",
    level: Level::GoodPractice,
    source: "RFC 9110 §10.2.3 defines seconds and dates alone",
    text: "there was a pause after a Retry-After that cannot be read",
    why: "A value such as -1 or soon is a fault of the service, and the service is in trouble.",
    hint: "Fall back on the backoff that you would have used without the header.",
    judge: |plays| gaps::judged(plays, failed, limit),
};

fn failed(request: &WireRequest) -> bool {
    request.retry_after.is_some_and(|it| !it.is_usable())
}

/// Two gaps are enough, since few services are wrong so often. Of correct clients that
/// draw their waits from below 200 ms and then 400 ms, one in 3 200 has two as short.
fn limit(gaps: usize) -> Duration {
    match gaps {
        0..=1 => Duration::ZERO,
        _ => PAUSE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{
        Verdict::{Broken, CannotTell, Kept, NotExercised, Skipped},
        testing::{Script, hold},
    };

    #[test]
    fn two_short_gaps_break_it() {
        let unusable = |script: Script| {
            let value = crate::wire::RetryAfter::UNUSABLE;
            script.with(|it| it.retry_after = Some(value))
        };
        let one = || unusable(Script::new().respond(0, 503));
        let two = |at| unusable(one().respond(at, 503));

        hold(
            &RULE,
            [
                (
                    Script::new().respond(0, 503).retry_after(1),
                    NotExercised,
                    vec![],
                ),
                (one(), Skipped, vec![]),
                (one().respond(1, 200), CannotTell, vec![]),
                (two(1).respond(2, 200), Broken, vec![2, 3]),
                (two(1).respond(90, 200), CannotTell, vec![]),
                (two(50).respond(90, 200), Kept, vec![]),
            ],
        );
    }
}
