//! The meaning of a storm's counts: one definition for each word and each sign that the
//! lab shows.
//!
//! A call is judged by how it ended. A call that had not ended is not judged, and nothing
//! is concluded from it.

use std::{collections::BTreeMap, time::Duration};

use serde::Serialize;
use wire::nanoseconds;

use super::{Cut, Policy, PolicyRun, STEP, Settings, Step, Storm, Totals};

/// The steps of a second.
const SECOND: usize = 10;

/// The number of seconds that a service must be up to count as recovered.
const STAYS: usize = 2;

/// Whether the service recovered after the incident.
///
/// A second is up if at least nine tenths of the calls that began in it succeeded, and
/// otherwise down. A second without calls is neither. The judgement ends at the first
/// second in which calls that had not ended could still decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Recovery {
    /// At least the last two judged seconds were up.
    Recovered {
        /// The end of the last second that was down, counted from the end of the
        /// incident; zero if none was down.
        #[serde(rename = "after_ns", with = "nanoseconds")]
        after: Duration,
    },
    /// The last judged second was down.
    Down,
    /// Only the last judged second was up, none was judged, or the policy was not
    /// simulated to the end.
    Unknown,
}

/// The calls that began in a stretch of time, in one sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuccessLevel {
    /// No call began.
    NoCalls,
    /// Calls that had not ended could still change the level.
    NotJudged,
    /// The share that succeeded, as [`level`] gives it.
    Level(usize),
}

/// The level that means all.
pub const ALL: usize = 8;

/// A share as a level: 0 is none, [`ALL`] is all, and the others are equal parts between.
#[must_use]
pub fn level(part: f64, of: f64) -> usize {
    match part {
        _ if part <= 0.0 => 0,
        _ if part >= of => ALL,
        _ => ((part / of * (ALL - 1) as f64).ceil() as usize).clamp(1, ALL - 1),
    }
}

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

/// A rate, as a whole number if that is within a twentieth of it. It has more digits if it
/// would otherwise read like another rate `beside` it, or be on the other side of it.
#[must_use]
pub fn rate(rate: f64, beside: f64) -> String {
    let texts = (0..4).map(|digits| [rate, beside].map(|rate| format!("{rate:.digits$}")));
    let is_clear = |[text, other]: &[String; 2]| {
        let [shown, other] = [text, other].map(|text| text.parse().unwrap_or(f64::NAN));
        let is_near = (shown - rate).abs() * 20.0 <= rate;
        is_near && shown.partial_cmp(&other) == rate.partial_cmp(&beside)
    };
    let mut clear = texts.filter(is_clear);
    clear
        .next()
        .map_or_else(|| rate.to_string(), |[text, _]| text)
}

/// The average count per second over these steps.
#[must_use]
pub fn per_second(steps: &[Step], count: fn(&Step) -> u32) -> f64 {
    let seconds = STEP.as_secs_f64() * steps.len().max(1) as f64;
    steps.iter().map(|step| f64::from(count(step))).sum::<f64>() / seconds
}

/// The calls that began in some steps, by how they ended.
#[derive(Clone, Copy)]
struct Calls {
    all: u32,
    succeeded: u32,
    failed: u32,
}

impl Calls {
    fn of(steps: &[Step]) -> Self {
        let sum = |count: fn(&Step) -> u32| steps.iter().map(count).sum();
        Self {
            all: sum(|step| step.calls),
            succeeded: sum(|step| step.answered),
            failed: sum(|step| step.failed),
        }
    }

    /// The judgement that holds whether the calls that had not ended fail or succeed; none
    /// if they decide.
    fn judged<T: PartialEq>(self, by: impl Fn(u32) -> T) -> Option<T> {
        let worst = by(self.succeeded);
        (worst == by(self.all - self.failed)).then_some(worst)
    }

    fn is_up(self) -> Option<bool> {
        self.judged(|succeeded| u64::from(succeeded) * 10 >= u64::from(self.all) * 9)
    }

    fn success_level(self) -> SuccessLevel {
        let level = self.judged(|succeeded| level(succeeded.into(), self.all.into()));
        match level {
            _ if self.all == 0 => SuccessLevel::NoCalls,
            None => SuccessLevel::NotJudged,
            Some(level) => SuccessLevel::Level(level),
        }
    }
}

