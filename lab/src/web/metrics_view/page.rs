//! The page: eight lanes on one axis of time.

use std::{ops::Range, time::Duration};

use axum::{
    body::Bytes,
    extract::State,
    response::{IntoResponse, Response},
};
use http::{HeaderMap, header::HOST};
use maud::{Markup, html};
use render::{
    Axis, Tick,
    columns::{Columns, Ground, Mark, Series, Spread, sample, sample_of_median, sample_of_tail},
};
use wire::duration;

use super::{
    Sampled,
    counts::{Counts, Quantile},
    history::{COLUMN, COLUMNS},
    lanes::{DURATIONS, DURATIONS_QUESTION, LANES, Lane, query_of_durations},
    marks::{marks, starts},
};
use crate::web::{
    fields::Fields,
    modes::{Address, Modes},
    page::{Changes, Page, View},
    shared::Shared,
    steps::Links,
};

/// The minutes that the columns span.
const MINUTES: u32 = 15;

/// The minutes between two labels of the axis; in large type they need more space.
const STEP: u32 = 3;
const STEP_PRESENTED: u32 = 5;

/// The most pages of a sample that are kept: an address may name any stop of any plan.
const MOST_PAGES: usize = 16;

/// What the page says about its numbers.
const ABOUT: &str = "The last 15 minutes in columns of 15 s. Numbers since the lab started.";

/// The lanes of each step of a presentation; the last is that of the durations.
const STEPS: [(&str, Range<usize>); 2] = [
    ("what the client did", 0..4),
    ("how calls ended, and what the service did", 4..8),
];

/// Which page is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) modes: Modes,
    /// The step of a presentation, from 1.
    pub(super) step: usize,
    /// Whether a run goes on.
    pub(super) in_progress: bool,
    /// Whether the page was asked for under this name of the machine.
    pub(super) at_localhost: bool,
}

/// The other name of 127.0.0.1.
const LOCALHOST: &str = "localhost";

pub(super) async fn page(
    State(shared): State<Shared>,
    headers: HeaderMap,
    fields: Fields,
) -> Response {
    let step = fields.get("step").and_then(|step| step.parse().ok());
    let modes = Modes::of(&fields);
    let shown = Shown {
        modes,
        step: step
            .filter(|_| modes.present)
            .unwrap_or(1)
            .clamp(1, STEPS.len()),
        in_progress: shared.runs.in_progress(),
        at_localhost: headers
            .get(HOST)
            .is_some_and(|host| host.as_bytes().starts_with(LOCALHOST.as_bytes())),
    };
    let page = shared
        .metrics
        .with_sample(|sampled| sampled.page(shown, &shared.service));
    Page::response(page).into_response()
}

/// The axis of the last minutes, with hairlines at these moments.
pub(super) fn ground(hairlines: &[Duration], is_presented: bool) -> Ground {
    let step = if is_presented { STEP_PRESENTED } else { STEP };
    let ticks = (0..=MINUTES / step).map(|tick| Tick {
        at: Duration::from_secs(60) * step * tick,
        label: match MINUTES - step * tick {
            0 => "now".to_owned(),
            minutes => format!("−{minutes} min"),
        },
    });
    Ground {
        axis: Axis {
            length: COLUMN * COLUMNS,
            ticks: ticks.collect(),
        },
        column: COLUMN,
        has_gaps: true,
        bands: Vec::new(),
        hairlines: hairlines.to_vec(),
    }
}

impl Sampled {
    /// A page of this sample, drawn once for all that ask for it.
    pub(super) fn page(&mut self, shown: Shown, service: &str) -> Bytes {
        let known = self.pages.iter().find(|(known, _)| *known == shown);
        if let Some((_, page)) = known {
            return page.clone();
        }
        let page = Bytes::from(shown.page(self, service).html(shown.modes));
        // An idle lab takes no new sample that would drop them.
        if self.pages.len() == MOST_PAGES {
            self.pages.clear();
        }
        self.pages.push((shown, page.clone()));
        page
    }
}

