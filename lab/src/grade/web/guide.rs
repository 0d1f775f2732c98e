//! The page without a program: how to start grading one.

use axum::response::Response;
use grade::TASKS;
use maud::html;
use render::page::panel;

use crate::{
    invocation::lab,
    web::{
        modes::Modes,
        page::{Page, View},
    },
};

pub(super) fn page(modes: Modes) -> Response {
    let lab = lab();
    let lines = [
        (
            format!("{lab} starter python"),
            "Writes client.py, never over a file that is there. It also knows node, go and rust.",
        ),
        (
            format!("{lab} grade -- python3 client.py"),
            "Grades it once in the terminal, up to the first task that is not done. Any other language will do.",
        ),
        (
            format!("{lab} serve --watch client.py -- python3 client.py"),
            "Shows its card on this page, and again at every save. Stop this lab first.",
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
