//! A storm as HTML: a picture for each policy, all on the same axes, and the same data as
//! numbers. A report is a page around the fragment that the web UI shows.

use std::{collections::BTreeSet, fmt::Write, time::Duration};

use maud::{Markup, html as markup};
use render::{
    Mark, Table,
    page::{self, class_and_mark, document, marked},
};

use crate::{
    Interval, MarkedRate, Plan, STEP, Settings, Storm, StormCurves, StormFrame, StormPicture,
    StormPolicy, moment, storm_figures, storm_learnt, storm_terms,
};

/// Renders a storm as a page.
#[must_use]
pub fn html_storm(storm: &Storm) -> String {
    let frame = StormFrame::of(&storm.settings);
    let pictures = StormPicture::all(storm, &frame);
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
                    p { (story.question) }
                }
                (happened(&terms_of(storm), &frame, &pictures, Some((storm, &[]))))
                (conclusions(storm, markup! { code { "lab scenario " (story.scenario) } }))
            }
            footer {
                p { "seed " (storm.seed) " · " (storm.generator) " · virtual time" }
            }
        },
    )
}

/// The pictures of a storm before it is simulated.
#[must_use]
pub fn storm_begun(plan: &Plan, frame: &StormFrame, pictures: &[StormPicture]) -> Markup {
    let terms = terms(&plan.settings, &plan.policies, plan.seed);
    happened(&terms, frame, pictures, None)
}

/// A storm that is over, with the policies that the reader guessed.
#[must_use]
pub fn storm_over(storm: &Storm, guess: &[String]) -> Markup {
    let frame = StormFrame::of(&storm.settings);
    let pictures = StormPicture::all(storm, &frame);
    let scenario = storm.story.scenario;
    markup! {
        (happened(&terms_of(storm), &frame, &pictures, Some((storm, guess))))
        (conclusions(storm, markup! { a href={ "/#" (scenario) } { (scenario) } }))
    }
}

fn terms_of(storm: &Storm) -> String {
    let policies = storm.policies.iter().map(|run| &run.policy);
    terms(&storm.settings, policies, storm.seed)
}

fn terms<'a>(
    settings: &Settings,
    policies: impl IntoIterator<Item = &'a StormPolicy>,
    seed: u64,
) -> String {
    let seed = format!("seed {seed}");
    let terms = storm_terms(settings, policies).into_iter().chain([seed]);
    terms.collect::<Vec<_>>().join(" · ")
}

/// The pictures, and once the storm is over its result, and whether the guess was right.
fn happened(
    terms: &str,
    frame: &StormFrame,
    pictures: &[StormPicture],
    over: Option<(&Storm, &[String])>,
) -> Markup {
    markup! {
        section.panel.picture aria-labelledby="storm-happened" {
            header {
                h2 #storm-happened { "What happened" }
                @if let Some((storm, _)) = over { p.result { (storm.result()) } }
            }
            @if let Some((storm, guess)) = over { (guess_verdict(storm, guess)) }
            p.terms { (terms) }
            div.storm {
                @for (number, picture) in pictures.iter().enumerate() {
                    (storm_picture(number, picture, frame))
                }
            }
            (legend(frame, pictures))
        }
    }
}

/// Whether the guess was right, if the reader guessed and the storm tells.
fn guess_verdict(storm: &Storm, guess: &[String]) -> Markup {
    let right = storm.right_guess().filter(|_| !guess.is_empty());
    let guessed: BTreeSet<_> = guess.iter().map(String::as_str).collect();
    let is_right = right
        .as_ref()
        .map(|right| BTreeSet::from_iter(right.iter().copied()) == guessed);
    let (class, mark) = class_and_mark(is_right);
    markup! {
        @if !guess.is_empty() {
            p.answer {
                b class=(class) { (mark) " Your guess: " }
                (guess.join(" · "))
                @match (is_right, right) {
                    (Some(true), _) => ": right.",
                    (_, Some(right)) if right.is_empty() => ". Right: none of them.",
                    (_, Some(right)) => { ". Right: " (right.join(" · ")) "." },
                    (_, None) => ". This storm does not tell which guess is right.",
                }
            }
        }
    }
}

