//! The meaning of a storm's counts: one definition for each word and each sign that the
//! lab shows.
//!
//! A call is judged by how it ended. A call that had not ended is not judged: the words of
//! recovery and the ranks hold however it ends. Only the share of the calls that succeeded
//! counts it, as one that has not.

use std::{collections::BTreeMap, time::Duration};

use super::{
    Cut, Lead, PolicyRun, Recovery, STEP, Settings, Step, Storm, StormPolicy, SuccessLevel, Totals,
    calls::Calls, step::step_of,
};

/// A share in per cent. It shows 0 only for none and 100 only for all: otherwise it has
/// one digit more.
#[must_use]
pub fn percent(part: u64, of: u64) -> String {
    let percent = 100.0 * part as f64 / of.max(1) as f64;
    match (percent.round(), part) {
        (0.0, 1..) => format!("{:.1}", percent.max(0.1)),
        (100.0, _) if part < of => format!("{:.1}", percent.min(99.9)),
        _ => format!("{percent:.0}"),
    }
}

/// A rate, as a whole number if that is within a twentieth of it, and with up to three digits
/// after the point otherwise. It has more digits, up to three, if it would otherwise read like
/// another rate `beside` it, or be on the other side of it.
#[must_use]
pub fn rate(rate: f64, beside: f64) -> String {
    let is_clear = |digits: &usize| {
        let [shown, other] = [rate, beside].map(|rate| rounded(rate, *digits));
        let is_near = (shown - rate).abs() * 20.0 <= rate;
        is_near && shown.partial_cmp(&other) == rate.partial_cmp(&beside)
    };
    let digits = (0..3).find(is_clear).unwrap_or(3);
    format!("{rate:.digits$}")
}

/// A moment or a length exactly, in seconds: two different ones never read alike.
#[must_use]
pub fn moment(moment: Duration) -> String {
    format!("{} s", moment.as_secs_f64())
}

/// The state of a service that was down at the end of its storm: a longer storm might show
/// that it recovers.
pub(super) fn down_at(run: &PolicyRun) -> String {
    let length = STEP * u32::try_from(run.steps.len()).unwrap_or(u32::MAX);
    format!("down at {}", moment(length))
}

/// A number as text with so many digits shows it.
fn rounded(number: f64, digits: usize) -> f64 {
    format!("{number:.digits$}").parse().unwrap_or(f64::NAN)
}

/// The average count per second over these steps.
#[must_use]
pub fn per_second(steps: &[Step], count: fn(&Step) -> u32) -> f64 {
    let seconds = STEP.as_secs_f64() * steps.len().max(1) as f64;
    steps.iter().map(|step| f64::from(count(step))).sum::<f64>() / seconds
}

impl PolicyRun {
    /// The results of a policy in a storm with these settings.
    #[must_use]
    pub fn of(
        settings: &Settings,
        policy: StormPolicy,
        cut: Option<Cut>,
        steps: Vec<Step>,
        totals: Totals,
    ) -> Self {
        Self {
            policy,
            cut,
            recovery: match cut {
                Some(_) => Recovery::Unknown,
                None => Recovery::of(settings, &steps),
            },
            amplification: totals.requests as f64 / totals.calls.max(1) as f64,
            steps,
            totals,
        }
    }

