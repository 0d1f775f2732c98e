//! What cannot be read is no permission to come at once.

use std::time::Duration;

use super::{Judgement, Level, Play, Rule};
use crate::duration;

pub(super) const RULE: Rule = Rule {
    id: "retry-after-unusable",
    level: Level::GoodPractice,
    source: "RFC 9110 §10.2.3 defines seconds and dates alone",
    text: "there was a pause after a Retry-After that cannot be read",
    why: "A value such as -1 or soon is a fault of the service, and the service is in trouble.",
    hint: "Fall back on the backoff that you would have used without the header.",
    judge,
};

/// A gap shorter than this is no pause.
const PAUSE: Duration = Duration::from_millis(5);

fn judge(plays: &[Play<'_>]) -> Judgement {
    Judgement::of_each(plays, |wire| {
        let unusable = wire.entries.iter().filter_map(|it| it.retry_after);
        if unusable.filter(|it| !it.is_usable()).count() == 0 {
            return Judgement::not_exercised();
        }
        let waits = wire.waits().filter(|it| !it.retry_after.is_usable());
        let waits: Vec<_> = waits.map(|it| (it.next.seq, it.waited)).collect();
        match waits.iter().map(|(_, waited)| *waited).max() {
            None => Judgement::skipped(),
            Some(longest) if longest >= PAUSE => Judgement::kept(),
            Some(_) if waits.len() < 2 => {
                Judgement::cannot_tell("a single short wait may be chance")
            }
            Some(longest) => {
                let seqs = waits.into_iter().map(|(seq, _)| seq).collect();
                Judgement::broken(seqs, format!("came back within {}", duration(longest)))
            }
        }
    })
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
                (two(1).respond(90, 200), Kept, vec![]),
            ],
        );
    }
}
