//! The pictures of a storm: one for each policy, all on the same axes.
//!
//! A picture has a column for each stretch of time. The column shows the calls that
//! began, the calls that succeeded, and the requests that the service completed. Some of these
//! requests were useless: their attempts had timed out.

use std::time::Duration;

use render::{Axis, Mark, round};
use serde::Serialize;
use wire::nanoseconds;

use super::{
    readout::moment,
    sentences::{Ending, MarkedRate, break_even, brief, changed, ending, remark},
};
use crate::{
    Incident, Lead, PolicyRun, STEP, Settings, Setup, Step, Storm, StormPolicy, StoryWords,
    per_second, rate,
};

/// The marker at the end of the incident.
const MARK: &str = "▲";

/// The most columns of a picture.
const COLUMNS: usize = 80;

/// The most that an axis of rates shows, as a multiple of the usual load or the capacity:
/// beyond that, a spike would flatten everything else.
const HIGHEST: f64 = 2.5;

/// The leading digits of a round number of steps, or of a round step between two rates,
/// in tenths.
const STEPS: [u64; 4] = [10, 20, 50, 100];

/// The axes of the pictures of a storm, and everything else that they share.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StormFrame {
    /// The axis of time.
    pub axis: Axis,
    /// The number of columns.
    pub columns: usize,
    /// The number of [steps](STEP) in a column.
    pub steps_per_column: usize,
    /// The end of the axis of rates, in calls or requests per second.
    pub top: f64,
    /// The labelled rates.
    pub rates: Vec<MarkedRate>,
    /// A note on values beyond the axis; null if there are none.
    pub beyond: Option<String>,
    /// The requests that the service can process per second.
    pub capacity: MarkedRate,
    /// The incident; null if there was none.
    pub incident: Option<Interval>,
}

/// A part of the axis of time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Interval {
    /// When it began.
    #[serde(rename = "began_ns", with = "nanoseconds")]
    pub began: Duration,
    /// When it ended.
    #[serde(rename = "ended_ns", with = "nanoseconds")]
    pub ended: Duration,
    /// The label at its end.
    pub label: String,
    /// The end of the label that lies at the end of the interval: `start`, or `end` if there is
    /// more room to the left.
    pub anchor: &'static str,
}

/// The result of one policy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StormPicture {
    /// The policy.
    pub policy: String,
    /// The difference from the most similar of the earlier policies; null for the first.
    pub changed: Option<String>,
    /// The load from which the retries of failing calls alone fill the service; null if it is
    /// the capacity.
    pub break_even: Option<MarkedRate>,
    /// The load compared with the capacity under this policy, if the story is about that. Once
    /// it has ended, the requests at the end beside the capacity, and why attempts time out.
    pub remark: String,
    /// The results of its calls in a few figures; empty before it has ended.
    pub brief: String,
    /// How it ended.
    pub ending: Ending,
    /// The curves.
    pub curves: StormCurves,
    /// The same as text, for screen readers.
    pub text: String,
}

/// The curves of a picture: one number per second for each column.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StormCurves {
    /// Calls that began: the load.
    pub load: Vec<f64>,
    /// Calls that succeeded: the goodput.
    pub goodput: Vec<f64>,
    /// Requests that the service completed: the throughput.
    pub throughput: Vec<f64>,
    /// The attempts in flight that a client allowed itself, as a share of the axis of
    /// rates: its whole height is the client's maximum. Empty without a limit.
    pub limit: Vec<f64>,
}

impl StormCurves {
    /// Adds the next columns.
    pub fn extend(&mut self, next: Self) {
        self.load.extend(next.load);
        self.goodput.extend(next.goodput);
        self.throughput.extend(next.throughput);
        self.limit.extend(next.limit);
    }
}