    /// The number of calls that ended without success.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.totals.failed
    }

    /// The share of all calls that succeeded, in per cent; none if there were no calls.
    #[must_use]
    pub fn success(&self) -> Option<String> {
        let Totals {
            calls, succeeded, ..
        } = self.totals;
        (calls > 0).then(|| percent(succeeded, calls))
    }

    /// The steps at the end: the last quarter of the time after the incident.
    #[must_use]
    pub fn at_end(&self, settings: &Settings) -> &[Step] {
        let after = step_of(settings.incident_ends());
        let end = after + settings.steps().saturating_sub(after) * 3 / 4;
        self.steps.get(end..).unwrap_or_default()
    }

    /// The average count per second at the end; none if it was not simulated so far.
    #[must_use]
    pub fn at_end_per_second(&self, settings: &Settings, count: fn(&Step) -> u32) -> Option<f64> {
        let end = self.at_end(settings);
        (!end.is_empty()).then(|| per_second(end, count))
    }

    /// The same as text.
    #[must_use]
    pub fn at_end_rate(&self, settings: &Settings, count: fn(&Step) -> u32) -> Option<String> {
        let found = self.at_end_per_second(settings, count)?;
        Some(rate(found, found))
    }

    /// The calls of each column of this many steps.
    #[must_use]
    pub fn success_levels(&self, steps_per_column: usize) -> Vec<SuccessLevel> {
        let columns = self.steps.chunks(steps_per_column.max(1));
        columns
            .map(|steps| Calls::of(steps).success_level())
            .collect()
    }

    /// The retries in the step with the most.
    #[must_use]
    pub fn retry_peak(&self) -> u32 {
        let most = self.steps.iter().map(|step| step.retries).max();
        most.unwrap_or(0)
    }

    /// The number of calls lost if all that had not ended fail.
    fn most_lost(&self) -> u64 {
        self.totals.failed + self.totals.in_flight
    }

    /// Whether this policy loses fewer calls than another one, by more than chance explains, and
    /// however the calls end that had not ended.
    fn loses_clearly_fewer(&self, other: &Self) -> bool {
        is_clearly_less(self.most_lost(), other.lost())
    }
}

/// Texts with "and" before the last.
pub(super) fn joined(texts: &[String]) -> String {
    match texts {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => texts.join(""),
    }
}

/// Two numbers as one text; once if they are the same.
fn range(least: String, most: String) -> String {
    if least == most {
        least
    } else {
        format!("{least} to {most}")
    }
}

/// Whether chance does not explain the difference between two counts of calls lost to the same
/// incident.
pub(super) fn is_fewer(less: u64, more: u64) -> bool {
    let (less, more) = (less as f64, more as f64);
    more - less > 2.0 * (less + more).sqrt()
}

/// Whether chance does not explain the difference between two counts of lost calls.
///
/// Calls are lost in bursts, so the counts of two seeds differ by far more than those of
/// independent losses would. Over twenty seeds of each story, two policies change places up to
/// a factor of 2.1.
pub(super) fn is_clearly_less(less: u64, more: u64) -> bool {
    let (less, more) = (less as f64, more as f64);
    more > 2.5 * less && more - less > 5.0 * (less + more).sqrt()
}

impl Storm {
    /// The run of the policy with this name; none if it was not simulated to the end.
    #[must_use]
    pub fn simulated(&self, name: &str) -> Option<&PolicyRun> {
        let mut runs = self.policies.iter();
        runs.find(|run| run.policy.name == name && run.cut.is_none())
    }

    /// Whether the service recovered under the policy with this name; none if that is not
    /// known.
    #[must_use]
    pub fn is_back(&self, name: &str) -> Option<bool> {
        match self.simulated(name)?.recovery {
            Recovery::Recovered { .. } => Some(true),
            Recovery::Down => Some(false),
            Recovery::NotUpBefore | Recovery::NoIncident | Recovery::Unknown => None,
        }
    }

    /// The number of calls lost under the policy with this name; none if it was not simulated
    /// to the end.
    #[must_use]
    pub fn lost(&self, name: &str) -> Option<u64> {
        self.simulated(name).map(PolicyRun::lost)
    }

    /// The number of calls lost under the policy with this name if all that had not ended fail;
    /// none if it was not simulated to the end.
    #[must_use]
    pub fn most_lost(&self, name: &str) -> Option<u64> {
        self.simulated(name).map(PolicyRun::most_lost)
    }

    /// The result in a phrase: the figure that the story is about, of all policies.
    #[must_use]
    pub fn result(&self) -> String {
        let counts = |count: fn(&PolicyRun) -> u64| {
            let counts = self.policies.iter().map(count);
            let least = counts.clone().min().unwrap_or(0);
            let most = counts.max().unwrap_or(0);
            range(least.to_string(), most.to_string())
        };
        match self.story.leads_with {
            Lead::Recovery => {
                let all = self.policies.len();
                match self.recovered().count() {
                    back if back == all => format!("all {all} services recovered"),
                    back => format!("{back} of {all} services recovered"),
                }
            }
            Lead::LostCalls => format!("{} calls lost", counts(PolicyRun::lost)),
            Lead::RetryPeak => {
                let peaks = counts(|run| run.retry_peak().into());
                format!("a peak of {peaks} retries in 0.1 s")
            }
        }
    }

