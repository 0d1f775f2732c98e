//! Why a service was down at the end of its storm, in sentences: its requests beside its
//! capacity, and the time that attempts wait.

use std::collections::BTreeMap;

use crate::{
    Abandoned, Order, PolicyRun, Recovery, Settings, Setup, Step, Storm, percent, rate,
    readout::{down_at, joined, names},
};

impl PolicyRun {
    /// The requests per second at the end beside the most that the service accepts, and more
    /// facts if the service was down, as a sentence; none if it was not simulated so far.
    #[must_use]
    pub fn cause(&self, settings: &Settings) -> Option<String> {
        cause(settings, &[self])
    }

    /// Why attempts time out at the end, if the service was down.
    fn why_attempts_time_out(&self, settings: &Settings) -> WhyAttemptsTimeOut {
        if self.recovery != Recovery::Down {
            return WhyAttemptsTimeOut::TheyDoNot;
        }
        let is_in_order = self.policy.setup.order == Order::Oldest
            && self.policy.setup.abandoned == Abandoned::Worked;
        let end = self.at_end(settings);
        if is_in_order && queue_takes(settings, end) > settings.timeout.as_secs_f64() {
            WhyAttemptsTimeOut::LongQueue
        } else if end.iter().any(|step| step.abandoned > 0) {
            WhyAttemptsTimeOut::SlowResponse
        } else {
            WhyAttemptsTimeOut::TheyDoNot
        }
    }
}

impl Storm {
    /// Why services were down at the end; none if all recovered.
    pub(super) fn causes(&self) -> Option<String> {
        let is_down = |run: &&PolicyRun| run.recovery == Recovery::Down;
        let mut by_reason = BTreeMap::<_, Vec<_>>::new();
        for run in self.policies.iter().filter(is_down) {
            let reason = Reason::of(&self.settings, run);
            by_reason.entry(reason).or_default().push(run);
        }
        let causes = by_reason.into_values().filter_map(|runs| {
            let cause = cause(&self.settings, &runs)?;
            let verb = if runs.len() == 1 { "is" } else { "are" };
            Some(format!(
                "{} {verb} {}: {cause}",
                names(runs.iter().map(|run| &*run.policy.name)),
                down_at(runs.first()?)
            ))
        });
        let causes: Vec<_> = causes.collect();
        (!causes.is_empty()).then(|| causes.join(" "))
    }
}

/// Why attempts time out before they have a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum WhyAttemptsTimeOut {
    /// The queue takes longer than they wait.
    LongQueue,
    /// The response takes longer, for whatever reason.
    SlowResponse,
    TheyDoNot,
}

/// The seconds that a new request waits in the queue, on average.
fn queue_takes(settings: &Settings, steps: &[Step]) -> f64 {
    let waiting: f64 = steps.iter().map(|step| f64::from(step.waiting)).sum();
    waiting / steps.len().max(1) as f64 / settings.capacity_per_second()
}

/// The most requests per second that the service accepts under a policy, and its name.
fn most_accepted(settings: &Settings, setup: &Setup) -> (f64, &'static str) {
    let (capacity, limit) = (settings.capacity_per_second(), f64::from(setup.rate_limit));
    if limit > 0.0 && limit < capacity {
        (limit, "a rate limit")
    } else {
        (capacity, "a capacity")
    }
}

/// The runs that one sentence can describe: those with an equal value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Reason {
    why: WhyAttemptsTimeOut,
    some_calls_succeed: bool,
    rate_limit: u32,
    budget: u32,
    has_layers: bool,
}

impl Reason {
    fn of(settings: &Settings, run: &PolicyRun) -> Self {
        let setup = &run.policy.setup;
        let end = run.at_end(settings);
        Self {
            why: run.why_attempts_time_out(settings),
            some_calls_succeed: end.iter().any(|step| step.goodput > 0),
            rate_limit: setup.rate_limit,
            budget: setup.budget,
            has_layers: setup.layers > 1,
        }
    }
}

/// The requests per second at the end of these runs, in their order, beside the most that the
/// service accepts, and more facts about services that were down; none if they were not
/// simulated so far. The runs have the same [`Reason`].
fn cause(settings: &Settings, runs: &[&PolicyRun]) -> Option<String> {
    let first = runs.first()?;
    let (accepted, what) = most_accepted(settings, &first.policy.setup);
    let at_end = |count: fn(&Step) -> u32, beside: f64| {
        let rates = runs
            .iter()
            .filter_map(|run| run.at_end_per_second(settings, count));
        listed(rates.map(|found| rate(found, beside)))
    };
    let demand = at_end(|step| step.requests, accepted)?;
    let are_down = runs.iter().all(|run| run.recovery == Recovery::Down);
    let facts = are_down.then(|| facts_of_services_that_are_down(settings, runs));
    let facts = facts.unwrap_or_default();
    let accepted = rate(accepted, accepted);
    let ends = runs.iter().flat_map(|run| run.at_end(settings));
    let ends: Vec<_> = ends.copied().collect();
    let patience = settings.timeout.as_secs_f64();
    let why = match first.why_attempts_time_out(settings) {
        WhyAttemptsTimeOut::LongQueue => {
            let queue = rate(queue_takes(settings, &ends), patience);
            format!("; the queue takes {queue} s, an attempt waits {patience} s")
        }
        WhyAttemptsTimeOut::SlowResponse => {
            let sum =
                |count: fn(&Step) -> u32| ends.iter().map(|step| u64::from(count(step))).sum();
            let wasted = percent(sum(|step| step.abandoned), sum(|step| step.worked));
            format!("; {wasted} % of the work is for attempts that had timed out")
        }
        WhyAttemptsTimeOut::TheyDoNot => String::new(),
    };
    Some(format!(
        "{demand} requests/s at the end for {what} of {accepted}{facts}{why}."
    ))
}

