//! The overview: what the lab is, a first action, and what has happened so far.

use axum::{extract::State, response::Response};
use maud::{Markup, html};
use render::page::panel;

use super::{
    fields::Fields,
    modes::Modes,
    page::{Changes, Page, View},
    shared::Shared,
};
use crate::{invocation::lab, scenario};

/// How many runs are listed.
const NEWEST: usize = 10;

pub(super) async fn page(State(shared): State<Shared>, fields: Fields) -> Response {
    let modes = Modes::of(&fields);
    let example = if modes.predict {
        None
    } else {
        scenario::web::example(&shared, modes).await
    };
    let main = html! {
        section.panel.hero aria-labelledby="what" {
            div {
                h1 #what { "A service fails on purpose. See what a client does about it." }
                p.soft { "Each attempt, each wait, each job it created twice." }
                form method="post" action="/runs" {
                    input type="hidden" name="scenario" value="flaky";
                    (modes.hidden())
                    button.primary.big type="submit" aria-keyshortcuts="r" { "▶ Run flaky" }
                    span { "or predict first: "
                        a href=(Modes { predict: true, ..modes }.link("/scenarios/retry-after-seconds")) { "retry-after-seconds" } }
                }
            }
            @match &example {
                Some(example) => (example),
                None => p.soft { "The example is hidden while you predict first: guess what a run shows before you see it." },
            }
        }
        div.overview {
            (scenario::web::chapters(&shared.runs, modes))
            (panel("last-runs", "Last runs", "", &html! {
                (scenario::web::newest_runs(&shared, NEWEST, modes))
                p { a href=(modes.link("/runs")) { "All runs" } }
            }))
            div.stack {
                (door("Storm", "Many clients, one service, a short incident: do retries keep it down?", &modes.link("/storm")))
                (door("Your client", "Any language, 22 tasks. Write one, and grade it.", &modes.link("/client")))
                section.panel aria-labelledby="service" {
                    h2 #service { "The teaching service" }
                    p { code { (shared.service) } }
                    p.soft { "Call it with any client, or: " code { (lab()) " scenario flaky --live" } }
                }
            }
        }
    };
    let page = Page {
        changes: if shared.runs.in_progress() {
            Changes::InProgress
        } else {
            Changes::Possible
        },
        ..Page::of(View::Overview, main)
    };
    page.respond(modes)
}

fn door(title: &str, what: &str, link: &str) -> Markup {
    html! {
        a.panel.door href=(link) {
            h2 { (title) }
            p { (what) }
        }
    }
}