    /// Sentences about facts that the pictures do not show clearly.
    #[must_use]
    pub fn happened(&self) -> String {
        let cut = self.policies.iter().find_map(|run| {
            let why = run.cut?.why()?;
            Some(format!("\"{}\" was cut short: {why}.", run.policy.name))
        });
        let causes = self.causes();
        // Where a service is down, its cause says more than the number of lost calls.
        let lost_calls = self.lost_calls().filter(|_| causes.is_none());
        let sentences = [cut, causes, lost_calls, self.not_known()];
        let sentences: Vec<_> = sentences.into_iter().flatten().collect();
        sentences.join(" ")
    }

    fn recovered(&self) -> impl Iterator<Item = &PolicyRun> {
        let is_back = |run: &&PolicyRun| matches!(run.recovery, Recovery::Recovered { .. });
        self.policies.iter().filter(is_back)
    }

    /// The calls that had not ended, where they leave open whether the service recovered.
    fn not_known(&self) -> Option<String> {
        let open = self.policies.iter().filter(|run| {
            run.cut.is_none() && run.recovery == Recovery::Unknown && run.totals.in_flight > 0
        });
        let counts = under(open, |run| {
            Some(format!("{} of {}", run.totals.in_flight, run.totals.calls))
        })?;
        Some(format!("Calls that had not ended: {counts}."))
    }

    /// The policies that lose few calls, and those that lose many: each of the first loses
    /// clearly fewer than each of the second, no policy loses
    /// clearly fewer than the first, and the second lose clearly fewer than no policy. None if
    /// there are no such policies.
    #[must_use]
    pub fn ranked(&self) -> Option<(Vec<&PolicyRun>, Vec<&PolicyRun>)> {
        let runs = || self.policies.iter().filter(|run| run.cut.is_none());
        let is_beaten = |run: &PolicyRun| runs().any(|other| other.loses_clearly_fewer(run));
        let is_better = |run: &PolicyRun| runs().any(|other| run.loses_clearly_fewer(other));
        let many: Vec<_> = runs()
            .filter(|run| is_beaten(run) && !is_better(run))
            .collect();
        let beats_all_of_many =
            |run: &PolicyRun| many.iter().all(|other| run.loses_clearly_fewer(other));
        let few: Vec<_> = runs()
            .filter(|run| is_better(run) && !is_beaten(run) && beats_all_of_many(run))
            .collect();
        (!few.is_empty()).then_some((few, many))
    }

    /// The policies with the fewest lost calls or those with the most, whichever are at most
    /// half of all; or the policies with few lost calls beside all others.
    fn lost_calls(&self) -> Option<String> {
        let (few, many) = self.ranked()?;
        let is_short = |group: &[&PolicyRun]| group.len() * 2 <= self.policies.len();
        let are_whole = self.policies.iter().all(|run| run.cut.is_none());
        let more_than_all = self
            .all_but(&many)
            .all(|other| many.iter().all(|run| other.loses_clearly_fewer(run)));
        let (few_lost, many_lost) = (with_losses(&few), with_losses(&many));
        let others = self.all_but(&few).filter(|run| run.cut.is_none());
        let (others, unclear): (Vec<_>, Vec<_>) =
            others.partition(|other| few.iter().all(|run| run.loses_clearly_fewer(other)));
        Some(if are_whole && unclear.is_empty() && is_short(&few) {
            format!("Fewest calls lost: {few_lost}.")
        } else if are_whole && more_than_all && is_short(&many) {
            format!("Most calls lost: {many_lost}.")
        } else {
            let more_lost = with_losses(&others);
            let unclear = (!unclear.is_empty())
                .then(|| format!("; not clearly fewer than under {}", with_losses(&unclear)));
            let unclear = unclear.unwrap_or_default();
            format!("Fewer calls lost under {few_lost} than under {more_lost}{unclear}.")
        })
    }

    fn all_but<'a>(&'a self, group: &'a [&PolicyRun]) -> impl Iterator<Item = &'a PolicyRun> {
        let is_other = |run: &&PolicyRun| !group.iter().any(|member| std::ptr::eq(*member, *run));
        self.policies.iter().filter(is_other)
    }

