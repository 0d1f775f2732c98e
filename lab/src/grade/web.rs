//! *Your client* on the page: how to start grading one.

use axum::{Router, response::Response, routing::get};
use grade::TASKS;
use maud::{Markup, html};
use render::page::panel;

use crate::{
    invocation::lab,
    web::{
        fields::Fields,
        modes::Modes,
        page::{Page, View},
        shared::Shared,
    },
};

/// The route of the page.
pub(crate) fn routes() -> Router<Shared> {
    Router::new().route("/client", get(page))
}

/// The way to *Your client* from the overview.
pub(crate) fn door(modes: Modes) -> Markup {
    let lab = lab();
    html! {
        section.panel aria-labelledby="door-client" {
            header {
                h2 #door-client { "Your client" }
                a.aside href=(modes.link("/client")) { "how to start" }
            }
            p { "Any language, " (TASKS.len()) " tasks. Write one, and grade it:" }
            p { code { (lab) " starter python" } }
            p { code { (lab) " grade -- python3 client.py" } }
        }
    }
}

async fn page(fields: Fields) -> Response {
    let modes = Modes::of(&fields);
    let lab = lab();
    let lines = [
        (
            format!("{lab} starter python"),
            "Writes client.py, never over a file that is there. It also knows node, go and rust.",
        ),
        (
            format!("{lab} grade -- python3 client.py"),
            "Grades it once, up to the first task that is not done. Any other language will do.",
        ),
        (
            format!("{lab} grade --watch client.py -- python3 client.py"),
            "Grades it again at every save, until the task is done.",
        ),
    ];
    let tasks = html! {
        ol.chips { @for task in TASKS {
            li { span.chip { span.sign.soft aria-hidden="true" { "·" } (task.words.name) } }
        } }
    };
    let main = html! {
        div.titled {
            h1 { "Your client" }
            p { "A terminal grades the program that you name there." }
        }
        p.question {
            "Write a client in any language. The service fails in " (TASKS.len())
            " ways; the card says what your client did about each."
        }
        (panel("lines", "Three lines", "in a terminal", &html! {
            ol.lines { @for (command, what) in &lines {
                li { code { (command) } button.copy type="button" { "Copy" } p { (what) } }
            } }
        }))
        (panel("tasks", format!("{} tasks, in this order", TASKS.len()), "about a minute for all", &tasks))
        p.soft { "Nothing on this page can name or start a program: only a terminal can." }
    };
    Page::of(View::Client, main).respond(modes)
}
