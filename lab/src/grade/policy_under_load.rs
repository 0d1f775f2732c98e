//! *This policy under load*: a storm of clients with the policy of a card.

use std::sync::atomic::AtomicBool;

use grade::{Card, LoadWord, PolicyUnderLoad, StormWords};
use judge::rules::{Growth, MeasuredPolicy, Part, Waits};
use storm::{Backoff, Plan, PolicyOptions, STORIES, Word, simulate_in_parallel};
use tokio::task::spawn_blocking;

/// The tokens of the retry budget, with which the policy is simulated again.
const TOKENS: f64 = 10.0;

/// Measures the policy of a client, and simulates a storm of such clients if the card shows all
/// that it needs. That takes a part of a second, on all processors.
pub(crate) async fn policy_under_load(card: &Card) -> Option<PolicyUnderLoad> {
    let policy = card.measured_policy()?;
    let storm = match options(&policy) {
        Some(own) => storm(own).await,
        None => None,
    };
    Some(PolicyUnderLoad { policy, storm })
}

/// The words of a storm with this policy. A task of the runtime has to yield after so many
/// operations, for which a simulation cannot wait: it has a thread of its own.
async fn storm(own: PolicyOptions) -> Option<StormWords> {
    spawn_blocking(move || simulated(&own)).await.ok()?
}

/// The options of the policy, if it is known and makes retries under load.
pub(crate) fn options(policy: &MeasuredPolicy) -> Option<PolicyOptions> {
    let MeasuredPolicy {
        attempts: Part::Measured(attempts),
        waits,
        after_timeout,
    } = policy
    else {
        return None;
    };
    let (backoff, first) = match (waits, after_timeout) {
        (Part::NotNeeded, Part::NotNeeded) => (None, None),
        (Part::Measured(Waits::None), Part::Measured(true)) => (Some(Backoff::None), None),
        (
            Part::Measured(Waits::Pauses {
                first,
                has_jitter,
                growth,
            }),
            Part::Measured(true),
        ) => (Some(backoff(*has_jitter, *growth)?), Some(*first)),
        _ => return None,
    };
    Some(PolicyOptions {
        attempts: Some(*attempts as f64),
        backoff,
        base_seconds: first.map(|first| first.as_secs_f64()),
        ..PolicyOptions::default()
    })
}

/// The backoff with these pauses; none for random ones with one ceiling, which no storm has.
fn backoff(has_jitter: bool, growth: Option<Growth>) -> Option<Backoff> {
    match (has_jitter, growth) {
        (true, Some(Growth::Equal)) => None,
        (true, Some(Growth::Doubles) | None) => Some(Backoff::Jitter),
        (false, Some(Growth::Doubles)) => Some(Backoff::Exponential),
        (false, Some(Growth::Equal) | None) => Some(Backoff::Constant),
    }
}

/// The same policy with a retry budget.
pub(crate) fn with_budget(own: &PolicyOptions) -> PolicyOptions {
    PolicyOptions {
        budget: Some(TOKENS),
        ..own.clone()
    }
}

/// The words for the first story with this policy alone; none if it is outside the bounds of a
/// storm.
fn simulated(own: &PolicyOptions) -> Option<StormWords> {
    let story = STORIES.first()?;
    let mut plan = Plan::of(story);
    plan.policies.push(own.policy().ok()?);
    let command = plan.command();
    plan.policies = vec![own.policy().ok()?, with_budget(own).policy().ok()?];
    let storm = simulate_in_parallel(&plan, &AtomicBool::new(false)).ok()?;
    let mut words = storm.policies.iter().map(|run| run.word.map(load_word));
    Some(StormWords {
        as_measured: words.next()??,
        with_budget: words.next()??,
        command,
    })
}

fn load_word(word: Word) -> LoadWord {
    let (words, is_good) = match word {
        Word::Ok { after_seconds, .. } => (format!("ok after {after_seconds} s"), Some(true)),
        Word::Down => (word.to_string(), Some(false)),
        Word::Degraded => (word.to_string(), None),
    };
    LoadWord { words, is_good }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn policy(attempts: usize, waits: Waits, after_timeout: bool) -> MeasuredPolicy {
        MeasuredPolicy {
            attempts: Part::Measured(attempts),
            waits: Part::Measured(waits),
            after_timeout: Part::Measured(after_timeout),
        }
    }

    fn pauses(first_millis: u64, has_jitter: bool, growth: Option<Growth>) -> Waits {
        Waits::Pauses {
            first: Duration::from_millis(first_millis),
            has_jitter,
            growth,
        }
    }

    #[tokio::test]
    async fn a_policy_is_simulated_as_measured_and_with_a_budget() {
        let pauses = pauses(500, false, Some(Growth::Equal));
        let options = options(&policy(4, pauses, true)).expect("every part is known");

        let storm = storm(options).await.expect("a storm");

        let command = "storm spike --attempts 4 --backoff constant --base 0.5";
        assert_eq!(storm.command, command);
        let words = [storm.as_measured, storm.with_budget];
        let words = words.map(|word| (word.words, word.is_good));
        let expected = [("DOWN", Some(false)), ("ok after 6 s", Some(true))];
        assert_eq!(
            words,
            expected.map(|(word, is_good)| (word.to_owned(), is_good))
        );
    }

    #[test]
    fn a_policy_has_the_options_of_a_storm_unless_a_part_of_it_is_unknown() {
        let doubling = pauses(160, true, Some(Growth::Doubles));
        let unknown = || "a reason".to_owned();
        let once = MeasuredPolicy {
            waits: Part::NotNeeded,
            after_timeout: Part::NotNeeded,
            ..policy(1, Waits::None, true)
        };
        let without = [
            MeasuredPolicy {
                attempts: Part::CannotTell(unknown()),
                ..policy(3, doubling, true)
            },
            MeasuredPolicy {
                waits: Part::CannotTell(unknown()),
                ..policy(3, doubling, true)
            },
            MeasuredPolicy {
                after_timeout: Part::CannotTell(unknown()),
                ..policy(3, doubling, true)
            },
            policy(3, doubling, false),
            policy(3, pauses(160, true, Some(Growth::Equal)), true),
        ];

        for (policy, expected) in [
            (once, "--attempts 1"),
            (policy(3, Waits::None, true), "--attempts 3 --backoff none"),
            (policy(3, doubling, true), "--attempts 3 --base 0.16"),
            (
                policy(5, pauses(1_000, false, Some(Growth::Doubles)), true),
                "--attempts 5 --backoff exponential --base 1",
            ),
            (
                policy(2, pauses(50, false, None), true),
                "--attempts 2 --backoff constant --base 0.05",
            ),
        ] {
            let options = options(&policy).expect("every part is known");
            let mut plan = Plan::of(&STORIES[0]);
            plan.policies.push(options.policy().expect("a policy"));
            assert_eq!(plan.command(), format!("storm spike {expected}"));
        }
        for policy in without {
            assert_eq!(options(&policy), None, "{policy:?}");
        }
    }
}