    /// The policies that the question asks for: those that recovered, or those with the fewest
    /// lost calls in a story about calls; none if the storm does not tell.
    #[must_use]
    pub fn right_guess(&self) -> Option<Vec<&str>> {
        let runs: Vec<_> = match self.story.leads_with {
            Lead::Recovery => {
                let mut runs = self.policies.iter();
                let all_are_known = runs.all(|run| self.is_back(&run.policy.name).is_some());
                all_are_known.then(|| self.recovered().collect())?
            }
            Lead::LostCalls | Lead::RetryPeak => self.ranked()?.0,
        };
        Some(runs.iter().map(|run| &*run.policy.name).collect())
    }
}

/// The names of these policies, each with its lost calls.
fn with_losses(runs: &[&PolicyRun]) -> String {
    let texts = runs
        .iter()
        .map(|run| format!("\"{}\" ({})", run.policy.name, run.lost()));
    joined(&texts.collect::<Vec<_>>())
}

/// A figure of some policies, each with the names of the policies that have it; none if no
/// policy has one.
fn under<'a>(
    runs: impl Iterator<Item = &'a PolicyRun>,
    figure: impl Fn(&PolicyRun) -> Option<String>,
) -> Option<String> {
    let mut by_figure = BTreeMap::<_, Vec<_>>::new();
    for run in runs {
        if let Some(figure) = figure(run) {
            by_figure.entry(figure).or_default().push(&*run.policy.name);
        }
    }
    let parts = by_figure.into_iter();
    let parts = parts.map(|(figure, of)| format!("{figure} under {}", names(of.into_iter())));
    let parts: Vec<_> = parts.collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Names in quotes, with "and" before the last.
pub(super) fn names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<_> = names.map(|name| format!("\"{name}\"")).collect();
    joined(&names)
}

impl Cut {
    /// Why the lab cut a run short; none if it was cancelled.
    #[must_use]
    pub fn why(self) -> Option<&'static str> {
        match self {
            Self::Cancelled => None,
            Self::Requests => {
                Some("it reached a million requests, the most that the lab simulates")
            }
            Self::InFlight => Some("5000 calls were in flight, the most that the lab simulates"),
        }
    }
}

impl Settings {
    /// The number of steps of the whole storm.
    #[must_use]
    pub fn steps(&self) -> usize {
        step_of(self.length)
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;
    use crate::{ALL, Incident, STEP, Setup, StoryWords, storm_ending};

    /// Steps of a few calls each, some of which have not ended, mostly of one kind for some
    /// seconds.
    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let part = (0_u32..4, 0_u32..=20, 0_u32..=20, 1_usize..40);
        let part = part.prop_map(|(calls, good, open, steps)| {
            let step = |number: u32| {
                let is = |share: u32, from: u32| (number * 7 + from) % 20 < share;
                let open = u32::from(is(open / 8, 3)).min(calls);
                let answered = if is(good, 0) { calls - open } else { 0 };
                Step {
                    calls,
                    answered,
                    failed: calls - open - answered,
                    goodput: answered,
                    worked: 2 * calls,
                    abandoned: number % 2 * calls,
                    ..Step::default()
                }
            };
            (0..).map(step).take(steps).collect::<Vec<_>>()
        });
        vec(part, 1..8).prop_map(|parts| parts.concat())
    }

    fn settings() -> impl Strategy<Value = Settings> {
        (any::<bool>(), 0_u64..60, 0_u64..60).prop_map(|(is_quiet, starts, lasts)| Settings {
            incident: if is_quiet {
                Incident::None
            } else {
                Incident::Cut
            },
            incident_starts: STEP * starts as u32,
            incident_lasts: STEP * lasts as u32,
            ..Settings::DEFAULT
        })
    }

    fn run(settings: &Settings, name: usize, steps: Vec<Step>) -> PolicyRun {
        let sum = |count: fn(&Step) -> u32| steps.iter().map(count).map(u64::from).sum();
        let totals = Totals {
            calls: sum(|step| step.calls),
            succeeded: sum(|step| step.answered),
            failed: sum(|step| step.failed),
            in_flight: sum(|step| step.calls - step.answered - step.failed),
            ..Totals::default()
        };
        let policy = StormPolicy {
            name: name.to_string().into(),
            ..StormPolicy::new("", Setup::DEFAULT)
        };
        PolicyRun::of(settings, policy, None, steps, totals)
    }

