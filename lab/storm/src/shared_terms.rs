//! The settings that the policies of a storm share, in words.
//!
//! A policy's name holds only its difference from the others. The rest of its setup would
//! be unknown to a reader if it were not said once for all.

use std::time::Duration;

use crate::{RetryAfter, Settings, Setup, moment};

/// The most waits that are listed one by one, and the most lists.
const MOST_WAITS: u32 = 4;
const MOST_LISTS: usize = 2;

/// A phrase for each setting of the clients that has the same value in all policies in which
/// it has an effect.
pub(super) fn shared_terms(settings: &Settings, setups: &[&Setup]) -> Vec<String> {
    let has_effect = |setup: &Setup, parameter| setup.without_effect(parameter, settings).is_none();
    let attempts = shared(setups, |setup| Some(setup.attempts));
    let attempts = attempts.map(|attempts| {
        let of = if setups.iter().any(|setup| setup.layers > 1) {
            "in each layer that retries"
        } else {
            "a call"
        };
        let plural = if attempts == 1 { "" } else { "s" };
        format!("{attempts} attempt{plural} {of}")
    });
    let budget = shared(setups, |setup| {
        (setup.budget > 0 && has_effect(setup, "budget")).then_some(setup.budget)
    });
    let deadline = shared(setups, |setup| {
        let has_one = !setup.deadline.is_zero() && has_effect(setup, "deadline_seconds");
        has_one.then_some(setup.deadline)
    });
    let throttled = shared(setups, |setup| {
        (setup.rate_limit > 0).then_some(setup.rate_limit)
    });
    let retry_after = shared(setups, |setup| {
        let is_sent = setup.rate_limit > 0 && setup.retry_after_429 != RetryAfter::None;
        is_sent.then_some(setup.retry_after_429)
    });
    let terms = [
        attempts,
        longest_waits(settings, setups),
        budget.map(|tokens| format!("a budget has {tokens} tokens")),
        deadline.map(|deadline| format!("a deadline is {}", moment(deadline))),
        throttled.map(|limit| format!("429 beyond {limit}/s")),
        retry_after.map(|form| {
            let form = match form {
                RetryAfter::Date => "the next second as a date",
                RetryAfter::Seconds | RetryAfter::None => "1 s",
            };
            format!("a Retry-After is {form}")
        }),
    ];
    terms.into_iter().flatten().collect()
}

/// The value that all policies with a value have; none if they differ, or if no policy has
/// one.
fn shared<T: PartialEq>(setups: &[&Setup], value: impl Fn(&Setup) -> Option<T>) -> Option<T> {
    let mut values = setups.iter().filter_map(|setup| value(setup));
    let first = values.next()?;
    values.all(|other| other == first).then_some(first)
}

/// The longest waits before the retries of a call, if the policies have few different ones.
fn longest_waits(settings: &Settings, setups: &[&Setup]) -> Option<String> {
    let mut lists = Vec::new();
    for setup in setups {
        let waits = setup.without_effect("base_seconds", settings).is_none();
        let list = waits.then(|| waits_of(setup));
        lists.extend(list.filter(|list| !lists.contains(list)));
    }
    let are_few = (1..=MOST_LISTS).contains(&lists.len());
    are_few.then(|| format!("longest waits {}", lists.join(" or ")))
}

