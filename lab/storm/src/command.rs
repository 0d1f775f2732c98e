//! The command that simulates a plan.

use std::{fmt::Display, time::Duration};

use clap::ValueEnum;

use crate::{Plan, Settings, Setup, StormPolicy};

impl Plan {
    /// The command that simulates this plan, from the name of the subcommand on.
    #[must_use]
    pub fn command(&self) -> String {
        let mut words = Words(vec!["storm".to_owned(), self.story.name.to_owned()]);
        let (named, own): (Vec<_>, Vec<_>) = self
            .policies
            .iter()
            .partition(|policy| policy.name != StormPolicy::YOURS);
        if !named.iter().copied().eq(self.story.policies) {
            words.0.push("--policy".to_owned());
            words.0.extend(named.iter().map(|policy| policy.word()));
        }
        words.settings(&self.settings, &self.story.settings);
        for policy in own {
            words.setup(&policy.setup);
        }
        words.unless_equal("seed", self.seed, Self::of(self.story).seed);
        words.0.join(" ")
    }
}

/// The words of a command.
struct Words(Vec<String>);

impl Words {
    fn settings(&mut self, settings: &Settings, usual: &Settings) {
        let load = (settings.calls_per_second, usual.calls_per_second);
        self.unless_equal("calls-per-second", load.0, load.1);
        self.unless_equal("workers", settings.workers, usual.workers);
        self.unless_equal("queue", settings.queue, usual.queue);
        let [incident, usual_incident] = [settings, usual].map(|of| word(&of.incident));
        self.unless_equal("incident", incident, usual_incident);
        let lasts = [settings, usual].map(|of| of.incident_lasts);
        self.unless_equal_time("incident-lasts", lasts);
        self.unless_equal("spike", settings.spike, usual.spike);
        self.unless_equal("refused", settings.refused, usual.refused);
        self.unless_equal_time("length", [settings, usual].map(|of| of.length));
    }

    /// The options of a policy of one's own. One of them is always there, since without any
    /// there is no such policy.
    fn setup(&mut self, setup: &Setup) {
        let usual = &Setup::DEFAULT;
        self.add("attempts", setup.attempts);
        self.unless_equal("backoff", word(&setup.backoff), word(&usual.backoff));
        self.unless_equal_time("base", [setup, usual].map(|of| of.base));
        self.unless_equal("budget", setup.budget, usual.budget);
        self.unless_equal("concurrency", setup.concurrency, usual.concurrency);
        self.unless_equal_time("deadline", [setup, usual].map(|of| of.deadline));
        self.unless_equal_time("spread", [setup, usual].map(|of| of.spread));
    }

    fn unless_equal_time(&mut self, option: &str, times: [Duration; 2]) {
        let [seconds, usual] = times.map(|time| time.as_secs_f64());
        self.unless_equal(option, seconds, usual);
    }

    fn unless_equal<T: Display + PartialEq>(&mut self, option: &str, value: T, usual: T) {
        if value != usual {
            self.add(option, value);
        }
    }

    fn add(&mut self, option: &str, value: impl Display) {
        self.0.push(format!("--{option} {value}"));
    }
}

/// A value as the command line names it.
fn word(value: &impl ValueEnum) -> String {
    let value = value.to_possible_value();
    value.map_or_else(String::new, |value| value.get_name().to_owned())
}