impl Shown {
    fn page(self, sampled: &Sampled, service: &str) -> Page {
        let lanes = Lanes {
            shown: self,
            ground: ground(&starts(&sampled.history, &sampled.runs), self.modes.present),
            newest: sampled.history.newest(),
            columns: sampled.history.columns(),
            marks: marks(&sampled.history, &sampled.runs, self),
        };
        let address = Address::new("/metrics-view");
        let (main, steps) = if self.modes.present {
            (lanes.presented(), Some(self.steps(&address)))
        } else {
            (lanes.main(&self.same_site(service)), None)
        };
        Page {
            changes: if self.in_progress {
                Changes::InProgress
            } else {
                Changes::Possible
            },
            address: Some(address),
            steps,
            ..Page::of(View::Metrics, main)
        }
    }

    /// The address of the service under the name of the machine that the page has: from another
    /// name a link would be that of another site, which the service refuses.
    fn same_site(self, service: &str) -> String {
        if self.at_localhost {
            service.replace("127.0.0.1", LOCALHOST)
        } else {
            service.to_owned()
        }
    }

    fn steps(self, address: &Address) -> Markup {
        let links = Links {
            said: Markup::default(),
            modes: self.modes,
            number: self.step,
            of: STEPS.len(),
            result: Some(address.clone()),
            question: address.clone(),
            waits_for_guess: false,
        };
        links.draw()
    }
}

/// The lanes of a page, with their data.
struct Lanes<'a> {
    shown: Shown,
    ground: Ground,
    newest: &'a Counts,
    columns: Vec<Counts>,
    marks: Vec<Mark>,
}

