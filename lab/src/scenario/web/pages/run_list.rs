//! The runs as a table of traces.

use std::{fmt::Display, time::SystemTime};

use axum::{extract::State, response::Response};
use http::StatusCode;
use humantime::format_rfc3339_seconds;
use maud::{Markup, html};
use render::{
    page::{PictureColumn, class_and_mark, panel, picture_table},
    timeline,
};
use scenario::{Check, Ending, Pace, ScenarioRun, catalogue::CATALOGUE};

use super::{
    super::{
        record::{Record, State as RunState},
        request::{COMPARE, ClientChoice},
    },
    run_address,
};
use crate::web::{
    fields::Fields,
    modes::{Address, Modes},
    page::{Changes, Page, View},
    shared::Shared,
    wire_lane,
};

/// The endings by which the runs can be filtered.
const ENDINGS: [(&str, &str); 5] = [
    ("expected", "as expected"),
    ("unexpected", "not as expected"),
    ("cancelled", "cancelled"),
    ("failed", "could not be run"),
    ("running", "running"),
];

/// The client of a run without a defence, in a filter.
const WITHOUT: &str = "without";

/// Which runs are shown; an empty text stands for all.
#[derive(Debug, Default)]
struct Filter {
    scenario: String,
    client: String,
    ending: String,
}

impl Filter {
    fn of(fields: &Fields) -> Self {
        let text = |name| fields.get(name).unwrap_or_default().trim().to_owned();
        Self {
            scenario: text("scenario"),
            client: text("client"),
            ending: text("ending"),
        }
    }

    /// The first field that names nothing, with the names that it may have.
    fn error(&self) -> Option<String> {
        let fields = [
            ("Scenario", &self.scenario, names_of_scenarios()),
            ("Client", &self.client, names_of_clients()),
            ("Ending", &self.ending, names_of_endings()),
        ];
        let mut wrong = fields.into_iter().filter(|(_, text, names)| {
            !text.is_empty() && !names.iter().any(|(name, _)| name == text)
        });
        let (label, text, names) = wrong.next()?;
        let names: Vec<_> = names.into_iter().map(|(name, _)| name).collect();
        let names = names.join(", ");
        Some(format!(
            "{label}: it must be one of {names}, got \u{201c}{text}\u{201d}."
        ))
    }

    fn shows(&self, record: &Record) -> bool {
        let is = |filter: &str, of: &str| filter.is_empty() || filter == of;
        is(&self.scenario, record.request.scenario.name())
            && is(&self.client, client(record))
            && is(&self.ending, ending(record))
    }

    fn address(&self) -> Address {
        Address::new("/runs")
            .with("scenario", &*self.scenario)
            .with("client", &*self.client)
            .with("ending", &*self.ending)
    }

    fn is_empty(&self) -> bool {
        [&self.scenario, &self.client, &self.ending]
            .into_iter()
            .all(String::is_empty)
    }
}

type Names = Vec<(&'static str, &'static str)>;

fn names_of_scenarios() -> Names {
    CATALOGUE
        .iter()
        .map(|scenario| (scenario.name(), scenario.name()))
        .collect()
}

fn names_of_clients() -> Names {
    let choices = ClientChoice::all().map(|choice| (choice.name(), choice.name()));
    choices.chain([(WITHOUT, "without a defence")]).collect()
}

fn names_of_endings() -> Names {
    ENDINGS.to_vec()
}

/// The client of a run as a filter names it.
fn client(record: &Record) -> &'static str {
    let is_broken = record.request.without.is_some() && record.request.choice.name() != COMPARE;
    if is_broken {
        WITHOUT
    } else {
        record.request.choice.name()
    }
}

/// The ending of a run as a filter names it. That of a comparison is that of the reliable client.
fn ending(record: &Record) -> &'static str {
    match record.state {
        RunState::Running => "running",
        RunState::Cancelled => "cancelled",
        RunState::Failed => "failed",
        RunState::Finished if record.runs().all(ScenarioRun::passed) => "expected",
        RunState::Finished => "unexpected",
    }
}

