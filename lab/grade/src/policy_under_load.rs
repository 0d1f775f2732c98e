//! *This policy under load*: what many clients with the policy of a card do to a service.
//!
//! A card says what one client does. How many of them fare is simulated, by a product that this
//! crate does not know: the command line measures the policy here, and adds the words.

use std::time::Duration;

use judge::rules::{Case, Growth, MeasuredPolicy, Part, Waits};
use serde::Serialize;
use wire::counted;

use crate::{
    Card, TaskGrade,
    tasks::{down, flaky, silence},
};

/// The heading.
pub(crate) const TITLE: &str = "This policy under load";

/// What no card shows, and what follows from that.
pub(crate) const NOT_SEEN: &str = "Not seen: a retry budget or a limit that many calls share, \
     because each case is one call. No task asks for one, so a client that does every task can read \
     DOWN as well. In the simulation an attempt times out after 1 s, and no response has a \
     Retry-After.";

/// What the budget is, and how the command of a storm simulates it.
pub(crate) const WITH_BUDGET: &str = "A retry budget is shared by all calls of a client: each retry costs a token, and ten calls \
     earn one. Add --budget 10 to begin with ten tokens.";

/// The policy of a client, and what many clients with this policy do to a service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PolicyUnderLoad {
    /// The policy, as far as the card shows it.
    pub policy: MeasuredPolicy,
    /// The result of a storm; none if a part that it needs is not known, if a storm cannot have
    /// this policy, or if the client does not try again after a timeout.
    pub storm: Option<StormWords>,
}

/// The result of a storm of clients with one policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StormWords {
    /// Whether the service recovers with the policy as it was measured.
    pub as_measured: LoadWord,
    /// Whether it recovers if each client has a retry budget of ten tokens as well.
    pub with_budget: LoadWord,
    /// The command that simulates the policy as it was measured, from the name of the
    /// subcommand on.
    pub command: String,
}

/// Whether a service recovers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LoadWord {
    /// The word.
    pub words: String,
    /// Good, bad or neither.
    pub is_good: Option<bool>,
}

impl Card {
    /// The policy of the client; none if the card does not have the tasks that show it, with
    /// requests.
    #[must_use]
    pub fn measured_policy(&self) -> Option<MeasuredPolicy> {
        self.attempted(flaky::TASK.words.name)?;
        let refusing = self.attempted(down::TASK.words.name)?.cases.iter();
        let mut refusing = refusing.filter(|case| case.name == down::REFUSING);
        let refusing = refusing.next().filter(|case| case.wire.total > 0)?;
        let silent = self.attempted(silence::TASK.words.name)?.cases.first()?;
        let context = self.context();
        let [refusing, silent] =
            [refusing, silent].map(|case| Case::with(&case.wire, case.process.as_ref(), &context));
        Some(MeasuredPolicy::of(&context, &refusing, &silent))
    }

    /// The tasks without which no policy is measured, as far as the client did not attempt them.
    pub fn lacking_for_policy(&self) -> impl Iterator<Item = &'static str> {
        let needed = [flaky::TASK, down::TASK, silence::TASK].map(|task| task.words.name);
        needed
            .into_iter()
            .filter(|name| self.attempted(name).is_none())
    }

    /// The task of this name, if the client attempted it.
    fn attempted(&self, name: &str) -> Option<&TaskGrade> {
        self.task(name).filter(|task| task.was_attempted())
    }
}

impl PolicyUnderLoad {
    /// The policy, and the result of the storm.
    pub(crate) fn sentences(&self) -> Vec<String> {
        let mut sentences = self.policy_sentences();
        if let Some(storm) = &self.storm {
            let [as_measured, with_budget] =
                [&storm.as_measured, &storm.with_budget].map(|word| &word.words);
            sentences.push(format!(
                "In a spike of many such clients: {as_measured}; with a retry budget: \
                 {with_budget}."
            ));
        }
        sentences
    }