/// The conclusions, and the figures. `scenario` leads to the same with one client.
fn conclusions(storm: &Storm, scenario: Markup) -> Markup {
    markup! {
        div.learned {
            section.panel aria-labelledby="learnt" {
                h2 #learnt { "What it shows" }
                @for (title, text) in storm_learnt(storm) {
                    h3 { (title) }
                    @if text.starts_with("https://") {
                        p { a href=(text) rel="noreferrer" { (text) } }
                    } @else {
                        p { (text) }
                    }
                }
                h3 { "With one client" }
                p { (scenario) "; the rule: " code { (storm.story.rule) } }
            }
        }
        (figures(&storm_figures(storm)))
    }
}

/// The picture of one policy.
#[must_use]
pub fn storm_picture(number: usize, picture: &StormPicture, frame: &StormFrame) -> Markup {
    let [title, text] = ["title", "text"].map(|part| format!("picture-{number}-{part}"));
    markup! {
        figure id={ "picture-" (number) } {
            h3 { (picture.policy) " " (ending(picture)) }
            p.changed { (picture.changed.as_deref().unwrap_or_default()) }
            svg.plot role="img" aria-labelledby={ (title) " " (text) } {
                title id=(title) { (picture.policy) }
                desc id=(text) { (picture.text) }
                (ground(frame))
                (curves(&picture.curves, frame))
                (marks(picture, frame))
            }
            figcaption {
                (picture.remark) br; (picture.brief)
            }
        }
    }
}

fn ending(picture: &StormPicture) -> Markup {
    let is_good = match picture.ending.mark {
        Mark::Ok => Some(true),
        Mark::Failed => Some(false),
        _ => None,
    };
    markup! {
        @if !picture.ending.words.is_empty() { (marked(is_good, &picture.ending.words)) }
    }
}

/// The layer below the curves: the incident, and the grid lines of the rates.
fn ground(frame: &StormFrame) -> Markup {
    markup! {
        @if let Some(Interval { began, ended, .. }) = &frame.incident {
            rect.incident x={ (across(frame, *began)) "%" } width={ (across(frame, *ended - *began)) "%" }
                height="100%" {}
        }
        @for MarkedRate { rate, label } in &frame.rates {
            line.rule x2="100%" y1={ (down(frame, *rate)) "%" } y2={ (down(frame, *rate)) "%" } {}
            text.rate x="-.5em" y={ (down(frame, *rate)) "%" } dy=".35em" text-anchor="end" { (label) }
        }
    }
}

/// The curves, in a nested picture: one unit is one column, or one call or request per
/// second.
fn curves(curves: &StormCurves, frame: &StormFrame) -> Markup {
    let view = format!("0 0 {} {}", frame.columns, short(frame.top));
    markup! {
        svg viewBox=(view) preserveAspectRatio="none" width="100%" height="100%" {
            path.goodput d=(area(&curves.goodput, frame.top)) {}
            path.wasted d=(stripes(&curves.goodput, &curves.throughput, frame.top)) {}
            path.load d=(line(&curves.load, frame.top)) {}
            @if !curves.limit.is_empty() { path.limit d=(line(&curves.limit, frame.top)) {} }
        }
    }
}

/// The layer above the curves: the capacity, the break-even, and the end of the incident.
fn marks(picture: &StormPicture, frame: &StormFrame) -> Markup {
    let level = |class, at: &MarkedRate| {
        let at = down(frame, at.rate);
        markup! { line class=(class) x2="100%" y1={ (at) "%" } y2={ (at) "%" } {} }
    };
    markup! {
        (level("capacity", &frame.capacity))
        @if let Some(break_even) = &picture.break_even { (level("break-even", break_even)) }
        @if let Some(Interval { ended, label, anchor, .. }) = &frame.incident {
            @let ended = across(frame, *ended);
            line.ended x1={ (ended) "%" } x2={ (ended) "%" } y2="100%" {}
            text.ended x={ (ended) "%" } y="-.4em" dx=(if *anchor == "start" { ".2em" } else { "-.2em" })
                text-anchor=(anchor) { (label) }
        }
        @for tick in &frame.axis.ticks {
            text x={ (across(frame, tick.at)) "%" } y="100%" dy="1.25em" text-anchor="middle" { (tick.label) }
        }
    }
}