    /// The same steps if every call that had not ended ends so.
    fn completed(steps: &[Step], succeed: bool) -> Vec<Step> {
        let mut steps = steps.to_vec();
        for step in &mut steps {
            if succeed {
                step.answered = step.calls - step.failed;
            } else {
                step.failed = step.calls - step.answered;
            }
        }
        steps
    }

    proptest! {
        #[test]
        fn a_shade_shows_none_and_all_exactly_and_no_call_that_has_not_ended(
            steps in steps(),
            width in 1_usize..30,
        ) {
            let run = run(&Settings::DEFAULT, 0, steps.clone());
            let [worst, best] = [false, true].map(|good| completed(&steps, good));

            let columns = steps.chunks(width).zip(worst.chunks(width)).zip(best.chunks(width));
            for (success_level, ((steps, worst), best)) in run.success_levels(width).into_iter().zip(columns) {
                let sum = |steps: &[Step]| steps.iter().map(|step| step.answered).sum::<u32>();
                let calls: u32 = steps.iter().map(|step| step.calls).sum();
                let share = |good: u32| f64::from(good) / f64::from(calls);
                let [low, high] = [worst, best].map(sum);
                match success_level {
                    SuccessLevel::NoCalls => prop_assert_eq!(calls, 0),
                    SuccessLevel::NotJudged => prop_assert!(low < high),
                    SuccessLevel::Level(level) => {
                        prop_assert!(calls > 0);
                        prop_assert_eq!(level == 0, high == 0);
                        prop_assert_eq!(level == ALL, low == calls);
                        let between = (level as f64 - 1.0) / 7.0..=level as f64 / 7.0;
                        prop_assert!(level % ALL == 0
                            || [low, high].into_iter().all(|good| between.contains(&share(good))));
                    }
                }
            }
        }

        #[test]
        fn a_share_reads_none_or_all_only_if_it_is(part in 0_u64..3_000, more in 0_u64..3_000) {
            let of = part + more;
            let text = percent(part, of);

            let shown: f64 = text.parse()?;
            prop_assert!((shown - 100.0 * part as f64 / of.max(1) as f64).abs() <= 0.5);
            prop_assert_eq!(shown == 0.0, part == 0);
            prop_assert_eq!(shown == 100.0, more == 0 && of > 0);
        }

        #[test]
        fn a_rate_reads_near_its_value_and_on_its_side_of_the_other(
            rate in 0.02..500.0_f64,
            off in -0.2..0.2_f64,
        ) {
            let text = super::rate(rate, rate + off);
            let shown: f64 = text.parse()?;

            prop_assert!((shown - rate).abs() <= rate / 20.0 + 1e-9);
            let digits = text.split('.').nth(1).map_or(0, str::len);
            prop_assert!(digits <= 3, "{}", text);
            let other: f64 = format!("{:.digits$}", rate + off).parse()?;
            if off.abs() >= 0.001 {
                prop_assert_eq!(shown.partial_cmp(&other), rate.partial_cmp(&(rate + off)));
            }
        }

        #[test]
        fn every_sentence_names_the_rows_that_it_is_true_of(
            settings in settings(),
            rows in vec(steps(), 1..5),
        ) {
            let runs = rows.into_iter().enumerate();
            let storm = Storm {
                policies: runs.map(|(name, steps)| run(&settings, name, steps)).collect(),
                ..Storm::of_no_story(settings)
            };
            let said = storm.happened();

            let back = storm.policies.iter()
                .filter(|run| storm.is_back(&run.policy.name) == Some(true));
            let result = storm.result();
            prop_assert_eq!(result.starts_with("all"), back.clone().count() == storm.policies.len());
            prop_assert!(result.contains(&back.count().to_string()));
            let lost = storm.lost_calls();
            let all_are_up = storm.causes().is_none();
            prop_assert!(lost.as_ref().is_none_or(|lost| said.contains(lost) == all_are_up));
            assert_ranks_hold(&storm, lost.as_deref())?;
            for run in &storm.policies {
                let name = format!("\"{}\"", run.policy.name);
                let is_down = run.recovery == Recovery::Down;
                if run.totals.in_flight == 0 {
                    let open = said.split("that had not ended: ").nth(1).unwrap_or_default();
                    let open = open.split('.').next().unwrap_or_default();
                    prop_assert!(!open.contains(&name), "{}", said);
                }
                let words = storm_ending(Lead::Recovery, run).words;
                prop_assert_eq!(words.starts_with("down at "), is_down);
                let causes = storm.causes().unwrap_or_default();
                let has_an_end = !run.at_end(&settings).is_empty();
                prop_assert_eq!(causes.contains(&name), is_down && has_an_end, "{}", causes);
                let has_succeeded = run.at_end(&settings).iter().any(|step| step.goodput > 0);
                let cause = run.cause(&settings).unwrap_or_default();
                let is_dead = is_down && has_an_end && !has_succeeded;
                prop_assert_eq!(cause.contains("no call succeeds"), is_dead, "{}", cause);
                let is_alive = is_down && has_an_end && has_succeeded;
                prop_assert_eq!(cause.contains(" calls/s succeed"), is_alive, "{}", cause);
                let is_quiet = run.recovery == Recovery::NoIncident;
                prop_assert_eq!(words == "no call lost", run.lost() == 0 && is_quiet);
                let led = storm_ending(Lead::LostCalls, run).words;
                let may_praise = is_quiet || matches!(run.recovery, Recovery::Recovered { .. });
                prop_assert_eq!(led == "no call lost", run.lost() == 0 && may_praise);
                let all_succeeded = run.lost() == 0 && run.totals.in_flight == 0;
                let shown = run.success().map(|share| share == "100");
                prop_assert!(shown.is_none_or(|all| all == all_succeeded));
                let [worst, best] = [false, true].map(|good| completed(&run.steps, good));
                let succeeded = |steps: &[Step]| {
                    let good: u32 = steps.iter().map(|step| step.answered).sum();
                    percent(good.into(), run.totals.calls)
                };
                if let Some(share) = run.success() {
                    // An open call counts like a lost one.
                    prop_assert_eq!(&share, &succeeded(&worst));
                    let [share, best] = [share, succeeded(&best)].map(|text| text.parse::<f64>());
                    prop_assert!(share? <= best?);
                }
            }
        }
    }

