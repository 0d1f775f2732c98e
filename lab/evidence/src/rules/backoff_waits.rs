//! Who comes back at once makes it worse.

use std::time::Duration;

use super::{Judgement, Level, Play, Rule};
use crate::{
    duration,
    wire::{RetryAfter, WireRequest},
};

pub(super) const RULE: Rule = Rule {
    id: "backoff-waits",
    level: Level::GoodPractice,
    source: "AWS Builders' Library, Timeouts, retries and backoff with jitter; Google SRE book, chapter 22",
    text: "there was a pause before retries",
    why: "A service that fails under load fails on while every client comes back at once.",
    hint: "Wait before each retry: a random time below a ceiling that doubles.",
    judge,
};

/// A gap shorter than this is no pause.
const PAUSE: Duration = Duration::from_millis(5);

/// How many gaps it takes. Of a correct client with full jitter below 100 ms, 200 ms,
/// 400 ms and 800 ms, one in ten million has four gaps as short.
const SAMPLE: usize = 4;

fn judge(plays: &[Play<'_>]) -> Judgement {
    Judgement::of_each(plays, |wire| {
        let failed = |it: &WireRequest| {
            let named = it.retry_after.is_some_and(RetryAfter::is_usable);
            !named
                && it
                    .status
                    .is_some_and(|status| status == 429 || status >= 500)
        };
        if !wire.entries.iter().any(failed) {
            return Judgement::not_exercised();
        }
        let retries = wire.repetitions().filter(|(first, _)| failed(first));
        let gaps: Vec<_> = retries
            .map(|(first, next)| {
                let head = first.head.unwrap_or(next.arrived);
                (next.seq, next.arrived.saturating_sub(head))
            })
            .collect();
        match gaps.iter().map(|(_, gap)| *gap).max() {
            None => Judgement::skipped(),
            Some(longest) if longest >= PAUSE => Judgement::kept(),
            Some(_) if gaps.len() < SAMPLE => Judgement::cannot_tell("too few retries"),
            Some(longest) => {
                let (number, longest) = (gaps.len(), duration(longest));
                let seqs = gaps.into_iter().map(|(seq, _)| seq).collect();
                Judgement::broken(seqs, format!("{number} retries, each within {longest}"))
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

    fn at(moments: &[u64]) -> Script {
        let respond = |script: Script, at: &u64| script.respond(*at, 503);
        moments.iter().fold(Script::new(), respond)
    }

    #[test]
    fn takes_four_gaps_without_a_pause() {
        hold(
            &RULE,
            [
                (Script::new().respond(0, 200), NotExercised, vec![]),
                (at(&[0]), Skipped, vec![]),
                (at(&[0, 1, 2, 3]), CannotTell, vec![]),
                (at(&[0, 1, 2, 3, 7]), Broken, vec![2, 3, 4, 5]),
                (at(&[0, 1, 2, 3, 8]), Kept, vec![]),
            ],
        );
    }

    #[test]
    fn a_wait_that_the_service_named_is_no_backoff() {
        let asked = Script::new()
            .respond(0, 503)
            .retry_after(2)
            .respond(2_000, 200);

        hold(&RULE, [(asked, NotExercised, vec![])]);
    }
}