impl Lanes<'_> {
    fn main(&self, service: &str) -> Markup {
        html! {
            div.titled {
                h1 { "Metrics" }
                p {
                    (ABOUT) " "
                    a href={ (service) "/metrics" } { "as Prometheus reads them" }
                }
            }
            section.panel.tight aria-label="The counters over time" { (self.table(0..LANES.len() + 1)) }
            (self.by_minute())
        }
    }

    /// A step of the presentation.
    fn presented(&self) -> Markup {
        let step = STEPS.get(self.shown.step - 1);
        let (title, lanes) = step.cloned().unwrap_or_default();
        html! {
            h1 { "Metrics: " (title) }
            p.soft { (ABOUT) }
            (self.table(lanes))
        }
    }

    fn table(&self, lanes: Range<usize>) -> Markup {
        html! {
            table.lanes.metrics {
                caption.unseen { "The counters over the last 15 minutes, and their numbers since the start" }
                thead.unseen { tr {
                    th scope="col" { "what, and its number" }
                    th scope="col" { "the last 15 minutes" }
                    th scope="col" { "its parts since the start" }
                } }
                tbody {
                    (self.row_of_marks())
                    @for (number, lane) in LANES.iter().enumerate().filter(|(number, _)| lanes.contains(number)) {
                        (self.row(number, lane))
                    }
                    @if lanes.contains(&LANES.len()) { (self.row_of_durations()) }
                }
                tfoot { tr {
                    td {}
                    td.time { (self.ground.labels(&[])) }
                    td {}
                } }
            }
        }
    }

    fn row_of_marks(&self) -> Markup {
        html! {
            tr {
                th scope="row" { "Runs" }
                td.time { (self.ground.marks(&self.marks)) }
                td.soft {
                    @if self.shown.modes.predict {
                        "· hidden until you guess"
                    } @else {
                        span.ok { "✓" } " as expected " span.no { "✗" } " not as expected"
                    }
                }
            }
        }
    }

    fn row(&self, number: usize, lane: &Lane) -> Markup {
        let series = lane.parts.iter().enumerate().map(|(part, of)| Series {
            fill: of.fill,
            values: self
                .columns
                .iter()
                .map(|column| column.part(number, part) as f64)
                .collect(),
        });
        let mut columns = Columns {
            series: series.collect(),
            unit: " in 15 s",
            ..Columns::default()
        };
        columns.title = match columns.highest() {
            Some((_, highest)) => {
                format!("{} in columns of 15 s, at most {highest:.0}", lane.title)
            }
            None => format!("{} in columns of 15 s: none", lane.title),
        };
        let parts = lane.parts.iter().enumerate();
        let parts = parts.map(|(part, of)| (of, self.newest.part(number, part)));
        let occurred: Vec<_> = parts.filter(|(_, count)| *count > 0).collect();
        html! {
            tr {
                (about(lane.title, lane.by, &self.newest.total(number).to_string(), &lane.series(), lane.question, &lane.query()))
                td.time { (columns.draw(&self.ground)) }
                td {
                    @if occurred.is_empty() {
                        span.soft { "none yet" }
                    } @else {
                        ul.keys { @for (part, count) in &occurred {
                            li { (sample(part.fill)) span { (part.name) } b { (count) } }
                        } }
                    }
                }
            }
        }
    }

    fn row_of_durations(&self) -> Markup {
        let spread = Spread {
            title: "Durations of the calls in columns of 15 s: the median, and what 99 of 100 did not exceed".to_owned(),
            columns: self
                .columns
                .iter()
                .map(|column| Some((column.quantile(0.5)?.at_least(), column.quantile(0.99)?.at_least())))
                .collect(),
        };
        let [median, tail] = [0.5, 0.99].map(|share| self.newest.quantile(share));
        html! {
            tr {
                (about("Durations", "in real time", &text(tail), &format!("{DURATIONS}_bucket"), DURATIONS_QUESTION, &query_of_durations()))
                td.time { (spread.draw(&self.ground)) }
                td {
                    @if median.is_none() {
                        span.soft { "none yet" }
                    } @else {
                        ul.keys {
                            li { (sample_of_tail()) span { "99 of 100" } b { (text(tail)) } }
                            li { (sample_of_median()) span { "median" } b { (text(median)) } }
                        }
                    }
                }
            }
        }
    }

    /// The columns as numbers, for a screen reader and for paper.
    fn by_minute(&self) -> Markup {
        let columns_of_minute = COLUMNS as usize / MINUTES as usize;
        let minutes = self
            .columns
            .chunks(columns_of_minute)
            .map(|columns| -> Vec<u64> {
                let total = |lane| columns.iter().map(|column| column.total(lane)).sum();
                (0..LANES.len()).map(total).collect()
            });
        let counted = |(_, counts): &(u32, Vec<u64>)| counts.iter().any(|count| *count > 0);
        let minutes: Vec<_> = (0..MINUTES).rev().zip(minutes).filter(counted).collect();
        if minutes.is_empty() {
            return Markup::default();
        }
        html! {
            section.on-paper aria-label="The same as numbers" {
                table {
                    caption { "The same by the minute" }
                    thead { tr {
                        th scope="col" { "minutes ago" }
                        @for lane in &LANES { th.num scope="col" { (lane.title) } }
                    } }
                    tbody { @for (ago, counts) in &minutes {
                        tr {
                            th scope="row" { (ago) }
                            @for count in counts { td.num { (count) } }
                        }
                    } }
                }
            }
        }
    }
}

/// The first cell of a row: its name and its number. It opens to show where the number comes from.
fn about(title: &str, by: &str, number: &str, series: &str, question: &str, query: &str) -> Markup {
    html! {
        th scope="row" {
            details.about {
                summary.name {
                    span { (title) " " small { (by) } }
                    " "
                    b { (number) }
                }
                p { code { (series) } }
                p { (question) }
                p { code { (query) } " " button.copy type="button" { "Copy" } }
            }
        }
    }
}

impl Quantile {
    /// The bound as a duration; one above all is drawn above all.
    fn at_least(self) -> Duration {
        match self {
            Self::AtMost(bound) => Duration::from_secs_f64(bound),
            Self::Above(bound) => Duration::from_secs_f64(2.0 * bound),
        }
    }
}

/// A quantile in words.
fn text(quantile: Option<Quantile>) -> String {
    let length = |seconds| duration(Duration::from_secs_f64(seconds));
    match quantile {
        None => "–".to_owned(),
        Some(Quantile::AtMost(bound)) => format!("≤ {}", length(bound)),
        Some(Quantile::Above(bound)) => format!("> {}", length(bound)),
    }
}