pub(super) async fn page(State(shared): State<Shared>, fields: Fields) -> Response {
    let modes = Modes::of(&fields);
    let filter = Filter::of(&fields);
    let error = filter.error();
    let all = shared.runs.newest_first();
    // An ending that may still be guessed is no filter.
    let filter = if modes.predict {
        Filter {
            ending: String::new(),
            ..filter
        }
    } else {
        filter
    };
    let shown: Vec<_> = all
        .iter()
        .filter(|record| error.is_some() || filter.shows(record))
        .collect();
    let in_progress = all.iter().any(|record| !record.is_over());
    let main = html! {
        div.titled {
            h1 { "Runs" }
            p { (shown.len()) " of " (all.len()) ", newest first. The lab keeps the last hundred." }
            span.grow {}
            a href="/api/runs" { "as JSON" }
        }
        @if let Some(error) = &error { p.wrong role="alert" { b { "✗ " } (error) } }
        (form(&filter, modes))
        @if all.is_empty() {
            p { "No run yet. Each run appears here as one line: its attempts, its waits, and how it ended. "
                "Run a scenario of the " a href=(modes.link("/course")) { "course" } ", or from a terminal: "
                code { (crate::invocation::lab()) " scenario flaky --live" } }
        } @else if shown.is_empty() {
            p { "No run passes the filter. " a href=(modes.link("/runs")) { "Show all" } }
        } @else {
            section.panel.listed aria-label="Runs" {
                (legend(&shown, modes))
                (table(&shown, modes))
            }
        }
        (panel("elsewhere-title", "Requests from elsewhere", "", &wire_lane::fragment(&shared.ledger, &shared.service)))
    };
    let page = Page {
        address: Some(filter.address()),
        changes: if in_progress {
            Changes::InProgress
        } else {
            Changes::Possible
        },
        status: if error.is_some() {
            StatusCode::UNPROCESSABLE_ENTITY
        } else {
            StatusCode::OK
        },
        ..Page::of(View::Runs, main)
    };
    page.respond(modes)
}

fn form(filter: &Filter, modes: Modes) -> Markup {
    let fields = [
        (
            "scenario",
            "Scenario",
            &filter.scenario,
            names_of_scenarios(),
        ),
        ("client", "Client", &filter.client, names_of_clients()),
        ("ending", "Ending", &filter.ending, names_of_endings()),
    ];
    let is_shown = |name: &str| name != "ending" || !modes.predict;
    html! {
        form method="get" action="/runs" {
            (modes.hidden())
            @for (name, label, chosen, names) in &fields {
                @if is_shown(name) {
                    label.field {
                        (label) " "
                        select name=(name) {
                            option value="" { "all" }
                            // What was typed into the address stays in the form.
                            @if !chosen.is_empty() && !names.iter().any(|(known, _)| known == chosen) {
                                option value=(chosen) selected { (chosen) }
                            }
                            @for (value, words) in names {
                                option value=(value) selected[value == chosen] { (words) }
                            }
                        }
                    }
                }
            }
            button type="submit" { "Filter" }
            @if !filter.is_empty() { a href=(modes.link("/runs")) { "clear" } }
        }
    }
}

/// The newest runs without their numbers, as a part of a page.
pub(crate) fn newest_runs(shared: &Shared, most: usize, modes: Modes) -> Markup {
    let all = shared.runs.newest_first();
    let columns = [
        PictureColumn::Name("scenario"),
        PictureColumn::Picture("what happened"),
        PictureColumn::Number("duration of the first line"),
    ];
    let rows = all.iter().take(most).map(|record| {
        let row = Row { record, modes };
        vec![row.sign(), row.picture(), row.first_duration()]
    });
    html! {
        section.panel.last aria-labelledby="last-runs" {
            header {
                h2 #last-runs { "Last runs" }
                @if !all.is_empty() { a.aside href=(modes.link("/runs")) { "all " (all.len()) } }
            }
            @if all.is_empty() {
                p { "No run yet. Each run appears here as one line: its attempts, its waits, and how it ended." }
                p.soft { "From a terminal: " code { (crate::invocation::lab()) " scenario flaky --live" } }
            } @else {
                (picture_table("The last runs, newest first", &columns, rows))
            }
        }
    }
}

/// What the pictures and the numbers of these runs mean.
fn legend(records: &[&Record], modes: Modes) -> Markup {
    let is_compared = records.iter().any(|record| record.sides.len() > 1);
    let mut paces = records.iter().map(|record| record.request.pace);
    let is_in_virtual_time = paces.any(|pace| pace == Pace::Virtual);
    html! {
        @if !modes.predict {
            ul.legend aria-label="Legend" {
                (timeline::line_legend())
                @if is_compared {
                    li { "two lines, two numbers: first the reliable client, then the other" }
                }
                @if is_in_virtual_time {
                    li { "0 ms: in virtual time an attempt takes no time" }
                }
                li { "each line has its own scale, at least 20 ms" }
            }
        }
    }
}

/// The runs, with a small picture of each.
fn table(records: &[&Record], modes: Modes) -> Markup {
    let columns = [
        PictureColumn::Words("time"),
        PictureColumn::Name("scenario"),
        PictureColumn::Words("client"),
        PictureColumn::Rest(if modes.predict {
            "ending"
        } else {
            "ending, ✓ as expected"
        }),
        PictureColumn::Number("requests"),
        PictureColumn::Number("retries"),
        PictureColumn::Number("duration"),
        PictureColumn::Picture("what happened"),
    ];
    let rows = records.iter().map(|record| {
        let row = Row { record, modes };
        vec![
            row.time(),
            row.name(),
            row.client(),
            row.ending(),
            row.numbers(|run| run.wire.total),
            row.numbers(ScenarioRun::retries),
            row.duration(),
            row.picture(),
        ]
    });
    picture_table("The runs, newest first", &columns, rows)
}

