use std::{ops::ControlFlow, time::Duration};

use proptest::prelude::*;

use super::*;
use crate::{Incident, Progress, STORIES, Settings, Setup, Step, StormPolicy, simulate};

/// The first story in twenty seconds, so that most rows have no word.
fn short() -> Plan {
    let mut plan = Plan::of(&STORIES[0]);
    plan.settings.length = Duration::from_secs(20);
    plan
}

/// A storm of twelve seconds with these counts in every tenth of a second.
fn counted(step: Step, steps: usize) -> StormPicture {
    let mut plan = Plan::of(&STORIES[0]);
    plan.settings.incident = Incident::None;
    plan.settings.length = Duration::from_secs(12);
    let mut picture = StormPicture::begun(plan);
    picture.add(&Progress::Steps(0, &vec![step; steps]));
    picture
}

/// The cells of the rows of the policies.
fn rows(picture: &StormPicture, shown: Shown<'_>) -> Vec<String> {
    let html = picture.draw(shown).into_string();
    let (_, body) = html.split_once("<tbody").expect("a body");
    let (body, _) = body.split_once("</tbody>").expect("its end");
    body.split("<tr").skip(2).map(str::to_owned).collect()
}

#[test]
fn a_column_shows_counts_per_second() {
    let step = Step {
        goodput: 5,
        abandoned: 3,
        requests: 9,
        ..Step::default()
    };

    let picture = counted(step, 4);
    let chart = picture.chart_of(&picture.rows[0], true);

    // A column is 0.2 s long, and there are two so far.
    let values: Vec<_> = chart.series.iter().map(|series| &*series.values).collect();
    assert_eq!(values, [[50.0; 2], [30.0; 2]]);
    assert_eq!(chart.line, Some(vec![90.0; 2]));
}

#[test]
fn a_column_is_a_round_time_and_there_are_at_most_sixty() {
    let columns = |seconds| {
        let mut plan = Plan::of(&STORIES[0]);
        plan.settings.length = Duration::from_secs(seconds);
        let ground = StormPicture::begun(plan).ground();
        (ground.column.as_millis(), ground.columns())
    };

    let columns = [6, 8, 30, 60, 61, 600].map(columns);

    let expected = [
        (100, 60),
        (200, 40),
        (500, 60),
        (1_000, 60),
        (2_000, 31),
        (10_000, 60),
    ];
    assert_eq!(columns, expected);
}

#[test]
fn the_end_of_the_incident_takes_the_place_of_labels_near_it() {
    let labels = |plan: Plan| -> Vec<_> {
        let ticks = StormPicture::begun(plan).ground().axis.ticks;
        ticks.into_iter().map(|tick| tick.label).collect()
    };
    let mut quiet = Plan::of(&STORIES[0]);
    quiet.settings.incident = Incident::None;
    quiet.settings.length = Duration::from_secs(3);

    let usual = labels(Plan::of(&STORIES[0]));
    assert_eq!(usual, ["0 s", "30 s", "40 s", "50 s", "60 s", "▲ 15 s"]);
    assert_eq!(
        labels(quiet),
        ["0 s", "0.5 s", "1 s", "1.5 s", "2 s", "2.5 s", "3 s"]
    );
}

proptest! {
    /// Whatever the incident, its columns add up to the calls that are expected.
    #[test]
    fn the_new_calls_add_up_to_the_calls_of_the_storm(
        load in 1.0..200.0_f64,
        spike in 1.0..50.0_f64,
        starts in 0_u32..300,
        lasts in 0_u32..200,
        rest in 20_u32..2_000,
    ) {
        let tenths = |tenths: u32| Duration::from_millis(100) * tenths;
        let mut plan = Plan::of(&STORIES[0]);
        plan.settings.calls_per_second = load;
        plan.settings.spike = spike;
        plan.settings.incident_starts = tenths(starts);
        plan.settings.incident_lasts = tenths(lasts);
        plan.settings.length = tenths(starts + lasts + rest);
        let length = plan.settings.length.as_secs_f64();
        let expected = load * (length + (spike - 1.0) * tenths(lasts).as_secs_f64());

        let picture = StormPicture::begun(plan);
        let chart = picture.new_calls();

        let ground = picture.ground();
        let column = ground.column.as_secs_f64();
        let line = chart.line.expect("a line");
        prop_assert_eq!(line.len(), ground.columns());
        let widths = (0..line.len()).map(|number| (length - number as f64 * column).min(column));
        let drawn: f64 = line.iter().zip(widths).map(|(rate, width)| rate * width).sum();
        prop_assert!((drawn - expected).abs() <= 1e-6 * expected, "{} of {}", drawn, expected);
        let top = chart.top.expect("a scale");
        prop_assert!(line.iter().all(|rate| *rate <= top || load * spike > 250.0));
    }
}

