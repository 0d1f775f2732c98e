//! Under all settings, no request or call is lost or counted twice, and a parameter that is
//! said to change nothing changes nothing.

use std::{mem::discriminant, ops::ControlFlow, time::Duration};

use proptest::{collection::vec, prelude::*};
use render::Options;

use super::{Plan, STORIES, readout::is_fewer, simulate, storm_learnt, text::SCREEN};
use crate::{
    Parameters, PolicyRun, RetryAfter, Retrying, Settings, Setup, Step, StormPolicy, Values,
};

/// Bounds that keep a storm short, and the service overloaded.
const MOST: [(&str, f64); 20] = [
    ("clients", 20.0),
    ("calls_per_second", 80.0),
    ("callers", 30.0),
    ("think_seconds", 2.0),
    ("workers", 12.0),
    ("queue", 60.0),
    ("work_time_seconds", 0.3),
    ("timeout_seconds", 0.8),
    ("incident_starts_seconds", 1.5),
    ("incident_lasts_seconds", 1.5),
    ("spike", 4.0),
    ("workers_left", 4.0),
    ("attempts", 5.0),
    ("base_seconds", 0.5),
    ("cap_seconds", 2.0),
    ("budget", 12.0),
    ("concurrency", 6.0),
    ("deadline_seconds", 3.0),
    ("spread_seconds", 1.0),
    ("rate_limit", 40.0),
];

/// All settings of a table, within their bounds. Often some have their minimum, which for
/// many means none.
fn settings<T: Parameters + Copy + std::fmt::Debug>(default: T) -> impl Strategy<Value = T> {
    let draw = prop_oneof![1 => Just(0.0), 3 => 0.0..1.0_f64];
    vec(draw, T::PARAMETERS.len()).prop_map(move |draws| {
        let mut settings = default;
        for (parameter, draw) in T::options().zip(draws) {
            let bound = MOST.iter().find(|(name, _)| *name == parameter.name);
            let within = |least: f64, most: f64| {
                let most = bound.map_or(most, |(_, bound)| *bound);
                least + draw * (most - least)
            };
            let value = match parameter.values {
                Values::OneOf(words) => words[(draw * words.len() as f64) as usize].into(),
                Values::Whole { least, most } => {
                    (within(least.into(), most.into()).round() as u32).into()
                }
                Values::Number { least, most } => {
                    let thousandths = (within(least, most) * 1e3).round();
                    (thousandths / 1e3).into()
                }
            };
            assert_eq!(settings.set(parameter.name, &value), Ok(()));
        }
        settings
    })
}

