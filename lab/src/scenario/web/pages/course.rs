//! The course: its plans, and its scenarios by chapters.

use axum::{extract::State, response::Response};
use maud::{Markup, html};
use render::page::{ChipState, chip, panel};
use scenario::catalogue::{CATALOGUE, Chapter, Scenario};

use super::{super::Runs, plan::PLANS};
use crate::web::{
    fields::Fields,
    modes::Modes,
    page::{Changes, Page, View},
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
    let mut course = Chapter::ALL.into_iter().flat_map(Chapter::scenarios);
    let next = course.find(|scenario| !ticks.of(scenario).is_run);
    let chip_of = |scenario: &Scenario| {
        let is_next = next.is_some_and(|next| next.name() == scenario.name());
        let state = if ticks.of(scenario).is_run {
            ChipState::Done
        } else if is_next {
            ChipState::Next
        } else {
            ChipState::Open
        };
        let title = if modes.predict {
            ""
        } else {
            scenario.words.title
        };
        chip(state, scenario.name(), title, &link(scenario, modes))
    };
    let next = next.map_or_else(String::new, |next| format!(" · next: {}", next.name()));
    let aside = format!("{} of {} run{next}", ticks.number_run(), CATALOGUE.len());
    panel(
        "course",
        "Course",
        aside,
        &html! {
            ol.chapters { @for chapter in Chapter::ALL {
                li {
                    h3 { (chapter.title()) }
                    ul.chips { @for scenario in chapter.scenarios() { li { (chip_of(scenario)) } } }
                }
            } }
        },
    )
}

fn link(scenario: &Scenario, modes: Modes) -> String {
    modes.link(format!("/scenarios/{}", scenario.name()))
}

/// The plans of a class.
pub(super) async fn page(State(shared): State<Shared>, fields: Fields) -> Response {
    let modes = Modes::of(&fields);
    let main = html! {
        div.titled {
            h1 { "Course" }
            p { "A scenario is one fault, with a question that you can answer before you see the result." }
        }
        p.question { "Alone: choose a scenario. In front of a class: open a numbered stop of a plan, and go on with the key " kbd { "→" } "." }
        div.pair {
            @for plan in &PLANS {
                @let title = format!("plan-{}", plan.minutes);
                section.panel aria-labelledby=(title) {
                    header {
                        h2 id=(title) { "In " (plan.minutes) " minutes" }
                        span.aside { (plan.stops.len()) " stops" }
                    }
                    table {
                        thead { tr { th scope="col" { "minutes" } th scope="col" { "block" } th scope="col" { "shown" } } }
                        tbody {
                            @for (number, (stop, is_first)) in (1..).zip(plan.stops_of_blocks()) {
                                tr {
                                    td { @if is_first { (stop.minutes) } }
                                    td { @if is_first { (stop.block) } }
                                    td {
                                        @if let Some(link) = plan.link(number, modes) {
                                            a href=(link) { (number) ". " (stop.shows.name()) }
                                            @if let super::plan::Shows::Comparison(_) = stop.shows { " with both clients" }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
        p.soft { "✓ run · ★ also guessed rightly, with Predict first. Both count since the lab started." }
    };
    let page = Page {
        side: Some(side(&shared.runs, None, modes)),
        changes: Changes::Possible,
        ..Page::of(View::Course, main)
    };
    page.respond(modes)
}