    /// Checks that a sentence about lost calls is true however the calls end that had not
    /// ended, and that there is one if a policy stands out.
    fn assert_ranks_hold(storm: &Storm, said: Option<&str>) -> Result<(), TestCaseError> {
        let named = |list: &str| {
            let is_named = |run: &&PolicyRun| list.contains(&format!("\"{}\"", run.policy.name));
            let (named, others): (Vec<_>, Vec<_>) = storm.policies.iter().partition(is_named);
            (named, others)
        };
        let (few, many) = match said {
            None => {
                let stands_out = |run: &PolicyRun, beats: fn(&PolicyRun, &PolicyRun) -> bool| {
                    let others = storm.policies.iter().filter(|other| *other != run);
                    others.clone().count() > 0 && others.into_iter().all(|other| beats(run, other))
                };
                for run in &storm.policies {
                    prop_assert!(!stands_out(run, PolicyRun::loses_clearly_fewer));
                    prop_assert!(!stands_out(run, |run, other| other.loses_clearly_fewer(run)));
                }
                return Ok(());
            }
            Some(said) => {
                if let Some(fewest) = said.strip_prefix("Fewest calls lost: ") {
                    let (few, many) = named(fewest);
                    prop_assert!(few.len() <= many.len(), "{}", said);
                    (few, many)
                } else if let Some(most) = said.strip_prefix("Most calls lost: ") {
                    let (many, few) = named(most);
                    prop_assert!(many.len() <= few.len(), "{}", said);
                    (few, many)
                } else {
                    let groups = said.strip_prefix("Fewer calls lost under ");
                    let groups = groups.and_then(|groups| groups.split_once(" than under "));
                    let (few, many) = groups.expect("two groups");
                    let (many, unclear) = many
                        .split_once("; not clearly fewer than under ")
                        .unwrap_or((many, ""));
                    let [few, many, unclear] = [few, many, unclear].map(|list| named(list).0);
                    prop_assert_eq!(
                        few.len() + many.len() + unclear.len(),
                        storm.policies.len(),
                        "{}",
                        said
                    );
                    for other in unclear {
                        prop_assert!(!few.iter().all(|run| run.loses_clearly_fewer(other)));
                    }
                    (few, many)
                }
            }
        };
        prop_assert!(!few.is_empty() && !many.is_empty());
        for (few, many) in few
            .iter()
            .flat_map(|few| many.iter().map(move |many| (few, many)))
        {
            let (worst, best) = (completed(&few.steps, false), completed(&many.steps, true));
            let lost = |steps: &[Step]| steps.iter().map(|step| u64::from(step.failed)).sum();
            prop_assert!(is_clearly_less(lost(&worst), lost(&best)), "{:?}", said);
        }
        Ok(())
    }

