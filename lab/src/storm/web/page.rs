//! The page of storms, which a script fills.

use axum::response::Response;
use maud::html;

use crate::web::{
    fields::Fields,
    modes::Modes,
    page::{Page, View},
};

pub(super) async fn page(fields: Fields) -> Response {
    let main = html! {
        section.brief aria-labelledby="storm-title" {
            h1 #storm-title { "Storm" }
            p #storm-question .question { "Many clients call one service, and an incident disturbs it for a short time." }
            noscript { p { "This page simulates storms with JavaScript, which is off. In a terminal: " code { "lab storm" } } }
            form #storm-form autocomplete="off" {
                fieldset.guesses { legend { "Guess first" } div #storm-guesses .choice {} }
                button #start-storm .primary aria-keyshortcuts="r" { "Run" }
                button #cancel-storm type="button" aria-keyshortcuts="x" hidden { "Cancel" }
                label { "Story " select #stories {} }
                label { "Seed " input name="seed" inputmode="numeric" placeholder="1"; }
                details #storm-options .settings {
                    summary { "Load, service, and your own policy" }
                    fieldset.sliders { legend { "For all policies" } div #storm-settings {} }
                    fieldset.sliders {
                        legend { label { input #storm-with-own type="checkbox"; " Your own policy" } }
                        div #storm-own {}
                    }
                }
            }
            p #storm-problem .problem role="alert" {}
        }
        p #storm-nothing .nothing {
            span #storm-rows {} " Guess, and press " b { "Run" } span.for-keys { ", or the key " kbd { "r" } } "."
        }
        div #pictures .fragment {}
        p #storm-actions .actions hidden {
            a #storm-report download { "Download the report" }
            button #storm-link type="button" { "Copy the link" }
        }
        p #announce .unseen role="status" {}
    };
    let page = Page {
        address: None,
        assets: &["scripted.css", "storm.js"],
        ..Page::of(View::Storm, main)
    };
    page.respond(Modes::of(&fields).left())
}
