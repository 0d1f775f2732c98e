//! A storm as HTML: a picture for each policy, all on the same axes, with its figures below it.
//! A report is a page around the fragment that the web UI shows.

mod loads;
mod picture;
mod small;

use std::collections::BTreeSet;

use maud::{Markup, html as markup};
use render::page::{class_and_mark, document, marked};
use wire::duration;

pub use loads::html_loads;
pub use small::small_pictures;

use crate::{
    Cut, Plan, PolicyRun, Settings, Setup, Step, Storm,
    results::{figures::rate, word::Word},
    text::{conditions, rows},
};
use picture::{Frame, break_even};

/// Renders a storm as a page.
#[must_use]
pub fn html_storm(storm: &Storm) -> String {
    let story = storm.story;
    document(
        &format!("{} — {}", story.name, story.title),
        markup! {
            header {
                p.kind { "Storm" }
                h1 { code { (story.name) } }
                p.title { (story.title) }
            }
            main {
                section.panel.question aria-labelledby="question" {
                    h2 #question { "The question" }
                    p { (storm.question) }
                }
                (ended(storm, &[]))
                (conclusions(storm, &markup! { code { "lab scenario " (story.scenario) } }))
            }
            footer {
                p { "seed " (storm.seed) " · " (storm.generator) " · virtual time" }
            }
        },
    )
}

/// The pictures of a storm before it is simulated.
#[must_use]
pub fn storm_begun(plan: &Plan) -> Markup {
    let pictures = 0..plan.policies.len();
    let setups: Vec<_> = plan.policies.iter().map(|policy| &policy.setup).collect();
    happened(
        &terms(&plan.settings, &rows(plan.story, &plan.policies), plan.seed),
        &markup! { @for number in pictures { (picture_so_far(plan, number, &[])) } },
        &legend(&plan.settings, &setups),
        &markup! {},
    )
}

/// A storm that is over, with the policies that the reader guessed.
#[must_use]
pub fn storm_over(storm: &Storm, guess: &[String]) -> Markup {
    let scenario = storm.story.scenario;
    markup! {
        (ended(storm, guess))
        (conclusions(storm, &markup! { a href={ "/scenarios/" (scenario) } { (scenario) } }))
    }
}

/// The picture of a policy, by its number, while it is simulated.
#[must_use]
pub fn picture_so_far(plan: &Plan, number: usize, steps: &[Step]) -> Markup {
    let Some(policy) = plan.policies.get(number) else {
        return markup! {};
    };
    let frame = Frame::of(&plan.settings);
    figure(number, &policy.name, &policy.setup, &frame, steps, None)
}

/// The picture of a policy, by its number, with its results.
#[must_use]
pub fn picture(settings: &Settings, number: usize, run: &PolicyRun) -> Markup {
    let frame = Frame::of(settings);
    let policy = &run.policy;
    figure(
        number,
        &policy.name,
        &policy.setup,
        &frame,
        &run.steps,
        Some(run),
    )
}

fn ended(storm: &Storm, guess: &[String]) -> Markup {
    let runs = storm.policies.iter().enumerate();
    let policies = storm.policies.iter().map(|run| &run.policy);
    let setups: Vec<_> = policies.clone().map(|policy| &policy.setup).collect();
    let rows = rows(storm.story, policies);
    happened(
        &terms(&storm.settings, &rows, storm.seed),
        &markup! { @for (number, run) in runs { (picture(&storm.settings, number, run)) } },
        &legend(&storm.settings, &setups),
        &guess_verdict(storm, guess),
    )
}

/// The conditions of a storm.
fn terms(settings: &Settings, rows: &str, seed: u64) -> String {
    let own = [format!("policies: {rows}"), format!("seed {seed}")];
    let terms = conditions(settings).into_iter().chain(own);
    terms.collect::<Vec<_>>().join(" · ")
}