    /// The parts of the policy that are known, and why others are not.
    pub(crate) fn policy_sentences(&self) -> Vec<String> {
        let MeasuredPolicy {
            attempts,
            waits,
            after_timeout,
        } = &self.policy;
        let mut phrases = Vec::new();
        let mut sentences = Vec::new();
        let mut unknown = |what: &str, why: &str| {
            sentences.push(format!("Cannot tell {what}: {why}."));
        };
        match attempts {
            Part::Measured(attempts) => phrases.push(counted(*attempts as u64, "attempt")),
            Part::CannotTell(why) => unknown("the number of attempts", why),
            Part::NotNeeded => {}
        }
        match waits {
            Part::Measured(waits) => phrases.push(waits_in_words(*waits)),
            Part::CannotTell(why) => unknown("the waits", why),
            Part::NotNeeded => {}
        }
        match after_timeout {
            Part::Measured(true) => phrases.push("again after a timeout".to_owned()),
            Part::Measured(false) => phrases.push(
                "not again after a timeout, so the retries add nothing to an overload that shows \
                 as timeouts"
                    .to_owned(),
            ),
            Part::CannotTell(why) => {
                unknown("whether there is another attempt after a timeout", why);
            }
            Part::NotNeeded => {}
        }
        if !phrases.is_empty() {
            sentences.insert(0, format!("{}.", phrases.join(", ")));
        }
        sentences
    }
}

fn waits_in_words(waits: Waits) -> String {
    let Waits::Pauses {
        first,
        has_jitter,
        growth,
    } = waits
    else {
        return "no wait before a retry".to_owned();
    };
    let up_to = if has_jitter { "up to " } else { "" };
    let first = seconds(first);
    let grows = match growth {
        Some(Growth::Equal) => " each time",
        Some(Growth::Doubles) => " at first and then twice as long each time",
        None => " before the retry",
    };
    let jitter = if has_jitter { "jitter" } else { "no jitter" };
    format!("{up_to}{first}{grows}, {jitter}")
}