/// The horizontal position of a moment, in percent of the width.
fn across(frame: &StormFrame, moment: Duration) -> f64 {
    100.0 * moment.as_secs_f64() / frame.axis.length.as_secs_f64()
}

/// The vertical position of a rate, in percent of the height from the top.
fn down(frame: &StormFrame, rate: f64) -> f64 {
    100.0 * (1.0 - rate / frame.top)
}

/// Adjacent columns from the ground up to each rate.
fn area(rates: &[f64], top: f64) -> String {
    let mut path = format!("M0 {}", short(top));
    for rate in rates {
        let _ = write!(path, "V{}h1", short(top - rate.min(top)));
    }
    path + "V" + &short(top) + "z"
}

/// A narrow stripe in each column, from the first rate to the second. Stripes and filled
/// areas differ even without colour.
fn stripes(from: &[f64], to: &[f64], top: f64) -> String {
    let mut path = String::new();
    for (column, (from, to)) in from.iter().zip(to).enumerate() {
        if to > from {
            let [from, to] = [from, to].map(|rate| short(top - rate.min(top)));
            let _ = write!(path, "M{column}.2 {from}V{to}h.6V{from}z");
        }
    }
    path
}

/// A line with a step for each column.
fn line(rates: &[f64], top: f64) -> String {
    let mut path = String::new();
    for (column, rate) in rates.iter().enumerate() {
        let start = if column == 0 { "M0 " } else { "V" };
        let _ = write!(path, "{start}{}h1", short(top - rate.min(top)));
    }
    path
}

/// A number with one decimal, unless it is whole.
fn short(number: f64) -> String {
    let tenths = (number * 10.0).round() / 10.0;
    tenths.to_string()
}

/// The meanings of the less common curves.
const WASTED: &str = "work for attempts that had timed out; with the goodput it is the throughput";
const BREAK_EVEN: &str = "break-even: load × requests per call = capacity";
const LIMIT: &str = "attempts in flight that a client allows itself; full height is its maximum";

fn legend(frame: &StormFrame, pictures: &[StormPicture]) -> Markup {
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
    let has_break_even = pictures.iter().any(|picture| picture.break_even.is_some());
    let has_limit = pictures
        .iter()
        .any(|picture| !picture.curves.limit.is_empty());
    let kinds = [
        (
            "goodput",
            "calls that succeeded, when they ended: the goodput",
            true,
        ),
        ("wasted", WASTED, true),
        ("load", "new calls: the load", true),
        ("capacity", &*frame.capacity.label, true),
        ("break-even", BREAK_EVEN, has_break_even),
        ("limit", LIMIT, has_limit),
        ("incident", "the incident", frame.incident.is_some()),
    ];
    let kinds = kinds.into_iter().filter(|(.., is_shown)| *is_shown);
    markup! {
        ul.legend aria-label="Legend" {
            @for (class, words, _) in kinds { li { (sample(class)) (words) } }
        }
        p.remark {
            "Calls and requests per second, over the time since the start. Each column is "
            (moment(STEP * frame.steps_per_column as u32)) " of time. "
            (frame.beyond.as_deref().unwrap_or_default())
        }
    }
}

/// The caption of the figures.
const MEASURED: &str = "Of all calls; at the end is the average of the last quarter of the time \
                        after the incident";

fn figures(table: &Table) -> Markup {
    markup! {
        section.panel aria-labelledby="figures" {
            h2 #figures { "In figures" }
            (page::table(Some("figures"), ("measured", MEASURED), table))
        }
    }
}
