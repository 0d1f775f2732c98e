//! The frame of every page: its header, its modes, and its main part.

use axum::{
    body::Body,
    response::{Html, IntoResponse, Response},
};
use http::{
    StatusCode,
    header::{CACHE_CONTROL, VARY},
};
use maud::{DOCTYPE, Markup, html};

use super::{
    modes::{Address, Modes},
    steps,
};

/// The views of the lab, in the order of the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    Overview,
    Course,
    Runs,
    Metrics,
    Storm,
    Client,
}

impl View {
    const ALL: [Self; 6] = [
        Self::Overview,
        Self::Course,
        Self::Runs,
        Self::Metrics,
        Self::Storm,
        Self::Client,
    ];

    fn title(self) -> &'static str {
        match self {
            Self::Overview => "Overview",
            Self::Course => "Course",
            Self::Runs => "Runs",
            Self::Metrics => "Metrics",
            Self::Storm => "Storm",
            Self::Client => "Your client",
        }
    }

    fn path(self) -> &'static str {
        match self {
            Self::Overview => "/",
            Self::Course => "/course",
            Self::Runs => "/runs",
            Self::Metrics => "/metrics-view",
            Self::Storm => "/storm",
            Self::Client => "/client",
        }
    }

    /// The key that leads to it.
    fn key(self) -> &'static str {
        match self {
            Self::Overview => "o",
            Self::Course => "c",
            Self::Runs => "l",
            Self::Metrics => "t",
            Self::Storm => "m",
            Self::Client => "g",
        }
    }
}

/// Whether a page listens for changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Changes {
    /// It never changes.
    Never,
    /// It may change, and nothing on it is in progress.
    Possible,
    /// Something on it is in progress: without a stream the page reloads itself.
    InProgress,
}

/// A page.
pub(crate) struct Page {
    /// The view that it belongs to; an error belongs to none.
    pub(crate) view: Option<View>,
    /// Its title in the window, without the name of the lab.
    pub(crate) title: String,
    /// Its own address, which the links to its modes lead to. None if it has no modes.
    pub(crate) address: Option<Address>,
    pub(crate) changes: Changes,
    /// What stands beside the main part: the course.
    pub(crate) side: Option<Markup>,
    pub(crate) main: Markup,
    /// The steps of a presentation; none if there is only one.
    pub(crate) steps: Option<Markup>,
    pub(crate) status: StatusCode,
}

/// The time after which a page without a stream reloads itself, in seconds.
const RELOAD: u8 = 2;

/// The scripts of every page.
const SCRIPTS: [&str; 3] = ["live.js", "keys.js", "copy.js"];

/// The keys that a page may have, with what they do.
const KEYS: [(&str, &str); 14] = [
    ("r", "Run, or run again"),
    ("x", "Cancel the run that is shown"),
    ("1 2 3", "Reliable, naive, or both clients"),
    ("w", "Go to the run"),
    ("s", "Go to the list of scenarios"),
    ("n b", "The next or the previous scenario"),
    ("→ ←", "In a presentation: the next or the previous step"),
    ("p", "Predict first: no ending before your guess"),
    ("f", "Present: one thing fills the screen; again to leave"),
    ("o c l", "Overview, Course, Runs"),
    ("t m g", "Metrics, Storm, Your client"),
    ("Enter", "On a row of a waterfall: open or close it"),
    ("?", "These keys"),
    ("Esc", "Close this"),
];

impl Page {
    /// A page of a view that never changes, at the address of the view.
    pub(crate) fn of(view: View, main: Markup) -> Self {
        Self {
            view: Some(view),
            title: view.title().to_owned(),
            address: Some(Address::new(view.path())),
            changes: Changes::Never,
            side: None,
            main,
            steps: None,
            status: StatusCode::OK,
        }
    }

    /// The page as a response.
    pub(crate) fn respond(&self, modes: Modes) -> Response {
        (self.status, Self::response(self.html(modes))).into_response()
    }

    /// The page as text.
    pub(crate) fn html(&self, modes: Modes) -> String {
        render::harmless(&self.document(modes).into_string())
    }

