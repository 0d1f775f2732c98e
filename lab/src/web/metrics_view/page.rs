//! The page of the counters over time, which a script fills.

use axum::response::Response;
use maud::html;

use crate::web::{
    fields::Fields,
    modes::Modes,
    page::{Page, View},
};

pub(super) async fn page(fields: Fields) -> Response {
    let main = html! {
        section.brief aria-labelledby="metrics-view-title" {
            h1 #metrics-view-title { "Metrics" }
            p.question {
                "What this lab has counted since its start. The lines show the last 15 minutes at most, each on \
                 a scale of its own. A ▼ is the start of a finished run of this web UI that moved the line: press \
                 it to open the run. What " code { "lab load" } " does is counted too, and what the service does \
                 for other clients, without a ▼."
            }
            noscript { p { "This page draws its charts with JavaScript, which is off. The numbers are those of " code { "/metrics" } "." } }
        }
        p #charts-link .soft role="status" { "connecting" }
        div #charts .charts { p { "The charts appear within a second." } }
    };
    let page = Page {
        address: None,
        assets: &["scripted.css", "metrics-view.css", "metrics-view.js"],
        ..Page::of(View::Metrics, main)
    };
    page.respond(Modes::of(&fields).left())
}