fn seconds(length: Duration) -> String {
    format!("{} s", length.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use judge::KnownFailures;
    use render::Options;
    use serde_json::json;
    use testkit::script::{Script, exits};
    use wire::FaultLabel;

    use super::*;
    use crate::{CaseGrade, Goal, Task, find, html_policy_under_load, text};

    fn pauses(first_millis: u64, has_jitter: bool, growth: Option<Growth>) -> Part<Waits> {
        Part::Measured(Waits::Pauses {
            first: Duration::from_millis(first_millis),
            has_jitter,
            growth,
        })
    }

    fn policy(attempts: usize, waits: Part<Waits>) -> MeasuredPolicy {
        MeasuredPolicy {
            attempts: Part::Measured(attempts),
            waits,
            after_timeout: Part::Measured(true),
        }
    }

    /// The policy in words, without a storm.
    fn words(policy: MeasuredPolicy) -> String {
        let storm = None;
        PolicyUnderLoad { policy, storm }.sentences().join(" ")
    }

    #[test]
    fn a_policy_in_words_names_its_parts_and_why_others_are_unknown() {
        let [equal, doubles] = [Growth::Equal, Growth::Doubles].map(Some);
        let busy = || Part::CannotTell("the machine was busy".to_owned());
        let once = MeasuredPolicy {
            waits: Part::NotNeeded,
            after_timeout: Part::NotNeeded,
            ..policy(1, busy())
        };
        let only_waits = MeasuredPolicy {
            attempts: Part::CannotTell("it was stopped".to_owned()),
            after_timeout: Part::Measured(false),
            ..policy(1, Part::Measured(Waits::None))
        };
        let timeout_unknown = MeasuredPolicy {
            after_timeout: Part::CannotTell("it was stopped".to_owned()),
            ..policy(2, pauses(300, false, None))
        };
        for (policy, expected) in [
            (once, "1 attempt."),
            (
                policy(4, pauses(500, false, equal)),
                "4 attempts, 0.5 s each time, no jitter, again after a timeout.",
            ),
            (
                policy(4, pauses(160, true, doubles)),
                "4 attempts, up to 0.16 s at first and then twice as long each time, jitter, \
                 again after a timeout.",
            ),
            (
                policy(3, busy()),
                "3 attempts, again after a timeout. Cannot tell the waits: the machine was busy.",
            ),
            (
                only_waits,
                "no wait before a retry, not again after a timeout, so the retries add nothing to \
                 an overload that shows as timeouts. Cannot tell the number of attempts: it was \
                 stopped.",
            ),
            (
                timeout_unknown,
                "2 attempts, 0.3 s before the retry, no jitter. Cannot tell whether there is \
                 another attempt after a timeout: it was stopped.",
            ),
        ] {
            assert_eq!(words(policy), expected);
        }
    }

    /// A task of which each case is a call that fails and is repeated after these milliseconds.
    fn graded(task: &Task, gaps: &[u64]) -> TaskGrade {
        let cases = task.case_names().map(|name| {
            let script = if task.words.name == "silence" {
                let silent = Script::new().respond(0, 200).fault(FaultLabel::SILENCE);
                silent.on(1, 1).lost().respond(3_000, 200)
            } else {
                Script::gaps(gaps, |script| script)
            };
            let goal = Goal::result(json!({"value": 1}));
            CaseGrade::new(name, &goal, Some(exits(1, "")), script.record())
        });
        let cases = cases.collect();
        TaskGrade::new(task.words.name, task.kind, task.rules(), cases)
    }

    fn card(tasks: &[&str], gaps: &[u64]) -> Card {
        let mut card = Card::new(Vec::new(), 1, "");
        let tasks = tasks.iter().map(|name| find(name).expect("a task"));
        card.add(tasks.map(|task| graded(task, gaps)));
        card
    }

    #[test]
    fn a_policy_is_measured_if_the_card_has_the_three_tasks_that_show_it() {
        let all = ["flaky", "down", "silence"];
        for left_out in all {
            let tasks: Vec<_> = all.into_iter().filter(|task| *task != left_out).collect();
            assert_eq!(
                card(&tasks, &[500; 3]).measured_policy(),
                None,
                "{left_out}"
            );
        }

        let mut card = card(&all, &[500; 3]);

        let expected = policy(4, pauses(500, false, Some(Growth::Equal)));
        assert_eq!(card.measured_policy(), Some(expected));
        for case in &mut card.tasks[1].cases {
            case.wire = Script::new().record();
        }
        assert_eq!(card.measured_policy(), None, "the task was not attempted");
    }

    #[test]
    fn text_and_page_show_the_words_and_the_commands() {
        let word = |words: &str, is_good| LoadWord {
            words: words.to_owned(),
            is_good,
        };
        let under_load = PolicyUnderLoad {
            policy: policy(4, pauses(500, false, Some(Growth::Equal))),
            storm: Some(StormWords {
                as_measured: word("DOWN", Some(false)),
                with_budget: word("ok after 6 s", Some(true)),
                command: "storm spike --attempts 4 --backoff constant --base 0.5".to_owned(),
            }),
        };
        let mut card = Card::new(Vec::new(), 1, "");
        let show = |card: &Card| text::card(card, &KnownFailures::default(), &Options::default());

        let without = show(&card);
        let page = html_policy_under_load(&under_load, true).into_string();
        card.policy_under_load = Some(under_load);
        let with = show(&card);

        assert!(!without.contains(TITLE), "{without}");
        let below = with
            .strip_prefix(&*without)
            .expect("the card itself is the same");
        assert_eq!(below.lines().collect::<Vec<_>>(), BELOW);
        for part in [
            "4 attempts, 0.5 s each time, no jitter, again after a timeout.",
            "DOWN",
            "ok after 6 s",
            "lab storm spike --attempts 4 --backoff constant --base 0.5</code>",
            WITH_BUDGET,
        ] {
            assert!(page.contains(part), "{part} is missing in {page}");
        }
        let hidden = html_policy_under_load(card.policy_under_load.as_ref().expect("it"), false);
        let hidden = hidden.into_string();
        assert!(hidden.contains("4 attempts"), "{hidden}");
        assert!(
            !hidden.contains("DOWN</") && !hidden.contains("ok after"),
            "{hidden}"
        );
    }

    const BELOW: [&str; 12] = [
        "",
        "This policy under load",
        "4 attempts, 0.5 s each time, no jitter, again after a timeout. In a spike of",
        "many such clients: DOWN; with a retry budget: ok after 6 s.",
        "Not seen: a retry budget or a limit that many calls share, because each case is",
        "one call. No task asks for one, so a client that does every task can read DOWN",
        "as well. In the simulation an attempt times out after 1 s, and no response has a",
        "Retry-After.",
        "See it:",
        "  cargo run -p lab -- storm spike --attempts 4 --backoff constant --base 0.5",
        "A retry budget is shared by all calls of a client: each retry costs a token, and",
        "ten calls earn one. Add --budget 10 to begin with ten tokens.",
    ];
}