#[test]
fn a_spike_does_not_flatten_everything_else() {
    let top = |spike| {
        let mut plan = Plan::of(&STORIES[0]);
        plan.settings.spike = spike;
        StormPicture::begun(plan).chart().top.expect("a scale")
    };

    assert!((top(1.0) - 125.0).abs() < 1e-9, "the capacity is in sight");
    assert!((top(2.0) - 150.0).abs() < 1e-9);
    assert!((top(100.0) - 312.5).abs() < 1e-9);
}

#[test]
fn the_limit_that_is_drawn_is_the_one_that_requests_meet_first() {
    for (rate_limit, words) in [
        (60, "rate limit 60/s"),
        (0, "capacity 100/s"),
        (100, "capacity 100/s"),
        (200, "capacity 100/s"),
    ] {
        let mut plan = Plan::of(&STORIES[0]);
        plan.settings.rate_limit = rate_limit;
        let picture = StormPicture::begun(plan)
            .draw(Shown::Question)
            .into_string();

        assert!(picture.contains(words), "{rate_limit}: {picture}");
    }
}

#[test]
fn the_break_even_is_the_limit_divided_by_the_requests_per_call() {
    let of = |attempts, budget| {
        let setup = Setup {
            attempts,
            budget,
            ..Setup::DEFAULT
        };
        break_even(100.0, &StormPolicy::new("any", setup)).map(f64::round)
    };

    assert_eq!(of(1, 0), None, "it is the limit");
    assert_eq!(of(3, 0), Some(33.0));
    assert_eq!(of(3, 10), Some(91.0));
}

/// A page that follows a storm ends with the page of the storm that is over.
#[test]
fn progress_ends_in_the_picture_of_the_storm() {
    let plan = short();
    let mut picture = StormPicture::begun(plan.clone());
    let mut had_steps = 0;

    let storm = simulate(&plan, |progress| {
        picture.add(&progress);
        had_steps += usize::from(matches!(progress, Progress::Steps(..)));
        ControlFlow::Continue(())
    });

    let shown = Shown::Results(&[]);
    let storm = storm.expect("a storm");
    let of_the_end = StormPicture::of(&storm).draw(shown).into_string();
    assert!(had_steps > 100 && picture.has_every_run());
    assert_eq!(picture.draw(shown).into_string(), of_the_end);
    assert!(
        picture.runs().all(|run| run.steps.is_empty()),
        "its steps are dropped"
    );
}

#[test]
fn a_row_has_its_chart_and_no_word_until_all_are_revealed() {
    let storm = simulate(&short(), |_| ControlFlow::Continue(())).expect("a storm");
    let picture = StormPicture::of(&storm);

    for revealed in 0..=storm.policies.len() {
        let rows = rows(&picture, Shown::Rows(revealed));
        for (number, row) in rows.iter().enumerate() {
            assert_eq!(row.contains("fill-good"), number < revealed, "{row}");
            assert!(
                !row.contains('%') || !row.contains("<td class=\"num\""),
                "{row}"
            );
            let sign = match number {
                number if number < revealed => ">?<",
                number if number == revealed => ">next<",
                _ => "hidden-word\" role=\"cell\"><",
            };
            assert!(row.contains(sign), "{row}");
            // A screen reader learns no more than others.
            assert!(!row.contains("lost") && !row.contains("ok after"), "{row}");
        }
    }
    for shown in [Shown::Question, Shown::Asked { form: "plan" }] {
        let drawn = picture.draw(shown).into_string();
        assert!(
            !drawn.contains("fill-good") && !drawn.contains("word"),
            "{drawn}"
        );
    }
    let rows = rows(&picture, Shown::Words(&[]));
    assert!(rows.iter().all(|row| row.contains(" %</b>")), "{rows:?}");
}

