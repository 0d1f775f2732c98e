//! Under all settings, no request or call is lost or counted twice, and the figures and words
//! follow from the counts.

use std::{ops::ControlFlow, sync::atomic::AtomicBool, time::Duration};

use proptest::{prelude::*, sample::select};
use render::Options;

use crate::{
    Incident, Plan, PolicyRun, RetryAfter, STORIES, Settings, Setup, Step, StormPolicy,
    policy::{Backoff, RetryAfterIs, Retrying},
    results::{figures::Share, word::Word},
    settings::Work,
    simulate,
    simulation::{parallel, simulate_length, simulate_one},
};

fn tenths(tenths: u64) -> Duration {
    Duration::from_millis(100 * tenths)
}

/// Settings that keep a storm short, and the service often overloaded. The last quarter begins
/// with a step.
fn settings() -> impl Strategy<Value = Settings> {
    let incidents = vec![
        Incident::Spike,
        Incident::Cut,
        Incident::Pause,
        Incident::Refusal,
        Incident::None,
    ];
    let forms = vec![RetryAfter::None, RetryAfter::Seconds, RetryAfter::Date];
    let load = (1_u32..20, 1_u32..160, 1.0..4.0_f64, 0.0..=1.0_f64);
    let service = (
        1_u32..20,
        select(vec![0, 5, 60]),
        select(vec![0, 20, 40]),
        any::<bool>(),
        1_u64..4,
    );
    let times = (0_u64..120, 0_u64..15, 5_u64..40, 1_u64..8);
    (select(incidents), select(forms), load, service, times).prop_map(
        |(
            incident,
            retry_after,
            (clients, calls, spike, refused),
            (workers, queue, rate_limit, is_constant, work),
            (starts, lasts, after, timeout),
        )| {
            let after = 4 * after;
            Settings {
                clients,
                calls_per_second: f64::from(calls),
                workers,
                queue,
                rate_limit,
                work: if is_constant {
                    Work::Constant
                } else {
                    Work::Exponential
                },
                work_time: tenths(work),
                timeout: tenths(timeout),
                incident,
                incident_starts: tenths(starts),
                incident_lasts: tenths(lasts),
                spike,
                // As by the command line, which has it for no other incident.
                refused: match incident {
                    Incident::Refusal => refused,
                    _ => Settings::DEFAULT.refused,
                },
                retry_after,
                length: match incident {
                    Incident::None => tenths(after.max(20)),
                    _ => tenths(starts + lasts + after.max(20)),
                },
            }
        },
    )
}

fn setup() -> impl Strategy<Value = Setup> {
    let backoffs = vec![
        Backoff::Jitter,
        Backoff::Exponential,
        Backoff::Constant,
        Backoff::None,
    ];
    let waits = (select(backoffs), 1_u64..500, 0_u64..2_000);
    let bounds = (0_u32..12, 0_u32..6, select(vec![0_u64, 200, 3_000]));
    let retry_after = select(vec![RetryAfterIs::Obeyed, RetryAfterIs::Ignored]);
    let layers = (
        1_u32..=3,
        select(vec![Retrying::EachLayer, Retrying::Client]),
    );
    (
        1_u32..5,
        waits,
        bounds,
        retry_after,
        layers,
        (0_u64..1_000, 0_u32..30),
    )
        .prop_map(
            |(
                attempts,
                (backoff, base, more),
                (budget, concurrency, deadline),
                retry_after,
                (layers, retries_in),
                (spread, own_clients),
            )| Setup {
                attempts,
                backoff,
                base: Duration::from_millis(base),
                cap: Duration::from_millis(base + more),
                budget,
                concurrency,
                deadline: Duration::from_millis(deadline),
                spread: Duration::from_millis(spread),
                retry_after,
                layers,
                retries_in,
                own_clients,
            },
        )
}

/// The errors in the counts of a run; empty if they agree.
fn wrong(run: &PolicyRun) -> Vec<String> {
    let totals = run.totals;
    let of_steps = |count: fn(&Step) -> u32| -> u64 {
        run.steps.iter().map(|step| u64::from(count(step))).sum()
    };
    let worked_on = totals.rejected + totals.useful + totals.abandoned;
    let caused = totals.retries_after_503 + totals.retries_after_429 + totals.retries_after_timeout;
    let rules = [
        (
            "calls that end",
            totals.calls,
            totals.succeeded + totals.failed,
        ),
        ("requests worked on", totals.requests, worked_on),
        ("causes of retries", totals.retries, caused),
        ("attempts", totals.counted_attempts, totals.requests),
        ("calls in steps", of_steps(|step| step.calls), totals.calls),
        (
            "successes in steps",
            of_steps(|step| step.succeeded),
            totals.succeeded,
        ),
        ("lost calls", run.figures.lost, totals.failed),
    ];
    let wrong = rules.iter().filter(|(_, one, other)| one != other);
    let mut wrong: Vec<_> = wrong
        .map(|(rule, one, other)| format!("{rule}: {one} and {other}"))
        .collect();
    let is_layered = run.policy.setup.layers > 1;
    let never_gives_up_a_wait = run.policy.setup.deadline.is_zero();
    if totals.counted_retries < totals.retries
        || (never_gives_up_a_wait && totals.counted_retries > totals.retries)
    {
        wrong.push(format!(
            "a retry has no wait, or a wait no retry: {totals:?}"
        ));
    }
    if totals.useful < totals.succeeded || (!is_layered && totals.useful > totals.succeeded) {
        wrong.push(format!("a useful request is no success: {totals:?}"));
    }
    if !is_layered && totals.requests - totals.retries > totals.calls {
        wrong.push(format!("a call has two first requests: {totals:?}"));
    }
    wrong
}

