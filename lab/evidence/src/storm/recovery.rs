//! Results that are computed from the steps of a storm.

use std::time::Duration;

use super::{Cut, Policy, PolicyRun, STEP, Settings, Step, Storm, Totals};

/// The share of the calls that must succeed for a service to count as recovered.
const BACK: f64 = 0.9;

/// How long this must last: ten steps, which is a second.
const STAYS: usize = 10;

impl PolicyRun {
    /// The results of a policy in a storm with these settings.
    #[must_use]
    pub fn of(
        settings: &Settings,
        policy: Policy,
        cut: Option<Cut>,
        steps: Vec<Step>,
        totals: Totals,
    ) -> Self {
        Self {
            policy,
            cut,
            back_after: match cut {
                Some(_) => None,
                None => back_after(settings, &steps),
            },
            amplification: totals.requests as f64 / totals.calls.max(1) as f64,
            steps,
            totals,
        }
    }

    /// Whether it was simulated to its end and the service was down there.
    #[must_use]
    pub fn stayed_down(&self) -> bool {
        self.cut.is_none() && self.back_after.is_none()
    }

    /// The number of calls that failed.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.totals.failed
    }

    /// The last quarter of the steps.
    #[must_use]
    #[expect(
        clippy::indexing_slicing,
        reason = "three quarters are at most the whole"
    )]
    pub fn at_end(&self) -> &[Step] {
        &self.steps[self.steps.len() * 3 / 4..]
    }

    /// For each column of `steps_per_column` steps, the share of its calls that succeeded, of
    /// those that ended before the end of the storm; none for a column without a call.
    #[must_use]
    pub fn columns(&self, steps_per_column: usize) -> Vec<Option<f64>> {
        self.steps
            .chunks(steps_per_column.max(1))
            .map(share)
            .collect()
    }
}

impl Storm {
    /// The run of the policy with this name; none if it was not simulated to the end.
    #[must_use]
    pub fn simulated(&self, name: &str) -> Option<&PolicyRun> {
        let mut runs = self.policies.iter();
        runs.find(|run| run.policy.name == name && run.cut.is_none())
    }

    /// Whether the service recovered under the policy with this name; none if it was not
    /// simulated to the end.
    #[must_use]
    pub fn is_back(&self, name: &str) -> Option<bool> {
        self.simulated(name).map(|run| run.back_after.is_some())
    }

    /// The number of calls lost under the policy with this name; none if it was not simulated
    /// to the end.
    #[must_use]
    pub fn lost(&self, name: &str) -> Option<u64> {
        self.simulated(name).map(PolicyRun::lost)
    }
}

/// How long after the end of the incident the service had recovered for good: nine tenths
/// of the calls of a second succeeded, in that second and in every later one, and at least
/// one such second follows. None if it did not recover.
///
/// A second does not count if all of its calls are still in flight at the end and no client
/// has waited longer than it may.
fn back_after(settings: &Settings, steps: &[Step]) -> Option<Duration> {
    let after = step_of(settings.incident_ends());
    let after = steps.get(after..).unwrap_or_default();
    let known = |(number, second): &(usize, &[Step])| {
        let ended = second.iter().any(|step| step.answered + step.failed > 0);
        ended || after.len() - number * STAYS > step_of(settings.timeout)
    };
    let seconds = after.chunks(STAYS).enumerate().filter(known);
    let is_up = |second: &[Step]| share(second).is_none_or(|share| share >= BACK);
    let ups: Vec<_> = seconds.map(|(_, second)| is_up(second)).collect();
    let down = ups.iter().rposition(|is_up| !is_up).map_or(0, |at| at + 1);
    let back = u32::try_from(down * STAYS).unwrap_or(u32::MAX);
    (down + 1 < ups.len()).then(|| STEP * back)
}

/// The share of the calls of these steps that succeeded, of those that ended; none without
/// a call, and zero if calls began but none ended.
fn share(steps: &[Step]) -> Option<f64> {
    let sum = |count: fn(&Step) -> u32| f64::from(steps.iter().map(count).sum::<u32>());
    let answered = sum(|step| step.answered);
    let ended = answered + sum(|step| step.failed);
    (sum(|step| step.calls) > 0.0).then(|| answered / ended.max(1.0))
}

/// The average count per second over these steps.
#[must_use]
pub fn per_second(steps: &[Step], count: fn(&Step) -> u32) -> f64 {
    let seconds = STEP.as_secs_f64() * steps.len().max(1) as f64;
    steps.iter().map(|step| f64::from(count(step))).sum::<f64>() / seconds
}