    #[test]
    fn a_policy_that_was_not_simulated_to_its_end_has_no_result() {
        let calls = Step {
            calls: 1,
            answered: 1,
            ..Step::default()
        };
        let whole = run(&Settings::DEFAULT, 7, vec![calls; 300]);
        for (cut, words) in [
            (Cut::Cancelled, "cancelled"),
            (Cut::Requests, "cut short"),
            (Cut::InFlight, "cut short"),
        ] {
            let PolicyRun {
                policy,
                steps,
                totals,
                ..
            } = whole.clone();
            let run = PolicyRun::of(&Settings::DEFAULT, policy, Some(cut), steps, totals);
            let ending = storm_ending(Lead::Recovery, &run).words;
            assert_eq!((run.recovery, &*ending), (Recovery::Unknown, words));
            let storm = Storm {
                policies: vec![run],
                ..Storm::of_no_story(Settings::DEFAULT)
            };
            assert_eq!((storm.is_back("7"), storm.lost("7")), (None, None));
            assert_eq!(storm.happened().is_empty(), cut == Cut::Cancelled);
        }
        assert_eq!(storm_ending(Lead::Recovery, &whole).words, "back at once");
        assert_eq!(
            whole.at_end_per_second(&Settings::DEFAULT, |step| step.calls),
            None
        );
    }

    #[test]
    fn policies_are_ranked_only_by_what_chance_does_not_explain() {
        let ranked_with_open = |losses: &[(u64, u64)]| {
            let runs = losses.iter().enumerate().map(|(name, (lost, open))| {
                let mut run = run(&Settings::DEFAULT, name, Vec::new());
                (run.totals.failed, run.totals.in_flight) = (*lost, *open);
                run
            });
            let storm = Storm {
                story: StoryWords {
                    leads_with: Lead::LostCalls,
                    ..StoryWords::default()
                },
                policies: runs.collect(),
                ..Storm::of_no_story(Settings::DEFAULT)
            };
            let guess = storm.right_guess().map(|names| names.join(" "));
            (storm.lost_calls(), guess)
        };
        let ranked = |losses: &[u64]| {
            let losses: Vec<_> = losses.iter().map(|lost| (*lost, 0)).collect();
            ranked_with_open(&losses)
        };

        for (losses, said, guess) in [
            (
                &[1_124, 3_402, 3_369, 1_173, 1_172][..],
                "Most calls lost: \"1\" (3402) and \"2\" (3369).",
                "0 3 4",
            ),
            (
                &[280, 2_789, 2_740, 0],
                "Fewest calls lost: \"3\" (0).",
                "3",
            ),
            (
                &[272, 224, 163, 83],
                "Fewer calls lost under \"3\" (83) than under \"0\" (272) and \"1\" (224); not clearly \
                 fewer than under \"2\" (163).",
                "3",
            ),
        ] {
            let (found, guessed) = ranked(losses);
            assert_eq!(found.as_deref(), Some(said));
            assert_eq!(guessed.as_deref(), Some(guess));
        }
        // The calls that had not ended could turn the order of the first two.
        let (said, guess) = ranked_with_open(&[(52, 525), (316, 161), (25, 1)]);
        assert_eq!(
            said.as_deref(),
            Some(
                "Fewer calls lost under \"2\" (25) than under \"1\" (316); not clearly fewer than \
                 under \"0\" (52)."
            )
        );
        assert_eq!(guess.as_deref(), Some("2"));
        for losses in [&[1_124, 1_173][..], &[0, 20], &[7, 7], &[]] {
            assert_eq!(ranked(losses), (None, None), "{losses:?}");
        }
    }

    #[test]
    fn a_count_over_two_seconds_is_halved_per_second() {
        let calls = Step {
            calls: 2,
            ..Step::default()
        };

        assert_eq!(per_second(&[calls; 20], |step| step.calls), 20.0);
        assert_eq!(per_second(&[calls; 1], |step| step.calls), 20.0);
        assert_eq!(per_second(&[], |step| step.calls), 0.0);
    }
}