impl StormFrame {
    /// The axes for these settings.
    #[must_use]
    pub fn of(settings: &Settings) -> Self {
        let (steps_per_column, columns) = storm_columns(settings, COLUMNS);
        let capacity = settings.capacity_per_second();
        let most = most(settings);
        let shown = most
            .max(capacity)
            .min(HIGHEST * capacity.max(settings.usual_load()));
        let (top, rates) = rates(shown);
        Self {
            axis: Axis::of_length(settings.length),
            columns,
            steps_per_column,
            top,
            rates,
            beyond: (most > top)
                .then(|| format!("The load of {} calls/s is above the axis.", rate(most, top))),
            capacity: MarkedRate {
                rate: capacity,
                label: format!("capacity, {} requests/s", rate(capacity, capacity)),
            },
            incident: (settings.incident != Incident::None).then(|| incident(settings)),
        }
    }

    /// The curves of these steps, column by column.
    #[must_use]
    pub fn curves(&self, steps: &[Step], setup: &Setup) -> StormCurves {
        let rates = |count: fn(&Step) -> u32| {
            let columns = steps.chunks(self.steps_per_column);
            columns.map(|column| per_second(column, count)).collect()
        };
        let most = f64::from(setup.concurrency.max(1));
        let limits = steps.chunks(self.steps_per_column);
        let limits = limits.filter_map(|column| limit(column).map(|limit| self.top * limit / most));
        StormCurves {
            limit: limits.collect(),
            load: rates(|step| step.calls),
            goodput: rates(|step| step.goodput),
            throughput: rates(|step| step.worked),
        }
    }
}

impl StormPicture {
    /// The pictures of a storm.
    #[must_use]
    pub fn all(storm: &Storm, frame: &StormFrame) -> Vec<Self> {
        let policies = storm.policies.iter().map(|run| run.policy.clone());
        let policies: Vec<_> = policies.collect();
        let begun = Self::begun(&storm.story, &storm.settings, &policies).into_iter();
        let pictures = begun.zip(&storm.policies);
        pictures
            .map(|(picture, run)| {
                picture.ended(storm.story.leads_with, &storm.settings, run, frame)
            })
            .collect()
    }

    /// The pictures of these policies before they are simulated.
    #[must_use]
    #[expect(clippy::indexing_slicing, reason = "`number` is the index of a policy")]
    pub fn begun(story: &StoryWords, settings: &Settings, policies: &[StormPolicy]) -> Vec<Self> {
        let picture = |(number, policy): (usize, &StormPolicy)| Self {
            policy: policy.name.to_string(),
            changed: changed(&policies[..number], policy),
            break_even: story
                .shows_break_even
                .then(|| break_even(settings, policy))
                .flatten(),
            remark: if story.shows_break_even {
                remark(settings, policy)
            } else {
                String::new()
            },
            brief: String::new(),
            ending: Ending {
                mark: Mark::Open,
                words: String::new(),
            },
            curves: StormCurves::default(),
            text: String::new(),
        };
        policies.iter().enumerate().map(picture).collect()
    }

    /// The picture with the result of its policy.
    #[must_use]
    pub fn ended(
        self,
        lead: Lead,
        settings: &Settings,
        run: &PolicyRun,
        frame: &StormFrame,
    ) -> Self {
        let ending = ending(lead, run);
        let cause = run.cause(settings).unwrap_or_default();
        let remark = format!("{} {cause}", self.remark).trim().to_owned();
        let before = before(settings, run).map(|before| {
            let [good, calls] = [|step: &Step| step.goodput, |step: &Step| step.calls]
                .map(|count| rate(per_second(before, count), 0.0));
            format!(" Before the incident {good} of {calls} calls/s succeed.")
        });
        let at_end = |count| run.at_end_rate(settings, count);
        let end = at_end(|step| step.goodput).zip(at_end(|step| step.calls));
        let end = end.zip(at_end(|step| step.worked));
        let end = end.map(|((good, calls), worked)| {
            format!(
                " At the end, {good} of {calls} calls/s succeed, and the service works on \
                 {worked} requests/s."
            )
        });
        let text = format!(
            "{}: {}. {}{}{}",
            self.policy,
            ending.words,
            remark,
            before.unwrap_or_default(),
            end.unwrap_or_default(),
        );
        Self {
            ending,
            remark,
            text,
            brief: brief(run),
            curves: frame.curves(&run.steps, &run.policy.setup),
            ..self
        }
    }
}