    /// The text of a page as a response. It is never stored, and an error at its address may be
    /// something else than a page.
    pub(crate) fn response(html: impl Into<Body>) -> impl IntoResponse {
        let headers = [(CACHE_CONTROL, "no-store"), (VARY, "accept")];
        (headers, Html(html.into()))
    }

    fn document(&self, modes: Modes) -> Markup {
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    title { (self.title) " · lab" }
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    link rel="icon" href="/assets/favicon.svg" type="image/svg+xml";
                    link rel="stylesheet" href="/assets/style.css";
                    @for file in SCRIPTS {
                        script type="module" src={ "/assets/" (file) } {}
                    }
                    @if self.changes == Changes::InProgress {
                        noscript { meta http-equiv="refresh" content=(RELOAD); }
                    }
                }
                body.present[modes.present] {
                    (render::timeline::patterns())
                    a.skip href="#main" { "Skip to the content" }
                    @if !modes.present { (self.header(modes)) }
                    @match &self.side {
                        Some(side) if !modes.present => {
                            div.split { (side) (self.main_part(modes)) }
                        }
                        _ => (self.main_part(modes)),
                    }
                    (keys())
                }
            }
        }
    }

    fn main_part(&self, modes: Modes) -> Markup {
        let changes = match self.changes {
            Changes::Never => None,
            Changes::Possible => Some("possible"),
            Changes::InProgress => Some("in-progress"),
        };
        html! {
            main #main tabindex="-1" data-changes=[changes] {
                (self.main)
                @if modes.present {
                    footer {
                        @match &self.steps {
                            Some(steps) => (steps),
                            None => (steps::of_one_step(modes)),
                        }
                        @if let Some(address) = &self.address {
                            (predict_first(modes, address))
                            a.button href=(modes.left().link(address.clone())) aria-keyshortcuts="f" { "Leave" }
                        }
                        (show_keys())
                    }
                }
            }
        }
    }

    fn header(&self, modes: Modes) -> Markup {
        html! {
            header.top {
                a.brand href=(modes.link("/")) {
                    svg viewBox="0 0 28 18" aria-hidden="true" {
                        rect.i-failed x="0" y="1" width="5" height="4" rx="1" {}
                        rect.bar.wait x="6.5" y="7.5" width="13" height="3" {}
                        rect.i-ok x="21" y="13" width="7" height="4" rx="1" {}
                    }
                    "lab"
                }
                nav.views aria-label="Views" {
                    @for view in View::ALL {
                        a href=(modes.link(view.path())) aria-keyshortcuts=(view.key())
                            aria-current=[(self.view == Some(view)).then_some("page")] { (view.title()) }
                    }
                }
                div.tools {
                    @if self.changes != Changes::Never {
                        span #link .live role="status" hidden { "live" }
                    }
                    @if let Some(address) = &self.address {
                        a.button href=(Modes { present: true, ..modes }.link(address.clone())) aria-keyshortcuts="f" { "Present" }
                        (predict_first(modes, address))
                    }
                    (show_keys())
                }
            }
        }
    }
}

/// The link that changes the mode *Predict first*.
fn predict_first(modes: Modes, address: &Address) -> Markup {
    let other = Modes {
        predict: !modes.predict,
        ..modes
    };
    html! {
        a.button.chosen[modes.predict] href=(other.link(address.clone())) aria-keyshortcuts="p"
            title=(if modes.predict { "Show endings again" } else { "Show no ending before a guess" }) {
            @if modes.predict { "Predict first: on" } @else { "Predict first" }
        }
    }
}

/// The button that opens the list of keys. It is shown where scripts run.
fn show_keys() -> Markup {
    html! {
        button #show-keys .for-keys type="button" popovertarget="keys" aria-keyshortcuts="?" { "Keys" }
    }
}

/// The list of keys.
fn keys() -> Markup {
    html! {
        div #keys popover role="dialog" aria-labelledby="keys-title" {
            h2 #keys-title { "Keys" }
            dl {
                @for (keys, what) in KEYS {
                    div {
                        dt { @for key in keys.split(' ') { kbd { (key) } " " } }
                        dd { (what) }
                    }
                }
            }
            label.switch {
                input #keys-on type="checkbox" checked;
                " Single keys work everywhere except in fields"
            }
            p { button.primary type="button" popovertarget="keys" popovertargetaction="hide" { "Close" } }
        }
    }
}