impl Recovery {
    fn of(settings: &Settings, steps: &[Step]) -> Self {
        let after = steps.get(step_of(settings.incident_ends())..);
        let seconds = after.unwrap_or_default().chunks(SECOND).map(Calls::of);
        let judged: Vec<_> = (1_u32..)
            .zip(seconds)
            .filter(|(_, calls)| calls.all > 0)
            .map_while(|(number, calls)| Some((number, calls.is_up()?)))
            .collect();
        let up = judged.iter().rev().take_while(|(_, is_up)| *is_up).count();
        let down = judged.iter().rev().nth(up);
        match up {
            STAYS.. => Self::Recovered {
                after: Duration::from_secs(down.map_or(0, |(number, _)| (*number).into())),
            },
            0 if down.is_some() => Self::Down,
            _ => Self::Unknown,
        }
    }
}

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

    /// The share of the calls that succeeded, of those that ended, in per cent; none if no
    /// call ended.
    #[must_use]
    pub fn success(&self) -> Option<String> {
        let Totals {
            succeeded, failed, ..
        } = self.totals;
        let ended = succeeded + failed;
        (ended > 0).then(|| percent(succeeded, ended))
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

    /// The share of the work at the end whose caller no longer waited, in per cent;
    /// none if there was no such work.
    fn wasted_at_end(&self, settings: &Settings) -> Option<String> {
        let sum = |count: fn(&Step) -> u32| -> u64 {
            let counts = self.at_end(settings).iter().map(count);
            counts.map(u64::from).sum()
        };
        let wasted = sum(|step| step.abandoned);
        (wasted > 0).then(|| percent(wasted, sum(|step| step.worked)))
    }
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
            Recovery::Unknown => None,
        }
    }

    /// The number of calls lost under the policy with this name; none if it was not simulated
    /// to the end.
    #[must_use]
    pub fn lost(&self, name: &str) -> Option<u64> {
        self.simulated(name).map(PolicyRun::lost)
    }

    /// The number of services that recovered.
    #[must_use]
    pub fn result(&self) -> String {
        let all = self.policies.len();
        match self.recovered().count() {
            back if back == all => format!("all {all} services recovered"),
            back => format!("{back} of {all} services recovered"),
        }
    }

    /// What the pictures do not show clearly, in sentences.
    #[must_use]
    pub fn happened(&self) -> String {
        let cut = self.policies.iter().find_map(|run| {
            let why = run.cut?.why()?;
            Some(format!("\"{}\" was cut short: {why}.", run.policy.name))
        });
        let sentences = [
            cut,
            self.not_judged(),
            self.lost_calls(),
            self.wasted_work(),
        ];
        let sentences: Vec<_> = sentences.into_iter().flatten().collect();
        sentences.join(" ")
    }

    fn recovered(&self) -> impl Iterator<Item = &PolicyRun> {
        let is_back = |run: &&PolicyRun| matches!(run.recovery, Recovery::Recovered { .. });
        self.policies.iter().filter(is_back)
    }

    /// The calls that had not ended, if they are a twentieth of all or decide the result.
    fn not_judged(&self) -> Option<String> {
        let open = self.policies.iter().filter(|run| {
            let decides = run.recovery == Recovery::Unknown && run.totals.in_flight > 0;
            run.cut.is_none() && (decides || run.totals.in_flight * 20 > run.totals.calls)
        });
        let counts = under(open, |run| {
            Some(format!("{} of {}", run.totals.in_flight, run.totals.calls))
        })?;
        Some(format!(
            "Not judged, because the calls had not ended: {counts}."
        ))
    }

    /// The policies with the fewest and the most lost calls, of those that recovered.
    fn lost_calls(&self) -> Option<String> {
        let least = self.recovered().map(PolicyRun::lost).min()?;
        let most = self.recovered().map(PolicyRun::lost).max()?;
        let with = |lost| {
            let runs = self.recovered().filter(move |run| run.lost() == lost);
            names(runs.map(|run| &*run.policy.name))
        };
        let of_these = if self.recovered().count() == self.policies.len() {
            "Of all rows"
        } else {
            "Of those that recovered"
        };
        (least < most).then(|| {
            format!(
                "{of_these}, {} lost the fewest calls ({least}), {} the most ({most}).",
                with(least),
                with(most)
            )
        })
    }

    /// The wasted work of each service that stayed down.
    fn wasted_work(&self) -> Option<String> {
        let down = self.policies.iter();
        let down = down.filter(|run| run.recovery == Recovery::Down);
        let shares = under(down, |run| Some(run.wasted_at_end(&self.settings)? + " %"))?;
        Some(format!(
            "Wasted work at the end, as its caller no longer waited: {shares}."
        ))
    }
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

