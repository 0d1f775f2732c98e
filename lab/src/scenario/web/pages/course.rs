//! The course: its plans, and its scenarios by chapters.

use axum::{extract::State, response::Response};
use maud::{Markup, html};
use render::page::panel;
use scenario::catalogue::{CATALOGUE, Chapter, Scenario};

use super::super::{Runs, ticks::Ticks};
use crate::web::{
    fields::Fields,
    modes::Modes,
    page::{Changes, Page, View},
    plan::{PLANS, Plan},
    shared::Shared,
};

/// The course beside the main part of a page: every scenario by its name, with its tick.
pub(crate) fn side(runs: &Runs, chosen: Option<&Scenario>, modes: Modes) -> Markup {
    let ticks = runs.ticks();
    html! {
        nav #side .side.course tabindex="-1" aria-keyshortcuts="s"
            aria-label={ "Course: " (CATALOGUE.len()) " scenarios in " (Chapter::ALL.len()) " chapters" } {
            @for chapter in Chapter::ALL {
                section {
                    h3 { (chapter.title()) }
                    ol { @for scenario in chapter.scenarios() {
                        @let is_chosen = chosen.is_some_and(|chosen| chosen.name() == scenario.name());
                        @let (sign, class, words) = ticks.of(scenario).shown();
                        li {
                            a href=(link(scenario, modes)) aria-current=[is_chosen.then_some("true")]
                                title=[(!modes.predict).then_some(scenario.words.title)] {
                                span class={ "sign " (class) } aria-hidden="true" { (sign) }
                                (scenario.name())
                                span.unseen { ", " (words) }
                            }
                        }
                    } }
                }
            }
        }
    }
}

/// The course as chips by chapters, with the scenario to run next.
pub(crate) fn chapters(runs: &Runs, modes: Modes) -> Markup {
    let ticks = runs.ticks();
    let next = next(&ticks);
    let chip = |scenario: &Scenario| {
        let is_next = next.is_some_and(|next| next.name() == scenario.name());
        let (sign, class, words) = if is_next {
            ("▶", "soft", "next")
        } else {
            ticks.of(scenario).shown()
        };
        html! {
            a.chip.next[is_next] href=(link(scenario, modes)) title=[(!modes.predict).then_some(scenario.words.title)] {
                span class={ "sign " (class) } role="img" aria-label=(words) { (sign) }
                (scenario.name())
            }
        }
    };
    let next = next.map_or_else(String::new, |next| format!(" · next: {}", next.name()));
    let aside = format!("● {} of {} run{next}", ticks.number_run(), CATALOGUE.len());
    panel(
        "course",
        "Course",
        aside,
        &html! {
            ol.chapters { @for chapter in Chapter::ALL {
                li {
                    h3 { (chapter.title()) }
                    ul.chips { @for scenario in chapter.scenarios() { li { (chip(scenario)) } } }
                }
            } }
        },
    )
}

fn link(scenario: &Scenario, modes: Modes) -> String {
    modes.link(format!("/scenarios/{}", scenario.name()))
}

/// How to begin alone, and the plans of a class.
pub(super) async fn page(State(shared): State<Shared>, fields: Fields) -> Response {
    let modes = Modes::of(&fields);
    let main = html! {
        div.titled {
            h1 { "Course" }
            p { "A scenario is one fault, with a question that you can answer before you see the result." }
        }
        (panel("alone", "On your own", "", &alone(&shared.runs, modes)))
        p.question { "In front of a class: open the first stop of a plan, and go on with the key " kbd { "→" } "." }
        @for plan in &PLANS { (plan_panel(plan, modes)) }
    };
    let page = Page {
        side: Some(side(&shared.runs, None, modes)),
        changes: Changes::Possible,
        ..Page::of(View::Course, main)
    };
    page.respond(modes)
}

/// The scenario to begin or to go on with, and what its tick will say.
fn alone(runs: &Runs, modes: Modes) -> Markup {
    let guessing = Modes {
        predict: true,
        ..modes
    };
    let next = next(&runs.ticks());
    html! {
        p.actions {
            @match next {
                Some(scenario) => {
                    a.button.primary href=(link(scenario, guessing)) {
                        @if runs.ticks().number_run() == 0 { "Start with " } @else { "Go on with " }
                        (scenario.name())
                    }
                    span { "Guess, run it, read why, and go on with " b { "›" } " to the next." }
                },
                None => span { "You have run all " (CATALOGUE.len()) " scenarios. Guess again where a ★ is missing." },
            }
        }
        p.soft {
            span.sign.visited { "●" } " run, " span.sign.ok { "★" }
            " also guessed rightly, with Predict first. Both count since the lab started."
        }
    }
}

/// The first scenario of the course that this lab has not run.
fn next(ticks: &Ticks) -> Option<&'static Scenario> {
    CATALOGUE.iter().find(|scenario| !ticks.of(scenario).is_run)
}

fn plan_panel(plan: &Plan, modes: Modes) -> Markup {
    let body = html! {
        table.plan {
            thead { tr {
                @for title in ["minutes", "block", "shown", "the class builds"] { th scope="col" { (title) } }
            } }
            tbody {
                @for (first, block) in plan.numbered_blocks() {
                    tr {
                        td { (block.minutes) }
                        th scope="row" { (block.title()) }
                        td { ol.stops { @for (number, shows) in (first..).zip(block.shows) {
                            @if let Some(link) = plan.link(number, modes) {
                                li { a href=(link) { (number) ". " (shows.label()) } }
                            }
                        } } }
                        td { (block.builds.join(", ")) }
                    }
                }
            }
        }
    };
    let title = format!("In {} minutes", plan.minutes);
    let aside = format!("{} stops", plan.stops().count());
    panel(&format!("plan-{}", plan.minutes), title, aside, &body)
}