fn step_of(moment: Duration) -> usize {
    usize::try_from(moment.as_nanos().div_ceil(STEP.as_nanos())).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storm::Setup;

    /// An incident from 2 s to 4 s.
    const SETTINGS: Settings = Settings {
        incident_starts: Duration::from_secs(2),
        incident_lasts: Duration::from_secs(2),
        length: Duration::from_secs(10),
        ..Settings::DEFAULT
    };

    /// Two calls in each step, with these numbers of successes and failures.
    fn run(settings: &Settings, ends: impl Fn(usize) -> (u32, u32)) -> PolicyRun {
        let step = |number| {
            let (answered, failed) = ends(number);
            Step {
                calls: 2,
                answered,
                failed,
                ..Step::default()
            }
        };
        let steps = (0..100).map(step).collect();
        let policy = Policy::new("any", Setup::DEFAULT);
        PolicyRun::of(settings, policy, None, steps, Totals::default())
    }

    #[test]
    fn a_service_has_recovered_from_the_first_second_without_a_later_bad_one() {
        let from = |step| {
            let ends = move |number| if number < step { (0, 2) } else { (2, 0) };
            run(&SETTINGS, ends).back_after
        };

        let back = [0, 40, 42, 50, 80, 82].map(from);

        let seconds = |seconds| Some(Duration::from_secs(seconds));
        let expected = [
            seconds(0),
            seconds(0),
            seconds(1),
            seconds(1),
            seconds(4),
            None,
        ];
        assert_eq!(back, expected);
    }

    #[test]
    fn only_calls_that_may_still_succeed_are_ignored() {
        let patient = Settings {
            timeout: Duration::from_secs(3),
            ..SETTINGS
        };
        let until = |step| move |number| if number < step { (2, 0) } else { (0, 0) };

        let ends = [70, 60].map(|step| run(&patient, until(step)).back_after);

        assert_eq!(ends, [Some(Duration::ZERO), None]);
    }

    #[test]
    fn a_column_is_the_share_of_its_calls_that_succeeded() {
        let run = run(
            &SETTINGS,
            |number| if number < 50 { (2, 0) } else { (1, 1) },
        );

        assert_eq!(run.columns(40), [Some(1.0), Some(0.625), Some(0.5)]);
    }

    #[test]
    fn a_column_without_calls_is_none_and_one_without_ended_calls_is_zero() {
        let mut run = run(
            &SETTINGS,
            |number| if number < 10 { (1, 0) } else { (0, 0) },
        );
        for step in &mut run.steps[20..] {
            step.calls = 0;
        }
        run.steps.truncate(30);

        assert_eq!(run.columns(10), [Some(1.0), Some(0.0), None]);
        assert_eq!(run.columns(0).len(), 30);
    }

    #[test]
    fn a_service_is_up_if_nine_tenths_succeed() {
        let back = |failed: u32| {
            let ends = move |_| (20 - failed, failed);
            run(&SETTINGS, ends).back_after
        };

        assert_eq!(back(2), Some(Duration::ZERO));
        assert_eq!(back(3), None);
    }

    /// A storm of one policy under which all calls succeed, and one under which all fail.
    fn storm(cut: Option<Cut>) -> Storm {
        let policy = |name, answered| {
            let steps = run(&SETTINGS, |_| (answered, 2 - answered)).steps;
            let totals = Totals {
                calls: 200,
                failed: 200 - 100 * u64::from(answered),
                requests: 300,
                ..Totals::default()
            };
            let policy = Policy::new(name, Setup::DEFAULT);
            PolicyRun::of(&SETTINGS, policy, cut, steps, totals)
        };
        Storm {
            policies: vec![policy("up", 2), policy("down", 0)],
            ..Storm::of_no_story(SETTINGS)
        }
    }

    #[test]
    fn a_policy_is_found_by_its_name() {
        let storm = storm(None);

        let names = ["up", "down", "other"];
        assert_eq!(
            names.map(|name| storm.is_back(name)),
            [Some(true), Some(false), None]
        );
        assert_eq!(
            names.map(|name| storm.lost(name)),
            [Some(0), Some(200), None]
        );
        let down = storm.policies.iter().map(PolicyRun::stayed_down);
        assert_eq!(down.collect::<Vec<_>>(), [false, true]);
        assert_eq!(storm.policies[0].amplification, 1.5);
    }

    #[test]
    fn a_policy_that_was_not_simulated_to_its_end_has_no_result() {
        let storm = storm(Some(Cut::Requests));

        for run in &storm.policies {
            assert_eq!((run.back_after, run.stayed_down()), (None, false));
            assert_eq!(storm.is_back(&run.policy.name), None);
        }
    }

    #[test]
    fn the_end_is_the_last_quarter() {
        let mut run = run(&SETTINGS, |_| (2, 0));
        run.steps.truncate(10);
        for (step, calls) in run.steps.iter_mut().zip(0..) {
            step.calls = calls;
        }

        let calls: Vec<_> = run.at_end().iter().map(|step| step.calls).collect();

        assert_eq!(calls, [7, 8, 9]);
    }

    #[test]
    fn a_count_over_two_seconds_is_halved_per_second() {
        let run = run(&SETTINGS, |_| (2, 0));

        assert_eq!(per_second(&run.steps[..20], |step| step.calls), 20.0);
        assert_eq!(per_second(&run.steps[..1], |step| step.calls), 20.0);
        assert_eq!(per_second(&[], |step| step.calls), 0.0);
    }
}