/// The longest wait before each retry of a call: each is twice the one before, up to the
/// longest of all.
fn waits_of(setup: &Setup) -> String {
    let wait = |retry: u32| {
        let factor = 2_u32.saturating_pow(retry);
        setup.base.saturating_mul(factor).min(setup.cap)
    };
    let waits = setup.attempts - 1;
    if waits <= MOST_WAITS {
        let seconds = (0..waits).map(|retry| wait(retry).as_secs_f64().to_string());
        let seconds: Vec<_> = seconds.collect();
        format!("{} s", seconds.join(", "))
    } else {
        let last: Duration = wait(waits - 1);
        format!("{}, doubled up to {}", moment(wait(0)), moment(last))
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*, sample::select};

    use super::*;
    use crate::{Backoff, ClientKind, Retrying, story};

    fn setup() -> impl Strategy<Value = Setup> {
        let backoffs = vec![Backoff::Jitter, Backoff::Exponential, Backoff::None];
        let clients = vec![ClientKind::Reliable, ClientKind::Naive];
        let waits = (1_u32..=8, select(backoffs), 1_u64..3);
        let bounds = (0_u32..2, 0_u64..2, 0_u32..2);
        (waits, bounds, select(clients)).prop_map(
            |((attempts, backoff, base), (budget, deadline, rate_limit), client)| Setup {
                client,
                attempts,
                backoff,
                base: Duration::from_secs(base),
                budget: 10 * budget,
                deadline: Duration::from_secs(2 * deadline),
                rate_limit: 60 * rate_limit,
                ..Setup::DEFAULT
            },
        )
    }

    fn terms(setups: &[Setup]) -> Vec<String> {
        shared_terms(&Settings::DEFAULT, &setups.iter().collect::<Vec<_>>())
    }

    proptest! {
        /// A phrase of some policies is a phrase of each of them alone, unless the setting has
        /// no effect in it.
        #[test]
        fn a_shared_term_is_true_of_each_policy(setups in vec(setup(), 1..5)) {
            let of_all = terms(&setups);
            // Its second word tells it from the others: attempts, waits, budget, deadline, beyond.
            let setting = |term: &String| term.split(' ').nth(1).map(str::to_owned);

            for setup in &setups {
                let of_one = terms(std::slice::from_ref(setup));
                for term in &of_one {
                    let same = of_all.iter().find(|other| setting(other) == setting(term));
                    let is_true = same.is_none_or(|same| {
                        let lists = same.trim_start_matches("longest waits ").split(" or ");
                        same == term
                            || lists.into_iter().any(|list| term == &format!("longest waits {list}"))
                    });
                    prop_assert!(is_true, "{:?}: {}", of_all, term);
                }
            }
        }

        #[test]
        fn attempts_that_differ_are_no_shared_term(setups in vec(setup(), 1..5)) {
            let are_equal = setups.iter().all(|setup| setup.attempts == setups[0].attempts);

            let has_attempts = terms(&setups).iter().any(|term| term.contains(" attempt"));

            prop_assert_eq!(has_attempts, are_equal);
        }

        #[test]
        fn clients_that_never_wait_have_no_longest_waits(setups in vec(setup(), 1..5)) {
            let waits = |setup: &Setup| setup.attempts > 1
                && setup.backoff != Backoff::None
                && setup.client == ClientKind::Reliable;

            let has_waits = terms(&setups).iter().any(|term| term.starts_with("longest waits"));

            prop_assert!(!has_waits || setups.iter().any(waits));
        }
    }

    #[test]
    fn a_setting_that_no_name_of_a_story_holds_is_a_shared_term() {
        let of_story = |name: &str| {
            let policies = story(name).expect("a story").policies.iter();
            let setups: Vec<_> = policies.map(|policy| policy.setup).collect();
            terms(&setups).join("; ")
        };

        for (name, expected) in [
            ("spike", "longest waits 0.2, 0.4 s; a budget has 10 tokens"),
            (
                "outage",
                "longest waits 0.05, 0.1, 0.2, 0.4 s or 1, 2, 4, 8 s; a budget has 10 tokens",
            ),
            ("herd", "5 attempts a call; longest waits 1, 2, 4, 5 s"),
            ("budgets", "3 attempts a call; longest waits 0.2, 0.4 s"),
            (
                "synchronized-retry-after",
                "3 attempts a call; longest waits 0.2, 0.4 s",
            ),
            (
                "deadlines",
                "10 attempts a call; longest waits 0.2 s, doubled up to 5 s",
            ),
            ("queue", "3 attempts a call; longest waits 0.2, 0.4 s"),
            (
                "layers",
                "3 attempts in each layer that retries; longest waits 0.2, 0.4 s; a budget has 10 \
                 tokens",
            ),
            (
                "throttled",
                "3 attempts a call; longest waits 0.2, 0.4 s; 429 beyond 60/s; a Retry-After is 1 s",
            ),
        ] {
            assert_eq!(of_story(name), expected, "{name}");
        }
    }

    #[test]
    fn services_between_wait_and_have_budgets_although_their_client_is_naive() {
        let naive = Setup {
            layers: 3,
            client: ClientKind::Naive,
            ..Setup::DEFAULT.attempts(2).budget(10)
        };

        assert_eq!(
            terms(&[naive])[1..],
            ["longest waits 0.2 s", "a budget has 10 tokens"]
        );
    }

    #[test]
    fn services_in_a_row_have_attempts_in_each_layer() {
        let client_only = Setup {
            layers: 3,
            retrying: Retrying::Client,
            ..Setup::DEFAULT.attempts(1)
        };

        assert_eq!(
            terms(&[client_only]),
            ["1 attempt in each layer that retries"]
        );
        let dated = Setup {
            rate_limit: 5,
            retry_after_429: RetryAfter::Date,
            ..Setup::DEFAULT.attempts(1)
        };
        assert_eq!(
            terms(&[dated])[1..],
            [
                "429 beyond 5/s",
                "a Retry-After is the next second as a date"
            ]
        );
    }
}