/// The calls of the steps in these tenths of a second.
fn share(run: &PolicyRun, from: u128, to: u128) -> Share {
    let steps = &run.steps[from as usize..to as usize];
    let sum = |count: fn(&Step) -> u32| steps.iter().map(|step| u64::from(count(step))).sum();
    Share {
        calls: sum(|step| step.calls),
        succeeded: sum(|step| step.succeeded),
    }
}

/// The word of these figures, by the table of the document.
fn expected_word(settings: &Settings, before: Share, end: Share) -> Option<&'static str> {
    let ratio = |share: Share| share.succeeded as f64 / share.calls as f64;
    let is_known = settings.incident != Incident::None
        && before.calls >= 300
        && end.calls >= 300
        && ratio(before) >= 0.5;
    is_known.then(|| match ratio(end) / ratio(before) {
        0.9.. => "ok",
        ..0.5 => "DOWN",
        _ => "degraded",
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn nothing_is_lost_and_the_word_follows_from_the_counts(
        settings in settings(),
        setup in setup(),
        seed in any::<u64>(),
    ) {
        let plan = Plan {
            settings,
            policies: vec![StormPolicy::new("any", setup)],
            seed,
            ..Plan::of(&STORIES[0])
        };

        let storm = simulate(&plan, |_| ControlFlow::Continue(())).expect("it can be simulated");

        let run = &storm.policies[0];
        // A storm with too many requests in flight is cut short.
        prop_assume!(run.cut.is_none());
        let wrong = wrong(run);
        prop_assert!(wrong.is_empty(), "{:#?}", wrong);
        let [starts, ends, length] =
            [settings.incident_starts, settings.incident_ends(), settings.length]
                .map(|at| at.as_millis() / 100);
        let quarter = length - (length - ends) / 4;
        let figures = &run.figures;
        let (before, end) = match settings.incident {
            Incident::None => (share(run, 0, length), share(run, 0, length)),
            _ => (
                share(run, starts.saturating_sub(100), starts),
                share(run, quarter, length),
            ),
        };
        prop_assert_eq!((figures.before, figures.end), (before, end));
        let late: u32 = run.steps[quarter as usize..].iter().map(|step| step.requests).sum();
        let rate = f64::from(late) / ((length - quarter) as f64 / 10.0);
        prop_assert!((figures.requests_per_second - rate).abs() < 1e-6);
        let expected = expected_word(&settings, before, end);
        match run.word {
            Some(Word::Ok { after_seconds, is_later: false }) => {
                prop_assert_eq!(expected, Some("ok"));
                prop_assert!(10 * after_seconds as u128 <= quarter - ends);
            }
            Some(word) => {
                let (settings, policy) = (settings.longer(), &plan.policies[0]);
                let longer = simulate_length(&settings, seed, policy, |_, _| ControlFlow::Continue(()));
                let longer = longer.expect("it can be simulated");
                prop_assert!(matches!(expected, Some("DOWN" | "degraded")), "{:?}", expected);
                match longer.word {
                    Some(Word::Ok { after_seconds, .. }) => {
                        prop_assert_eq!(word, Word::Ok { after_seconds, is_later: true });
                    }
                    _ => prop_assert_eq!(Some(&*word.to_string()), expected),
                }
            }
            None => prop_assert_eq!(expected, None),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    /// So the longer storm of a row goes on from its picture. Only the calls that start later can
    /// take the place of those that are in flight at its end.
    #[test]
    fn a_longer_storm_begins_as_the_shorter_one(
        settings in settings(),
        setup in setup(),
        seed in any::<u64>(),
    ) {
        let policy = StormPolicy::new("any", setup);
        let steps = |settings: &Settings| {
            let run = simulate_length(settings, seed, &policy, |_, _| ControlFlow::Continue(()));
            run.expect("it can be simulated").steps
        };
        let longer = Settings { length: settings.length + tenths(20), ..settings };

        let (short, long) = (steps(&settings), steps(&longer));

        // A call belongs to the step in which it started, and may succeed after the length.
        let without_successes = |step: &Step| Step { succeeded: 0, ..*step };
        let [short, long] = [&short, &long].map(|steps| {
            let steps = steps[..short.len()].iter();
            steps.map(without_successes).collect::<Vec<_>>()
        });
        prop_assert_eq!(short, long);
    }

    #[test]
    fn a_row_shows_its_own_figures_whatever_the_other_rows_are(
        settings in settings(),
        setup in setup(),
        ascii in any::<bool>(),
    ) {
        let alone = Plan {
            settings,
            policies: vec![StormPolicy::new("any", setup)],
            ..Plan::of(&STORIES[0])
        };
        let mut two = alone.clone();
        two.policies.insert(0, StormPolicy::new("other", Setup::DEFAULT));

        let [alone, beside] = [alone, two].map(|plan| {
            simulate(&plan, |_| ControlFlow::Continue(())).expect("it can be simulated")
        });

        let run = alone.policies[0].clone();
        let command = alone.command.clone();
        prop_assert_eq!(&beside.policies[1], &run);
        let options = Options { ascii, ..Options::default() };
        let page = crate::html_storm(&alone);
        let [text, beside] = [alone, beside].map(|storm| crate::storm(&storm, &options));
        prop_assert!(!ascii || text.is_ascii(), "{}", text);
        // A command is never wrapped, so that it can be copied.
        let command = format!("{} {}", options.lab, command);
        let mut others = text.lines().filter(|line| !line.contains(&command));
        prop_assert!(others.all(|line| line.chars().count() <= 80), "{}", text);
        let row = text.lines().find(|line| line.starts_with("any")).expect("a row");
        prop_assert!(beside.contains(row), "{}", beside);
        let figures = &run.figures;
        let word = run.word.map(|word| word.to_string()).unwrap_or_default();
        let mark = options.or_ascii("›", ">");
        let word = word.replace('›', mark);
        prop_assert!(row.ends_with(&word), "{}", row);
        let rate = format!("{:.0}", figures.requests_per_second);
        let shown = [figures.before.to_string(), figures.end.to_string(), figures.lost.to_string(), rate];
        let cells: Vec<_> = row.split_whitespace().collect();
        prop_assert!(shown.iter().all(|figure| cells.contains(&figure.as_str())), "{}", row);
        let [before, end, lost, rate] = shown;
        let calls = run.totals.calls;
        // The text of a cell of the page, without its elements.
        let cell = |name: &str| {
            let (_, cell) = page.split_once(&format!("data-name=\"{name}\">")).expect("a cell");
            let (cell, _) = cell.split_once("</td>").expect("its end");
            let parts = cell.split('<').filter_map(|part| part.rsplit('>').next());
            parts.collect::<String>()
        };
        prop_assert_eq!(cell("before"), format!("{before} %"));
        prop_assert_eq!(cell("end"), format!("{end} %"));
        prop_assert_eq!(cell("lost"), format!("{lost} of {calls}"));
        prop_assert_eq!(cell("req/s"), rate);
        prop_assert!(page.contains(&word.replace(mark, "›")), "{}", page);
        let json = serde_json::to_value(&run).expect("JSON");
        prop_assert_eq!(json["figures"]["lost"].to_string(), lost);
        prop_assert_eq!(json["figures"]["end"]["calls"].as_u64(), Some(figures.end.calls));
    }
}

/// The longer storms of the services that stay down take longer than all the others; an ignored
/// test simulates them.
#[test]
fn every_story_is_said_in_a_screen_of_eighty_columns_and_its_counts_agree() {
    for story in STORIES {
        let run = |number: u32| {
            let policy = &story.policies[number as usize];
            let (settings, seed) = (&story.settings, 1);
            let stays_down = story
                .recovers
                .is_some_and(|names| !names.contains(&&*policy.name));
            let run = if stays_down {
                simulate_length(settings, seed, policy, |_, _| ControlFlow::Continue(()))
            } else {
                simulate_one(settings, seed, policy, |_| ControlFlow::Continue(()))
            };
            run.expect("it can be simulated")
        };
        let policies = story.policies.len() as u32;
        let storm = Plan::of(story).storm(parallel::each(policies, &AtomicBool::new(false), run));

        let text = crate::storm(&storm, &Options::default());
        assert!(
            text.lines().all(|line| line.chars().count() <= 80),
            "{text}"
        );
        assert!(text.lines().count() <= 18, "{text}");
        for run in &storm.policies {
            let name = (story.name, &run.policy.name);
            let wrong = wrong(run);
            assert!(wrong.is_empty(), "{name:?}: {wrong:#?}");
            let recovers = story
                .recovers
                .map(|names| names.contains(&&*run.policy.name));
            let is_ok = run.word.map(|word| matches!(word, Word::Ok { .. }));
            assert_eq!(is_ok, recovers, "{name:?}");
        }
    }
}