#[test]
fn each_guess_is_judged_by_the_word_of_its_row() {
    let plan = Plan::of(&STORIES[0]);
    let storm = simulate(&plan, |_| ControlFlow::Continue(())).expect("a storm");
    let picture = StormPicture::of(&storm);
    let right = [true, false, false, true];

    assert_eq!(picture.right_guesses(&right), (4, 4));
    assert_eq!(picture.right_guesses(&right.map(|guess| !guess)), (0, 4));
    let rows = rows(&picture, Shown::Results(&[true; 4]));
    let verdicts = ["✓ as you guessed", "✗ you guessed: recovers"];
    for (row, verdict) in rows.iter().zip([0, 1, 1, 0]) {
        assert!(row.contains(verdicts[verdict]), "{row}");
    }
    assert_eq!(picture.lesson(), Some(STORIES[0].lesson));
    // The service of a row without a word has neither recovered nor not.
    let storm = simulate(&short(), |_| ControlFlow::Continue(())).expect("a storm");
    let picture = StormPicture::of(&storm);
    assert_eq!(picture.right_guesses(&[true; 4]), (0, 0));
    assert_eq!(
        picture.lesson(),
        None,
        "its settings are not those of the story"
    );
}

/// What a row does not say itself stands below the rows, once.
#[test]
fn a_missing_word_and_a_later_one_are_explained() {
    let remarks = |plan: &Plan| {
        let storm = simulate(plan, |_| ControlFlow::Continue(())).expect("a storm");
        let html = StormPicture::of(&storm)
            .draw(Shown::Results(&[]))
            .into_string();
        let remarks = html.split("<p class=\"remark\">").skip(1);
        let remarks = remarks.filter_map(|rest| rest.split_once('<'));
        remarks
            .map(|(remark, _)| remark.to_owned())
            .collect::<Vec<_>>()
    };
    let mut budgets = Plan::of(crate::story("budgets").expect("a story"));
    budgets
        .policies
        .retain(|policy| policy.name == "1000, 10 tokens");
    let mut cut = short();
    cut.settings = Settings {
        calls_per_second: 1_000.0,
        spike: 100.0,
        timeout: Duration::from_secs(60),
        queue: 100_000,
        ..cut.settings
    };
    cut.policies.truncate(1);

    let few = "No word: fewer than 300 calls in the 10 s before the incident or at the end.";
    assert_eq!(remarks(&short()), [few]);
    let later = "Rows that are not ok at 60 s were simulated to 300 s; ›: ok only there.";
    assert_eq!(remarks(&budgets), [later]);
    let why =
        "1 attempt was cut short: 5000 calls were in flight, the most that the lab simulates.";
    assert_eq!(remarks(&cut), [why]);
}

#[test]
fn a_legend_names_what_occurs() {
    let nothing = counted(Step::default(), 10);
    let useful = counted(
        Step {
            goodput: 1,
            requests: 1,
            ..Step::default()
        },
        10,
    );
    let legend = |picture: &StormPicture| {
        let html = picture.draw(Shown::Results(&[])).into_string();
        let (_, legend) = html.split_once("<ul class=\"legend\"").expect("a legend");
        [
            "calls that succeed",
            "work nobody",
            "requests that arrive",
            "new calls",
            "▲",
        ]
        .map(|words| legend.contains(words))
    };

    assert_eq!(legend(&nothing), [false, false, false, true, false]);
    assert_eq!(legend(&useful), [true, false, true, false, false]);
    let spike = StormPicture::begun(Plan::of(&STORIES[0]));
    assert_eq!(legend(&spike), [false, false, false, true, true]);
}