/// A moment of the day, which a script changes to the time zone of the browser.
pub(super) fn time(moment: SystemTime) -> Markup {
    let moment = format_rfc3339_seconds(moment).to_string();
    let clock = moment.get(11..19).unwrap_or_default();
    html! { time datetime=(moment) { (clock) " UTC" } }
}

/// A run in a list. While its ending may be guessed, everything that shows it is left out.
struct Row<'a> {
    record: &'a Record,
    modes: Modes,
}

impl Row<'_> {
    fn is_hidden(&self) -> bool {
        self.modes.predict
    }

    fn time(&self) -> Markup {
        time(self.record.started)
    }

    fn name(&self) -> Markup {
        let record = self.record;
        html! { a href=(self.modes.link(run_address(&record.id))) { (record.request.scenario.name()) } }
    }

    /// The name, after a sign for each side.
    fn sign(&self) -> Markup {
        let record = self.record;
        html! {
            @if record.state == RunState::Finished && !self.is_hidden() {
                @for run in record.runs() {
                    @let (class, mark) = class_and_mark(Some(run.passed()));
                    span class={ "sign " (class) } role="img" aria-label=(if run.passed() { "as expected" } else { "not as expected" }) { (mark) }
                }
                " "
            }
            (self.name())
        }
    }

    /// What happened, as far as it is over.
    fn picture(&self) -> Markup {
        let timelines: Vec<_> = self.record.runs().map(ScenarioRun::timeline).collect();
        html! {
            @if !self.is_hidden() && !timelines.is_empty() {
                (timeline::line(&timelines.iter().collect::<Vec<_>>()))
            }
        }
    }

    fn client(&self) -> Markup {
        let request = &self.record.request;
        html! {
            (request.choice.name())
            @if let Some(without) = request.without { " without " (without.defence.id) }
        }
    }

    fn ending(&self) -> Markup {
        let record = self.record;
        if self.is_hidden() {
            return html! { span.soft { "hidden until you guess" } };
        }
        let difference = record
            .compared
            .as_ref()
            .and_then(|compared| compared.difference.as_ref());
        html! {
            @match record.state {
                RunState::Running => span.soft { "… running" },
                RunState::Cancelled => "⊘ cancelled",
                RunState::Failed => span.no { "✗ could not be run" },
                RunState::Finished => @for (side, run) in record.runs().enumerate() {
                    @let (class, mark) = class_and_mark(Some(run.passed()));
                    @let stake = difference.and_then(|difference| difference.stakes.get(side));
                    span class=(class) { (mark) " " }
                    @if side == 0 && difference.is_some() {
                        @if run.outcome.ending == Ending::Ok { "ok " } @else { "gave up " }
                    } @else if side == 0 {
                        (run.ending()) " "
                        @if let Some(why) = first_contradiction(run) { span.soft { "· " (why) } }
                    } @else {
                        span class=[(!run.passed()).then_some("no")] {
                            (run.client.column()) ": "
                            @match stake {
                                Some(stake) => { (stake.figure) " " (stake.words) },
                                None => (run.ending()),
                            }
                        }
                    }
                },
            }
        }
    }

    /// The number of each side that is over.
    fn numbers<N: Display>(&self, number: impl Fn(&ScenarioRun) -> N) -> Markup {
        let numbers = self.record.runs().map(|run| number(run).to_string());
        let numbers: Vec<_> = numbers.collect();
        html! { @if !self.is_hidden() { (numbers.join(" / ")) } }
    }

    fn duration(&self) -> Markup {
        self.numbers(|run| wire::duration(run.duration()))
    }

    /// The duration of the first client: there is no room for two.
    fn first_duration(&self) -> Markup {
        let run = self.record.runs().next().filter(|_| !self.is_hidden());
        html! { @if let Some(run) = run { (wire::duration(run.duration())) } }
    }
}

/// The first rule that a run broke, by what was found, or else the first expectation.
fn first_contradiction(run: &ScenarioRun) -> Option<String> {
    let broken = || run.verdict.iter().filter(|check| !check.held);
    let rule = broken().find(|check| check.rule.is_some());
    rule.and_then(Check::contradiction).or_else(|| {
        let expectation = broken().next()?;
        Some(format!(
            "{}: {}",
            expectation.text,
            expectation.contradiction()?
        ))
    })
}