/// The errors in the counts of a run; empty if they agree.
fn wrong(run: &PolicyRun) -> Vec<String> {
    let totals = run.totals;
    let of_steps = |count: fn(&Step) -> u32| -> u64 {
        run.steps.iter().map(|step| u64::from(count(step))).sum()
    };
    let worked_on =
        totals.rejected + totals.useful + totals.abandoned + totals.dropped + totals.unfinished;
    let caused = totals.retries_after_503 + totals.retries_after_429 + totals.retries_after_timeout;
    let is_layered = run.policy.setup.layers > 1;
    let ended = totals.succeeded + totals.failed + totals.in_flight;
    let came_or_did_not = totals.retries + totals.retries_not_sent;
    let rules = [
        ("calls that end or go on", totals.calls, ended),
        ("requests worked on", totals.requests, worked_on),
        (
            "abandoned work in steps",
            of_steps(|step| step.abandoned),
            totals.abandoned,
        ),
        ("causes of retries", totals.retries, caused),
        ("attempts", totals.counted_attempts, totals.settled),
        ("retries", totals.counted_retries, came_or_did_not),
        ("calls in steps", of_steps(|step| step.calls), totals.calls),
        (
            "failures in steps",
            of_steps(|step| step.failed),
            totals.failed,
        ),
        (
            "successes in steps",
            of_steps(|step| step.answered),
            totals.succeeded,
        ),
    ];
    let wrong = rules.iter().filter(|(_, one, other)| one != other);
    let mut wrong: Vec<_> = wrong
        .map(|(rule, one, other)| format!("{rule}: {one} and {other}"))
        .collect();
    if totals.useful < totals.succeeded || (!is_layered && totals.useful > totals.succeeded) {
        wrong.push(format!("a useful request is no success: {totals:?}"));
    }
    if !is_layered && totals.requests - totals.retries > totals.calls {
        wrong.push(format!("a call has two first requests: {totals:?}"));
    }
    if !is_layered && totals.requests - totals.settled > totals.in_flight {
        wrong.push(format!("a call waits for two responses: {totals:?}"));
    }
    wrong
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn nothing_is_lost_and_nothing_comes_from_nowhere(
        settings in settings(Settings::DEFAULT),
        setup in settings(Setup::DEFAULT),
        (clients, queue) in (0_u32..30, 0_u32..30),
        retry_after_429 in prop::sample::select(vec![RetryAfter::None, RetryAfter::Seconds, RetryAfter::Date]),
        retrying in prop::sample::select(vec![Retrying::EachLayer, Retrying::Client]),
        seed in any::<u64>(),
    ) {
        let settings = Settings { length: Duration::from_secs(5), ..settings };
        let setup = Setup {
            cap: setup.base + setup.cap,
            clients,
            queue,
            retry_after_429,
            retrying,
            ..setup
        };
        let plan = Plan {
            settings,
            policies: vec![StormPolicy::new("any", setup)],
            seed,
            ..Plan::of(&STORIES[0])
        };

        let storm = simulate(&plan, |_| ControlFlow::Continue(())).expect("it can be simulated");

        let wrong = wrong(&storm.policies[0]);
        prop_assert!(wrong.is_empty(), "{:#?}", wrong);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn a_parameter_that_is_said_to_have_no_effect_has_none(
        settings in settings(Settings::DEFAULT),
        (setup, attempts) in (settings(Setup::DEFAULT), 1_u32..3),
        (other_settings, other_setup) in (settings(Settings::DEFAULT), settings(Setup::DEFAULT)),
    ) {
        let settings = Settings { length: Duration::from_secs(5), ..settings };
        let setup = Setup { attempts, cap: setup.base + setup.cap, ..setup };
        let (mut others, mut other) = (settings, setup);
        for parameter in Settings::options() {
            if settings.without_effect(parameter.name, &[StormPolicy::new("any", setup)]).is_some() {
                let value = serde_json::json!(parameter.value(&other_settings));
                prop_assert_eq!(others.set(parameter.name, &value), Ok(()));
            }
        }
        for parameter in Setup::options() {
            // The client draws for a spread that no response needs, so its waits differ.
            let is_drawn = parameter.name == "spread_seconds" && setup.attempts > 1;
            if !is_drawn && setup.without_effect(parameter.name, &settings).is_some() {
                let value = serde_json::json!(parameter.value(&other_setup));
                prop_assert_eq!(other.set(parameter.name, &value), Ok(()));
            }
        }
        other.cap = other.cap.max(other.base);
        let simulated = |settings, setup| {
            let plan = Plan {
                settings,
                policies: vec![StormPolicy::new("any", setup)],
                ..Plan::of(&STORIES[0])
            };
            let storm = simulate(&plan, |_| ControlFlow::Continue(())).expect("a storm");
            let [mut run] = <[PolicyRun; 1]>::try_from(storm.policies).expect("one policy");
            for step in &mut run.steps {
                // A budget that no retry uses still shows its tokens.
                step.tokens = None;
            }
            (run.steps, run.totals)
        };

        prop_assert_eq!(simulated(settings, setup), simulated(others, other));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn a_lesson_is_printed_only_if_its_condition_holds_and_chance_does_not_explain_it(
        story in prop::sample::select(STORIES.iter().collect::<Vec<_>>()),
        drawn in settings(Settings::DEFAULT),
        (keeps_the_load, spike) in (any::<bool>(), 1.0..4.0_f64),
        seed in any::<u64>(),
    ) {
        let own = story.settings;
        let settings = Settings {
            incident: own.incident,
            retry_after: own.retry_after,
            incident_starts: drawn.incident_starts,
            incident_lasts: drawn.incident_lasts,
            length: Duration::from_secs(6),
            spike: spike.min(own.spike),
            ..if keeps_the_load { own } else { drawn }
        };
        let plan = Plan { settings, seed, ..Plan::of(story) };
        let storm = simulate(&plan, |_| ControlFlow::Continue(())).expect("it can be simulated");

        let learnt = storm_learnt(&storm);

        let says = |title| learnt.iter().any(|(said, _)| *said == title);
        let of_all = || storm.policies.iter();
        let has_ranks = of_all().any(|run| of_all().any(|other| is_fewer(run.lost(), other.lost())));
        let has_states = of_all().any(|run| {
            of_all().any(|other| discriminant(&run.recovery) != discriminant(&other.recovery))
        });
        let text = || format!("{}: {learnt:?}", story.words.name);
        prop_assert_eq!(says("The lesson"), (story.shows)(&storm) == Some(true), "{}", text());
        prop_assert!(!says("The lesson") || has_ranks || has_states, "{}", text());
        let told = learnt.iter().any(|(_, said)| Some(&**said) == story.words.answer);
        prop_assert!(!told, "the numbers of an answer belong to its settings: {}", text());
    }
}

/// Nor would it if one of its policies came to what another came to.
#[test]
fn every_story_shows_what_its_answer_says_and_its_counts_agree() {
    for story in STORIES {
        let storm = simulate(&Plan::of(story), |_| ControlFlow::Continue(())).expect("a storm");

        assert_eq!(storm.shows_the_answer, Some(true), "{}", story.words.name);
        for width in [40, 60, 80] {
            let options = Options {
                width,
                ..Options::default()
            };
            let text = crate::storm(&storm, &options);
            let widest = text.lines().map(|line| line.chars().count()).max();
            assert!(widest <= Some(width), "{text}");
            assert!(width < 80 || text.lines().count() <= SCREEN, "{text}");
        }
        for (number, run) in storm.policies.iter().enumerate() {
            let shows = storm.policies.iter().map(|other| {
                let mut storm = storm.clone();
                storm.policies[number] = PolicyRun {
                    policy: run.policy.clone(),
                    ..other.clone()
                };
                (story.shows)(&storm)
            });
            assert!(
                shows.into_iter().any(|shows| shows == Some(false)),
                "{}: whatever becomes of {}",
                story.words.name,
                run.policy.name
            );
            let wrong = wrong(run);
            assert!(
                wrong.is_empty(),
                "{} {}: {wrong:#?}",
                story.words.name,
                run.policy.name
            );
        }
    }
}
