//! The overview: what the lab is, a first action, and what has happened so far.

use axum::{extract::State, response::Response};
use maud::html;

use super::{
    fields::Fields,
    metrics_view::tiles,
    modes::Modes,
    page::{Changes, Page, View},
    shared::Shared,
};
use crate::{grade, scenario, storm};

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
                h1 #what { "A service fails on purpose." br; "See what a client does about it." }
                p.soft { "Each attempt, each wait, each job created twice." }
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
        (tiles(&shared.metrics, modes))
        // A class looks at one thing.
        @if !modes.present {
            div.overview {
                (scenario::web::chapters(&shared.runs, modes))
                (scenario::web::newest_runs(&shared, NEWEST, modes))
                div.stack {
                    (storm::web::door(&shared, modes))
                    (grade::web::door(&shared, modes))
                }
            }
        }
    };
    let page = Page {
        changes: if shared.runs.in_progress() || shared.client.in_progress() {
            Changes::InProgress
        } else {
            Changes::Possible
        },
        ..Page::of(View::Overview, main)
    };
    page.respond(modes)
}