/// The attempts in flight that a client allowed itself in these steps, on average; none
/// without a limit.
#[must_use]
pub fn limit(steps: &[Step]) -> Option<f64> {
    let sum: Option<f64> = steps.iter().map(|step| step.limit).sum();
    sum.map(|sum| sum / steps.len().max(1) as f64)
}

/// The number of steps in a column, a round number, if a storm has at most `most`
/// columns; and the number of columns.
#[must_use]
pub fn storm_columns(settings: &Settings, most: usize) -> (usize, usize) {
    let steps = settings.steps().max(1);
    let tenths = 10 * steps.div_ceil(most) as u64;
    let steps_per_column = (round(tenths, &STEPS) / 10) as usize;
    (steps_per_column, steps.div_ceil(steps_per_column))
}

/// The incident, with a label on the side of its end that has more room.
fn incident(settings: &Settings) -> Interval {
    let ended = settings.incident_ends();
    let words = format!("the incident ends at {}", moment(ended));
    let is_late = ended * 2 > settings.length;
    let (label, anchor) = if is_late {
        (format!("{words} {MARK}"), "end")
    } else {
        (format!("{MARK} {words}"), "start")
    };
    Interval {
        began: settings.incident_starts,
        ended,
        label,
        anchor,
    }
}

/// The highest number of calls that begin per second, on average.
fn most(settings: &Settings) -> f64 {
    match settings.incident {
        Incident::Spike => settings.usual_load() * settings.spike,
        _ => settings.usual_load(),
    }
}

/// The end of an axis that includes this rate, and round rates below it.
fn rates(most: f64) -> (f64, Vec<MarkedRate>) {
    let tenths = (most * 10.0).ceil() as u64;
    let step = round((tenths / 4).max(10), &STEPS).div_ceil(10) as f64;
    // Arrivals vary around this average.
    let top = (1.1 * most / step).ceil().max(1.0) * step;
    let rates = (0..).map(|tick| f64::from(tick) * step);
    let level = |rate| MarkedRate {
        rate,
        label: format!("{rate:.0}"),
    };
    (
        top,
        rates.take_while(|rate| *rate < top).map(level).collect(),
    )
}