/// Names in quotes, with "and" between them.
fn names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<_> = names.map(|name| format!("\"{name}\"")).collect();
    names.join(" and ")
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

fn step_of(moment: Duration) -> usize {
    usize::try_from(moment.as_nanos().div_ceil(STEP.as_nanos())).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;
    use crate::{Incident, Setup, storm_ending};

    /// Steps of a few calls each, some of which have not ended, mostly of one kind for some
    /// seconds.
    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let stretch = (0_u32..4, 0_u32..=20, 0_u32..=20, 1_usize..40);
        let stretch = stretch.prop_map(|(calls, good, open, steps)| {
            let step = |number: u32| {
                let is = |share: u32, from: u32| (number * 7 + from) % 20 < share;
                let open = u32::from(is(open / 8, 3)).min(calls);
                let answered = if is(good, 0) { calls - open } else { 0 };
                Step {
                    calls,
                    answered,
                    failed: calls - open - answered,
                    worked: 2 * calls,
                    abandoned: number % 2 * calls,
                    ..Step::default()
                }
            };
            (0..).map(step).take(steps).collect::<Vec<_>>()
        });
        vec(stretch, 1..8).prop_map(|stretches| stretches.concat())
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
        let policy = Policy {
            name: name.to_string().into(),
            ..Policy::new("", Setup::DEFAULT)
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

    /// The share of calls that succeed in each second after the incident, if every call that
    /// had not ended ends so; none for a second without calls.
    fn shares(settings: &Settings, steps: &[Step], succeed: bool) -> Vec<Option<f64>> {
        let after = settings.incident_ends().as_millis() as usize / 100;
        let steps = completed(steps, succeed);
        let seconds = steps.get(after..).unwrap_or_default().chunks(10);
        let share = |second: &[Step]| {
            let calls: u32 = second.iter().map(|step| step.calls).sum();
            let good: u32 = second.iter().map(|step| step.answered).sum();
            (calls > 0).then(|| f64::from(good) / f64::from(calls))
        };
        seconds.map(share).collect()
    }

    proptest! {
        #[test]
        fn recovered_and_down_are_what_the_judged_seconds_show(
            settings in settings(),
            steps in steps(),
        ) {
            let recovery = run(&settings, 0, steps.clone()).recovery;

            let [worst, best] = [false, true].map(|good| shares(&settings, &steps, good));
            let up = |share: &Option<f64>| share.map(|share| share >= 0.9);
            let seconds = worst.iter().map(up).zip(best.iter().map(up));
            let judged: Vec<_> = seconds
                .take_while(|(worst, best)| worst == best)
                .map(|(worst, _)| worst)
                .collect();
            let ups: Vec<_> = judged.iter().copied().flatten().collect();
            let last_down = judged.iter().rposition(|up| *up == Some(false));
            match recovery {
                Recovery::Recovered { after } => {
                    prop_assert!(ups.ends_with(&[true, true]));
                    let seconds = last_down.map_or(0, |number| number + 1);
                    prop_assert_eq!(after, Duration::from_secs(seconds as u64));
                }
                Recovery::Down => prop_assert_eq!(ups.last(), Some(&false)),
                Recovery::Unknown => prop_assert!(ups.is_empty()
                    || (ups.ends_with(&[true]) && !ups.ends_with(&[true, true]))),
            }
        }

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
            rate in 0.01..500.0_f64,
            off in -0.2..0.2_f64,
        ) {
            let shown: f64 = super::rate(rate, rate + off).parse()?;

            prop_assert!((shown - rate).abs() <= rate / 20.0);
            let digits = super::rate(rate, rate + off);
            let digits = digits.split('.').nth(1).map_or(0, str::len);
            let other: f64 = format!("{:.digits$}", rate + off).parse()?;
            prop_assert_eq!(shown.partial_cmp(&other), rate.partial_cmp(&(rate + off)));
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

            let (back, down): (Vec<_>, Vec<_>) = storm.policies.iter()
                .filter(|run| run.recovery != Recovery::Unknown)
                .partition(|run| storm.is_back(&run.policy.name) == Some(true));
            let quoted = |runs: &[&PolicyRun]| {
                let names: Vec<_> = runs.iter().map(|run| format!("\"{}\"", run.policy.name)).collect();
                names.join(" and ")
            };
            let result = storm.result();
            prop_assert_eq!(result.starts_with("all"), back.len() == storm.policies.len());
            prop_assert!(result.contains(&back.len().to_string()));
            let losses = back.iter().map(|run| run.lost());
            let ends = losses.clone().min().zip(losses.max());
            let differ = ends.filter(|(least, most)| least < most);
            prop_assert_eq!(said.contains("the fewest calls"), differ.is_some());
            if let Some((least, most)) = differ {
                let with = |lost| -> Vec<_> {
                    back.iter().copied().filter(|run| run.lost() == lost).collect()
                };
                let [few, many] = [with(least), with(most)].map(|runs| quoted(&runs));
                let sentence = format!("{few} lost the fewest calls ({least}), {many} the most ({most}).");
                prop_assert!(said.contains(&sentence), "{}", said);
            }
            for run in &storm.policies {
                let name = format!("\"{}\"", run.policy.name);
                let is_down = down.iter().any(|other| other.policy.name == run.policy.name);
                if run.totals.in_flight == 0 {
                    let open = said.split("had not ended: ").nth(1).unwrap_or_default();
                    let open = open.split('.').next().unwrap_or_default();
                    prop_assert!(!open.contains(&name), "{}", said);
                }
                let words = storm_ending(run).words;
                prop_assert_eq!(words.starts_with("still"), is_down);
                prop_assert_eq!(words == "no call lost", run.lost() == 0
                    && storm.is_back(&run.policy.name) == Some(true));
                let shown = run.success().map(|share| share == "100");
                prop_assert!(shown.is_none_or(|all| all == (run.lost() == 0)));
            }
        }
    }

    #[test]
    fn waste_is_that_of_each_row_and_the_end_begins_after_the_incident() {
        let row = |name, abandoned| {
            let step = |number: usize| Step {
                calls: 1,
                failed: 1,
                worked: 4,
                abandoned: if number < 487 { 4 } else { abandoned },
                ..Step::default()
            };
            run(&Settings::DEFAULT, name, (0..600).map(step).collect())
        };
        let storm = Storm {
            policies: vec![row(1, 4), row(2, 0), row(3, 1), row(4, 4)],
            ..Storm::of_no_story(Settings::DEFAULT)
        };

        assert_eq!(
            storm.happened(),
            "Wasted work at the end, as its caller no longer waited: 100 % under \"1\" and \"4\", 25 % under \
             \"3\"."
        );
        // Of the 45 s after the incident, the last quarter.
        assert_eq!(storm.policies[0].at_end(&Settings::DEFAULT).len(), 113);
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
            let ending = storm_ending(&run).words;
            assert_eq!((run.recovery, &*ending), (Recovery::Unknown, words));
            let storm = Storm {
                policies: vec![run],
                ..Storm::of_no_story(Settings::DEFAULT)
            };
            assert_eq!((storm.is_back("7"), storm.lost("7")), (None, None));
            assert_eq!(storm.happened().is_empty(), cut == Cut::Cancelled);
        }
        assert_eq!(storm_ending(&whole).words, "no call lost");
        assert_eq!(
            whole.at_end_per_second(&Settings::DEFAULT, |step| step.calls),
            None
        );
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