fn happened(terms: &str, pictures: &Markup, legend: &Markup, verdict: &Markup) -> Markup {
    markup! {
        section.panel.picture aria-labelledby="storm-happened" {
            header { h2 #storm-happened { "What happened" } }
            (verdict)
            p.terms { (terms) }
            (legend)
            div.storm { (pictures) }
        }
    }
}

/// Whether the guess was right, if the reader guessed.
fn guess_verdict(storm: &Storm, guess: &[String]) -> Markup {
    let guessed: BTreeSet<_> = guess.iter().map(String::as_str).collect();
    let right = storm.right_guess();
    let is_right = right.map(|right| right.iter().copied().collect::<BTreeSet<_>>() == guessed);
    let (class, mark) = class_and_mark(is_right);
    markup! {
        @if !guess.is_empty() {
            p.answer {
                b class=(class) { (mark) " Your prediction: " }
                (guess.join(" · "))
                @match (is_right, right) {
                    (Some(true), _) => ": right.",
                    (_, Some(right)) => { ". Right: " (right.join(" · ")) "." },
                    (_, None) => ". Compare it with the pictures.",
                }
            }
        }
    }
}

/// The lesson, and where to read on. `scenario` leads to the same with one client.
fn conclusions(storm: &Storm, scenario: &Markup) -> Markup {
    let story = storm.story;
    markup! {
        div.learned {
            section.panel aria-labelledby="learnt" {
                h2 #learnt { "What it shows" }
                @if let Some(lesson) = storm.lesson { p { (lesson) } }
                h3 { "The model leaves out" }
                p { (story.left_out) }
                h3 { "The source" }
                p { a href=(story.source) rel="noreferrer" { (story.source) } }
                h3 { "With one client" }
                p { (scenario) "; the rule: " code { (story.rule) } }
            }
        }
    }
}

/// A picture, and its figures once it has ended.
fn figure(
    number: usize,
    name: &str,
    setup: &Setup,
    frame: &Frame,
    steps: &[Step],
    run: Option<&PolicyRun>,
) -> Markup {
    let [title, text] = ["title", "text"].map(|part| format!("picture-{number}-{part}"));
    let ending = run.map(PolicyRun::ending).unwrap_or_default();
    let figures = run.map(figures).unwrap_or_default();
    let described = markup! {
        title id=(title) { (name) }
        desc id=(text) { (name) ": " (ending) ". " (figures) }
    };
    markup! {
        figure id={ "picture-" (number) } {
            h3 {
                (name) " "
                @if let Some(run) = run.filter(|_| !ending.is_empty()) { (marked(is_good(run), &ending)) }
            }
            (frame.plot(setup, steps, &described, &format!("{title} {text}")))
            figcaption {
                (figures)
                @if let Some(run) = run { br; (details(run)) }
            }
        }
    }
}

fn is_good(run: &PolicyRun) -> Option<bool> {
    match (run.cut, run.word) {
        (Some(Cut::Requests | Cut::InFlight), _) | (None, Some(Word::Down)) => Some(false),
        (None, Some(Word::Ok { .. })) => Some(true),
        _ => None,
    }
}

/// The figures of a policy, as the text shows them.
fn figures(run: &PolicyRun) -> String {
    let of = &run.figures;
    let requests = format!("{:.0}", of.requests_per_second);
    format!(
        "before {} %, end {} % · {} of {} calls lost · {requests} requests/s at the end",
        of.before, of.end, of.lost, run.totals.calls
    )
}

/// More figures of a policy.
fn details(run: &PolicyRun) -> String {
    let requests = format!("{:.2} requests per call", run.figures.requests_per_call);
    let latency = run.totals.latency.map(|latency| {
        let [median, p99] = [latency.median, latency.p99].map(duration);
        format!("latency {median} (median), {p99} (99 %)")
    });
    let peak = format!("most retries in 0.1 s: {}", run.retry_peak());
    let last = run.steps.last();
    let queue = last.map(|step| format!("{} in the queue at the end", step.waiting));
    let tokens = last.and_then(|step| step.tokens);
    let tokens = tokens.map(|tokens| format!("{tokens:.1} tokens left for a client"));
    let limit = last.and_then(|step| step.limit);
    let limit = limit.map(|limit| format!("a client allows itself {limit:.1} attempts in flight"));
    let cut = run.cut.and_then(Cut::why);
    let cut = cut.map(|why| format!("cut short: {why}"));
    let parts = [
        cut,
        Some(requests),
        latency,
        Some(peak),
        queue,
        tokens,
        limit,
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// The meanings of the less common curves.
const WASTED: &str = "work for attempts that had timed out, on top of the goodput";
const LIMIT: &str = "attempts in flight that a client allows itself; full height is its maximum";

fn legend(settings: &Settings, setups: &[&Setup]) -> Markup {
    let sample = |class: &str| {
        markup! {
            svg.plot.sample aria-hidden="true" viewBox="0 0 4 2" {
                @match class {
                    "wasted" => path.wasted d="M.2 2V0h.6V2zM1.2 2V0h.6V2zM2.2 2V0h.6V2zM3.2 2V0h.6V2z" {},
                    "goodput" | "incident" => rect class=(class) width="4" height="2" {},
                    _ => path class=(class) d="M0 1h4" {},
                }
            }
        }
    };
    let frame = Frame::of(settings);
    let kind = frame.limit_kind;
    let limit = format!("{kind}, {} requests/s", rate(frame.limit));
    let even = format!("break-even: load × requests per call = {kind}");
    let goodput = "calls that succeeded, when they ended: the goodput";
    let has_break_even = setups
        .iter()
        .any(|setup| break_even(frame.limit, setup).is_some());
    let has_limit = setups.iter().any(|setup| setup.concurrency > 0);
    let kinds = [
        ("goodput", goodput, true),
        ("wasted", WASTED, true),
        ("load", "new calls: the load", true),
        ("capacity", &*limit, true),
        ("break-even", &*even, has_break_even),
        ("limit", LIMIT, has_limit),
        ("incident", "the incident", frame.incident.is_some()),
    ];
    let kinds = kinds.into_iter().filter(|(.., is_shown)| *is_shown);
    markup! {
        ul.legend aria-label="Legend" {
            @for (class, words, _) in kinds { li { (sample(class)) (words) } }
        }
        p.remark { (frame.remark()) }
    }
}

#[cfg(test)]
mod tests {
    use std::{ops::ControlFlow, time::Duration};

    use super::*;
    use crate::{STORIES, simulate};

    #[test]
    fn the_limit_that_is_drawn_is_the_one_that_requests_meet_first() {
        let legend = |rate_limit| {
            let settings = Settings {
                rate_limit,
                ..Settings::DEFAULT
            };
            assert_eq!(
                Frame::of(&settings).limit,
                if rate_limit == 60 { 60.0 } else { 100.0 }
            );
            legend(&settings, &[&Setup::DEFAULT]).into_string()
        };

        let limited = legend(60);
        for words in [
            "rate limit, 60 requests/s",
            "load × requests per call = rate limit",
        ] {
            assert!(limited.contains(words), "{limited}");
        }
        for limit in [0, 100, 200] {
            let unlimited = legend(limit);
            assert!(
                unlimited.contains("capacity, 100 requests/s"),
                "{unlimited}"
            );
            assert!(!unlimited.contains("rate limit"), "{unlimited}");
        }
    }

    #[test]
    fn a_guess_is_right_by_the_rows_of_the_story_and_open_with_other_settings() {
        let mut plan = Plan::of(&STORIES[0]);
        plan.settings.length = Duration::from_secs(20);
        let other = simulate(&plan, |_| ControlFlow::Continue(())).expect("a storm");
        let own = Storm {
            lesson: Some(STORIES[0].lesson),
            ..other.clone()
        };
        assert_eq!(
            other.lesson, None,
            "its settings are not those of the story"
        );
        let verdict = |storm: &Storm, guess: &[&str]| {
            let guess: Vec<_> = guess.iter().map(|name| (*name).to_owned()).collect();
            guess_verdict(storm, &guess).into_string()
        };

        let right = verdict(&own, &["3, budget", "1 attempt"]);
        assert!(right.contains("3, budget · 1 attempt: right."), "{right}");
        let wrong = verdict(&own, &["3, budget"]);
        assert!(wrong.contains("Right: 1 attempt · 3, budget."), "{wrong}");
        let open = verdict(&other, &["3, budget"]);
        assert!(
            open.ends_with("Compare it with the pictures.</p>"),
            "{open}"
        );
        assert_eq!(verdict(&own, &[]), "");
    }
}