/// The steps before the incident; none if there are none.
fn before<'a>(settings: &Settings, run: &'a PolicyRun) -> Option<&'a [Step]> {
    let until = settings.incident_starts.as_nanos() / STEP.as_nanos();
    let until = usize::try_from(until).unwrap_or(usize::MAX);
    let steps = run.steps.get(..until)?;
    (settings.incident != Incident::None && !steps.is_empty()).then_some(steps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Cut, Recovery, RetryAfter, STORIES, Totals, sentences::unnamed_setups, storm_figures,
        storm_learnt, storm_terms, story,
    };

    /// Ten seconds with an incident from the second to the fourth.
    const SETTINGS: Settings = Settings {
        calls_per_second: 60.0,
        incident_starts: Duration::from_secs(2),
        incident_lasts: Duration::from_secs(2),
        length: Duration::from_secs(10),
        ..Settings::DEFAULT
    };

    const ONE: StormPolicy = policy("one", 1, 0);
    const THREE: StormPolicy = policy("three", 3, 0);
    const BUDGET: StormPolicy = policy("budget", 3, 10);

    const fn policy(name: &'static str, attempts: u32, budget: u32) -> StormPolicy {
        StormPolicy::new(name, Setup::DEFAULT.attempts(attempts).budget(budget))
    }

    /// Six calls in each step. All succeed, except during the incident or from then on.
    fn run(policy: StormPolicy, is_back: bool) -> PolicyRun {
        let step = |number: usize| {
            let is_up = number < 20 || (is_back && number >= 40);
            Step {
                calls: 6,
                answered: if is_up { 6 } else { 0 },
                failed: if is_up { 0 } else { 6 },
                goodput: if is_up { 6 } else { 0 },
                requests: if is_up { 6 } else { 18 },
                worked: if is_up { 6 } else { 10 },
                ..Step::default()
            }
        };
        let totals = Totals {
            calls: 600,
            succeeded: if is_back { 480 } else { 120 },
            failed: if is_back { 120 } else { 480 },
            requests: 1_200,
            useful: 300,
            abandoned: 100,
            ..Totals::default()
        };
        let steps = (0..100).map(step).collect();
        PolicyRun::of(&SETTINGS, policy, None, steps, totals)
    }

    fn storm(policies: Vec<PolicyRun>) -> Storm {
        Storm {
            story: StoryWords {
                shows_break_even: true,
                ..StoryWords::default()
            },
            policies,
            ..Storm::of_no_story(SETTINGS)
        }
    }

    fn pictures(policies: Vec<PolicyRun>) -> Vec<StormPicture> {
        StormPicture::all(&storm(policies), &StormFrame::of(&SETTINGS))
    }

    #[test]
    fn a_column_is_a_round_time_and_there_are_at_most_eighty() {
        let frame = |seconds| {
            let frame = StormFrame::of(&Settings {
                length: Duration::from_secs(seconds),
                ..SETTINGS
            });
            (frame.steps_per_column, frame.columns)
        };

        let frames = [8, 10, 60, 80, 81, 600].map(frame);

        let expected = [(1, 80), (2, 50), (10, 60), (10, 80), (20, 41), (100, 60)];
        assert_eq!(frames, expected);
    }

    #[test]
    fn a_column_shows_counts_per_second() {
        let pictures = pictures(vec![run(ONE, false)]);

        let StormCurves {
            load,
            goodput,
            throughput,
            limit,
        } = &pictures[0].curves;
        assert!(limit.is_empty(), "the client has none");
        assert_eq!(load, &[60.0; 50]);
        assert_eq!((goodput[9], throughput[9]), (60.0, 60.0));
        assert_eq!((goodput[10], throughput[10]), (0.0, 100.0));
    }

    #[test]
    fn the_break_even_is_the_capacity_divided_by_the_requests_per_call() {
        let policies = [ONE, THREE, BUDGET].map(|policy| run(policy, true));
        let pictures = pictures(policies.into());

        let level = |picture: &StormPicture| Some(picture.break_even.as_ref()?.label.clone());
        let found: Vec<_> = pictures.iter().map(level).collect();
        assert_eq!(found[0], None, "it is the capacity");
        assert_eq!(found[1].as_deref(), Some("break-even, 33 calls/s"));
        assert_eq!(found[2].as_deref(), Some("break-even, 91 calls/s"));
        let remarks: Vec<_> = pictures.iter().map(|picture| &*picture.remark).collect();
        assert_eq!(
            remarks[1],
            "60 calls/s × at most 3 requests = 180/s: more than the service can do, so it may \
             stay down. 60 requests/s at the end for a capacity of 100."
        );
        assert_eq!(
            remarks[2],
            "60 calls/s × at most 1.1 requests = 66/s: the service can do this. 60 requests/s at the \
             end for a capacity of 100."
        );
    }

    #[test]
    fn the_break_even_is_shown_only_by_the_stories_about_it() {
        let other = Storm {
            story: StoryWords::default(),
            ..storm(vec![run(ONE, true), run(THREE, false)])
        };

        let pictures = StormPicture::all(&other, &StormFrame::of(&SETTINGS));

        assert!(pictures.iter().all(|picture| picture.break_even.is_none()));
        let remarks: Vec<_> = pictures.iter().map(|picture| &*picture.remark).collect();
        assert_eq!(
            remarks,
            [
                "60 requests/s at the end for a capacity of 100.",
                "180 requests/s at the end for a capacity of 100; no call succeeds."
            ]
        );
    }

    #[test]
    fn the_label_of_the_incident_lies_where_there_is_room_for_it() {
        let of = |starts| {
            let settings = Settings {
                incident_starts: Duration::from_secs(starts),
                ..SETTINGS
            };
            let interval = incident(&settings);
            (interval.anchor, interval.label)
        };

        assert_eq!(of(2), ("start", "▲ the incident ends at 4 s".to_owned()));
        assert_eq!(of(6), ("end", "the incident ends at 8 s ▲".to_owned()));
    }

    #[test]
    fn a_policy_is_compared_with_the_most_similar_earlier_one() {
        let policies = [ONE, BUDGET, THREE].map(|policy| run(policy, true));

        let pictures = pictures(policies.into());

        let changed: Vec<_> = pictures
            .iter()
            .map(|picture| picture.changed.as_deref())
            .collect();
        let three = Some("like \"one\", but attempts 3, budget 10");
        assert_eq!(
            changed,
            [None, three, Some("like \"budget\", but budget 0")]
        );
    }

    #[test]
    fn a_picture_and_the_figures_agree_on_how_it_ended() {
        let cut = |cut| PolicyRun {
            cut: Some(cut),
            ..run(BUDGET, true)
        };
        let mut spared = run(ONE, true);
        (spared.totals.succeeded, spared.totals.failed) = (600, 0);
        let storm = storm(vec![
            run(ONE, true),
            run(THREE, false),
            cut(Cut::Cancelled),
            cut(Cut::Requests),
            spared,
        ]);

        let pictures = StormPicture::all(&storm, &StormFrame::of(&SETTINGS));
        let figures = storm_figures(&storm);

        assert_eq!(pictures.len(), 5);
        for (picture, ending) in pictures.iter().zip([
            (Mark::Ok, "back at once"),
            (Mark::Failed, "down at 10 s"),
            (Mark::Open, "cancelled"),
            (Mark::Failed, "cut short"),
            (Mark::Ok, "back at once"),
        ]) {
            let words = &*picture.ending.words;
            assert_eq!((picture.ending.mark, words), ending);
        }
        assert_eq!(
            pictures[3].brief,
            "cut short: it reached a million requests, the most that the lab simulates · 80 % of \
             600 calls succeeded · 2.00 requests per call"
        );
        let end = "Before the incident 60 of 60 calls/s succeed. At the end, 0 of 60 calls/s \
                   succeed, and the service works on 100 requests/s.";
        let text = &pictures[1].text;
        assert!(text.ends_with(end), "{text}");
        let row = figures.rows[1].cells.iter();
        let row: Vec<_> = row.map(|cell| cell.as_deref().unwrap_or("-")).collect();
        let expected = "three|down at 10 s|20|480|0|0|0|2.00|25|-|-|180|0|0";
        assert_eq!(row.join("|"), expected);
        assert!(figures.rows[1].failed && !figures.rows[2].failed);
    }

    #[test]
    fn a_row_leads_with_the_figure_of_its_story_unless_the_service_did_not_recover() {
        let mut back = run(ONE, true);
        back.steps[30].retries = 4;
        let words = |lead, run: &PolicyRun| ending(lead, run).words;

        for (lead, expected) in [
            (Lead::Recovery, "back at once"),
            (Lead::LostCalls, "120 lost"),
            (Lead::RetryPeak, "4 retries"),
        ] {
            assert_eq!(words(lead, &back), expected);
            assert_eq!(words(lead, &run(THREE, false)), "down at 10 s");
        }
        for (recovery, expected) in [
            (Recovery::NoIncident, "120 lost"),
            (Recovery::NotUpBefore, "not up before"),
            (Recovery::Unknown, "not known"),
        ] {
            back.recovery = recovery;
            assert_eq!(words(Lead::Recovery, &back), expected);
        }
    }

    #[test]
    fn the_terms_describe_the_incident_and_its_time() {
        let with = |incident| Settings {
            incident,
            ..SETTINGS
        };
        let terms = |incident| storm_terms(&with(incident), [&ONE]);

        assert_eq!(terms(Incident::Spike)[1], "210/s from 2 s to 4 s");
        assert_eq!(terms(Incident::Cut)[1], "2 of 10 workers from 2 s to 4 s");
        let own_clients = StormPolicy::new(
            "own",
            Setup {
                clients: 7,
                ..Setup::DEFAULT
            },
        );
        assert_eq!(
            terms(Incident::None),
            [
                "60 calls/s from 10 clients",
                "10 workers handle 100/s, the queue holds 300",
                "an attempt times out after 1 s",
                "1 attempt a call"
            ]
        );
        assert_eq!(
            storm_terms(&SETTINGS, [&ONE, &own_clients])[0],
            "60 calls/s"
        );
        // A date has whole seconds, and the service rounds them up.
        let dated = Settings {
            incident_lasts: Duration::from_millis(1_500),
            retry_after: RetryAfter::Date,
            ..with(Incident::Refusal)
        };
        assert_eq!(
            storm_terms(&dated, [&ONE])[1],
            "only 503s from 2 s to 3.5 s, each 503 with the date of 4 s as Retry-After"
        );
        assert_eq!(StormFrame::of(&with(Incident::None)).incident, None);
    }

    #[test]
    fn a_policy_of_a_user_is_described_and_does_not_hide_what_the_others_share() {
        let yours = StormPolicy::new("yours", Setup::DEFAULT.attempts(5));
        let mut policies = story("queue").expect("a story").policies.to_vec();
        policies.push(yours.clone());

        let terms = storm_terms(&SETTINGS, &policies);

        assert_eq!(terms[4], "3 attempts a call");
        assert_eq!(
            unnamed_setups(&policies),
            ["\"yours\" is like \"unchanged\", but attempts 5."]
        );
        assert_eq!(unnamed_setups(&[yours]), [""; 0], "the terms describe it");
    }

    #[test]
    fn an_answer_that_a_storm_does_not_show_or_that_has_other_settings_is_withheld() {
        let own = STORIES[0].settings;
        let answer_with = |settings, shows_the_answer, answer| {
            let mut storm = Storm {
                settings,
                ..storm(Vec::new())
            };
            storm.story.name = STORIES[0].words.name;
            (storm.shows_the_answer, storm.story.answer) = (shows_the_answer, answer);
            let mut learnt = storm_learnt(&storm).into_iter();
            let answer = learnt.find(|(title, _)| *title == "The answer");
            answer.map(|(_, text)| text)
        };
        let answer = |shows, answer| answer_with(own, shows, answer);
        let shown = |shows| answer(shows, Some("An answer.")).expect("a reason to withhold it");

        assert_eq!(shown(Some(true)), "An answer.");
        assert!(!shown(Some(false)).contains("An answer"));
        assert!(!shown(None).contains("An answer"));
        assert_eq!(
            answer(None, None),
            None,
            "the story has none for its incident"
        );
        let other = Settings {
            workers: own.workers + 1,
            ..own
        };
        assert_eq!(answer_with(other, Some(true), Some("An answer.")), None);
    }

    #[test]
    fn the_axis_of_rates_extends_beyond_a_spike_unless_it_would_flatten_the_rest() {
        let frame = |spike| StormFrame::of(&Settings { spike, ..SETTINGS });

        let usual = frame(3.5);
        assert_eq!(usual.beyond, None);
        let labels: Vec<_> = usual.rates.iter().map(|level| &*level.label).collect();
        assert_eq!(labels, ["0", "100", "200"]);
        assert!((usual.top - 300.0).abs() < 1e-9, "{}", usual.top);
        let high = frame(100.0);
        assert!((high.top - 300.0).abs() < 1e-9, "{}", high.top);
        let said = "The load of 6000 calls/s is above the axis.";
        assert_eq!(high.beyond.as_deref(), Some(said));
    }
}