/// The calls that succeed at the end of these runs, the requests per call if layers multiply
/// them, and the tokens that are left in a budget, which will end the retries.
fn facts_of_services_that_are_down(settings: &Settings, runs: &[&PolicyRun]) -> String {
    let goodput = runs
        .iter()
        .filter_map(|run| run.at_end_per_second(settings, |step| step.goodput))
        .filter(|goodput| *goodput > 0.0);
    let succeed = match listed(goodput.map(|goodput| rate(goodput, 0.0))) {
        None => "; no call succeeds".to_owned(),
        Some(goodput) => format!("; {goodput} calls/s succeed"),
    };
    let layered = runs.iter().filter(|run| run.policy.setup.layers > 1);
    let requests = listed(layered.map(|run| format!("{:.1}", run.amplification)));
    let requests =
        requests.map(|requests| format!("; {requests} requests for each call of the storm"));
    let tokens = runs.iter().filter_map(|run| {
        let (left, all) = (run.steps.last()?.tokens?, run.policy.setup.budget);
        Some(format!("{left:.1} of {all}"))
    });
    let tokens = listed(tokens).map(|tokens| format!("; {tokens} tokens left for a client"));
    [Some(succeed), requests, tokens]
        .into_iter()
        .flatten()
        .collect()
}

/// Values with "and" before the last, or one if they are all the same; none if there are none.
fn listed(values: impl Iterator<Item = String>) -> Option<String> {
    let mut values: Vec<_> = values.collect();
    if values.iter().all(|value| values.first() == Some(value)) {
        values.truncate(1);
    }
    (!values.is_empty()).then(|| joined(&values))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{StormPolicy, Totals};

    fn run(name: usize, steps: Vec<Step>) -> PolicyRun {
        let policy = StormPolicy {
            name: name.to_string().into(),
            ..StormPolicy::new("", Setup::DEFAULT)
        };
        PolicyRun::of(&Settings::DEFAULT, policy, None, steps, Totals::default())
    }

    /// A minute in which all calls succeed until the incident, and none from then on.
    fn down(name: usize, requests: u32, waiting: u32, abandoned: u32) -> PolicyRun {
        let step = |number: usize| {
            let is_up = number < 100;
            Step {
                calls: 6,
                answered: if is_up { 6 } else { 0 },
                failed: if is_up { 0 } else { 6 },
                requests,
                waiting,
                worked: 10,
                abandoned,
                ..Step::default()
            }
        };
        run(name, (0..600).map(step).collect())
    }

    #[test]
    fn the_cause_of_each_service_that_stays_down_stands_beside_its_capacity() {
        let up = Step {
            calls: 6,
            answered: 6,
            requests: 6,
            ..Step::default()
        };
        let up = |name| run(name, vec![up; 600]);
        let causes = |policies| {
            let storm = Storm {
                policies,
                ..Storm::of_no_story(Settings::DEFAULT)
            };
            storm.causes()
        };

        let all_up = causes(vec![up(1), up(2)]);
        let two_reasons = causes(vec![
            up(1),
            down(2, 17, 298, 10),
            down(3, 18, 300, 10),
            down(4, 18, 20, 5),
        ]);

        assert_eq!(all_up, None);
        assert_eq!(
            two_reasons.as_deref(),
            Some(
                "\"2\" and \"3\" are down at 60 s: 170 and 180 requests/s at the end for a capacity of \
                 100; no call succeeds; the queue takes 3 s, an attempt waits 1 s. \"4\" is down at \
                 60 s: 180 requests/s at the end for a capacity of 100; no call succeeds; 50 % of \
                 the work is for attempts that had timed out."
            )
        );
        let mut limited = up(1);
        limited.policy.setup.rate_limit = 80;
        assert_eq!(
            limited.cause(&Settings::DEFAULT).as_deref(),
            Some("60 requests/s at the end for a rate limit of 80.")
        );
        // Of the 45 s after the incident, the last quarter.
        assert_eq!(up(1).at_end(&Settings::DEFAULT).len(), 113);
    }

    #[test]
    fn a_service_that_is_down_has_its_successes_its_layers_and_its_tokens_beside_it() {
        let mut run = down(1, 17, 20, 10);
        (run.policy.setup.budget, run.policy.setup.layers) = (10, 3);
        run.amplification = 21.79;
        for step in &mut run.steps {
            (step.goodput, step.tokens) = (2, Some(3.368));
        }

        let cause = run.cause(&Settings::DEFAULT);

        assert_eq!(
            cause.as_deref(),
            Some(
                "170 requests/s at the end for a capacity of 100; 20 calls/s succeed; 21.8 requests \
                 for each call of the storm; 3.4 of 10 tokens left for a client; 100 % of the work \
                 is for attempts that had timed out."
            )
        );
    }
}
