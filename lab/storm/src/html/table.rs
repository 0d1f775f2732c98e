//! The table of a storm: a row for each policy, with one chart each on one axis of time.

use std::time::Duration;

use maud::{Markup, html as markup};
use render::{
    columns::{Columns, Fill, sample},
    page::{marked, word},
};
use wire::duration;

use super::picture::{Ended, Row, StormPicture};
use crate::{
    Cut, Incident, PolicyRun,
    results::{Latency, figures::moment, word::Word},
    text::later_remark,
};

/// How much is shown of a storm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shown<'a> {
    /// The question alone, with empty charts.
    Question,
    /// The question with a guess for each row, as a part of the form with this id.
    Asked {
        /// The id of the form.
        form: &'a str,
    },
    /// The charts of this many rows, without figures and words.
    Rows(usize),
    /// The charts, with the figures that a word needs, and the words. The guess for each row says
    /// whether the service recovers; there may be none.
    Words(&'a [bool]),
    /// Everything that is known, with the same guesses.
    Results(&'a [bool]),
}

const SECOND: Duration = Duration::from_secs(1);

/// A column beside the charts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Before,
    End,
    Lost,
    Requests,
    Median,
    Slowest,
    RetryPeak,
    Word,
    Guess,
    /// What is still to come in a presentation.
    Next,
}

impl Column {
    /// The figures of a row.
    const FIGURES: [Self; 6] = [
        Self::Before,
        Self::End,
        Self::Lost,
        Self::Requests,
        Self::Median,
        Self::Slowest,
    ];

    /// Its name, and what it is.
    fn heading(self) -> (&'static str, &'static str) {
        match self {
            Self::Before => ("before", "calls ok"),
            Self::End => ("end", "calls ok"),
            Self::Lost => ("lost", "calls"),
            Self::Requests => ("req/s", "at end"),
            Self::Median => ("median", "call time"),
            Self::Slowest => ("99 %", "call time"),
            Self::RetryPeak => ("retries", "most in 0.1 s"),
            Self::Word => ("since ▲", "9 of 10 ok again"),
            Self::Guess => ("your guess", "does the service recover?"),
            Self::Next => ("", ""),
        }
    }

    /// Its class: all but two are aligned as numbers.
    fn class(self) -> Option<&'static str> {
        (!matches!(self, Self::Guess | Self::Next)).then_some("num")
    }
}

impl StormPicture {
    /// The storm as a table, with its legend and remarks.
    #[must_use]
    pub fn draw(&self, shown: Shown<'_>) -> Markup {
        let ground = self.ground();
        let beside = self.beside(shown);
        let (rows, has_results) = match shown {
            Shown::Question | Shown::Asked { .. } => (0, false),
            Shown::Rows(rows) => (rows, false),
            Shown::Words(_) | Shown::Results(_) => (self.rows.len(), true),
        };
        let periods = match shown {
            Shown::Results(_) => self.periods(),
            _ => Vec::new(),
        };
        markup! {
            section.panel.tight aria-label="The storm" {
                table.lanes.storm role="table" data-rows=(self.rows.len()) {
                    thead role="rowgroup" { tr role="row" {
                        th role="columnheader" scope="col" { "policy" }
                        th.time role="columnheader" scope="col" {
                            "requests per second"
                            @if ground.column != SECOND { ", means of " (moment(ground.column)) }
                            ", over " (moment(self.plan.settings.length))
                        }
                        @for column in &beside {
                            @let (name, meaning) = column.heading();
                            th class=[column.class()] role="columnheader" scope="col" {
                                (name) @if !meaning.is_empty() { small { (meaning) } }
                            }
                        }
                    } }
                    tbody role="rowgroup" {
                        tr.load role="row" {
                            th role="rowheader" scope="row" { "new calls" span.soft { "the same for all" } }
                            td.time role="cell" { (self.new_calls().draw(&ground)) }
                            @if !beside.is_empty() { td role="cell" colspan=(beside.len()) {} }
                        }
                        @for (number, row) in self.rows.iter().enumerate() {
                            tr role="row" {
                                th role="rowheader" scope="row" {
                                    (row.policy.name) span.soft { (row.policy.meaning()) }
                                }
                                td.time role="cell" {
                                    @if number < rows && row.has_begun() {
                                        (self.chart_of(row, has_results).draw(&ground))
                                    } @else {
                                        (self.chart().draw(&ground))
                                    }
                                }
                                (self.cells(number, row, shown, &beside))
                            }
                        }
                    }
                    tfoot aria-hidden="true" { tr {
                        th {}
                        td.time { (ground.labels(&periods)) }
                        @if !beside.is_empty() { td colspan=(beside.len()) {} }
                    } }
                }
                (self.legend(rows))
                @if has_results { @for remark in self.remarks() { p.remark { (remark) } } }
            }
        }
    }

    /// Each policy with its word as a sign, and a small picture of its columns.
    #[must_use]
    pub fn small(&self) -> Markup {
        let ground = self.ground();
        let charts = self.rows.iter().map(|row| Columns {
            line: None,
            levels: Vec::new(),
            top: None,
            ..self.chart_of(row, true)
        });
        let charts: Vec<_> = charts.collect();
        let highest = charts.iter().filter_map(Columns::highest);
        let top = highest.map(|(_, highest)| highest).reduce(f64::max);
        markup! {
            @for (row, chart) in self.rows.iter().zip(charts) {
                @let is_good = row.ended.as_ref().and_then(|ended| is_good(&ended.run));
                p { (marked(is_good, &row.policy.name)) }
                (Columns { top, ..chart }.small(&ground))
            }
        }
    }

    /// The columns beside the charts.
    fn beside(&self, shown: Shown<'_>) -> Vec<Column> {
        match shown {
            Shown::Question => Vec::new(),
            Shown::Asked { .. } => vec![Column::Guess],
            Shown::Rows(_) => vec![Column::Next],
            Shown::Words(_) => {
                let figures = [Column::End, Column::Requests].into_iter();
                figures.chain(self.last_column()).collect()
            }
            Shown::Results(_) => Column::FIGURES
                .into_iter()
                .chain(self.last_column())
                .collect(),
        }
    }

    /// The column of the words, or of what the story is about in their place.
    fn last_column(&self) -> Option<Column> {
        if self.plan.story.shows_retry_peak {
            return Some(Column::RetryPeak);
        }
        let has_words = self.runs().any(|run| !run.ending().is_empty());
        has_words.then_some(Column::Word)
    }

    /// The cells of a row beside its chart.
    fn cells(&self, number: usize, row: &Row, shown: Shown<'_>, columns: &[Column]) -> Markup {
        match shown {
            Shown::Question => Markup::default(),
            Shown::Asked { form } => guess_of(number, row, form),
            Shown::Rows(rows) => {
                let sign = match number {
                    number if number < rows => "?",
                    number if number == rows => "next",
                    _ => "",
                };
                markup! { td.hidden-word role="cell" { (sign) } }
            }
            Shown::Words(guesses) | Shown::Results(guesses) => match &row.ended {
                Some(ended) => markup! {
                    @for column in columns {
                        td class=[column.class()] role="cell" data-name=(column.heading().0) {
                            (self.cell(*column, ended, guesses.get(number).copied()))
                        }
                    }
                },
                None => markup! {
                    td.soft role="cell" colspan=(columns.len()) { @if row.has_begun() { "…" } }
                },
            },
        }
    }

    /// The content of a cell of a row that has ended.
    fn cell(&self, column: Column, ended: &Ended, guess: Option<bool>) -> Markup {
        let run = &ended.run;
        let figures = &run.figures;
        let is_good = is_good(run);
        let latency = |value: fn(Latency) -> Duration| run.totals.latency.map(value).map(duration);
        match column {
            Column::Before => markup! { (figures.before) " %" },
            Column::End => {
                let class = is_good.map(|is_good| if is_good { "ok" } else { "no" });
                markup! { b class=[class] { (figures.end) " %" } }
            }
            Column::Lost => markup! { (figures.lost) " " small { "of " (run.totals.calls) } },
            Column::Requests => {
                let (limit, _) = self.plan.settings.limit_per_second();
                let is_too_much = figures.requests_per_second > limit;
                let requests = format!("{:.0}", figures.requests_per_second);
                markup! { b class=[is_too_much.then_some("no")] { (requests) } }
            }
            Column::Median => markup! { @if let Some(time) = latency(|of| of.median) { (time) } },
            Column::Slowest => markup! { @if let Some(time) = latency(|of| of.p99) { (time) } },
            Column::RetryPeak if run.cut.is_none() => markup! { b { (ended.retry_peak) } },
            Column::RetryPeak | Column::Word => markup! {
                (self.word_of(run, is_good))
                @if let Some(guess) = guess { (verdict(guess, run.word)) }
            },
            Column::Guess | Column::Next => Markup::default(),
        }
    }

    fn word_of(&self, run: &PolicyRun, is_good: Option<bool>) -> Markup {
        match run.ending() {
            none if none.is_empty() => markup! { span.soft { "no word" } },
            ending => word(is_good, ending),
        }
    }

    /// What the charts consist of, as far as it occurs.
    fn legend(&self, rows: usize) -> Markup {
        let occurs = self.occurs(rows);
        let (_, limit) = self.plan.settings.limit_per_second();
        let incident = match self.plan.settings.incident {
            Incident::None => None,
            Incident::Spike => Some("the spike, which ends at ▲"),
            Incident::Cut => Some("few workers, until ▲"),
            Incident::Pause => Some("the service hangs, until ▲"),
            Incident::Refusal => Some("503s, until ▲"),
        };
        let line = if occurs.arriving {
            "requests that arrive"
        } else {
            "new calls"
        };
        markup! {
            ul.legend aria-label="Legend" {
                @if occurs.good { li { (sample(Fill::Good)) "calls that succeed" } }
                @if occurs.wasted { li { (sample(Fill::Wasted)) "work nobody waited for any more" } }
                li { svg.sample aria-hidden="true" { path.line d="M0 10H8V3H24" {} } (line) }
                li { svg.sample aria-hidden="true" { line.level x2="100%" y1="50%" y2="50%" {} } (limit) }
                @if let Some(incident) = incident {
                    li { svg.sample aria-hidden="true" { rect.band width="100%" height="100%" {} } (incident) }
                }
            }
        }
    }

    /// What the rows do not say themselves.
    fn remarks(&self) -> Vec<String> {
        let cut = self.runs().filter_map(|run| {
            let why = run.cut.and_then(Cut::why)?;
            Some(format!("{} was cut short: {why}.", run.policy.name))
        });
        let later = later_remark(&self.plan.settings, self.words());
        let missing = self.missing_words();
        let missing = missing.iter().map(|reason| format!("No word: {reason}."));
        cut.chain(later).chain(missing).collect()
    }
}

/// Whether the service recovers; none if neither.
pub(super) fn is_good(run: &PolicyRun) -> Option<bool> {
    match (run.cut, run.word) {
        (Some(Cut::Requests | Cut::InFlight), _) | (None, Some(Word::Down)) => Some(false),
        (None, Some(Word::Ok { .. })) => Some(true),
        _ => None,
    }
}

/// The name of the guess in an address. The number of a row follows it in a form.
pub const GUESS: &str = "guess";

/// The guess that the service recovers.
pub const RECOVERS: &str = "ok";

/// The guess that it does not.
pub const STAYS_DOWN: &str = "down";

/// The two guesses for a row, with their signs and words.
const GUESSES: [(&str, &str, &str); 2] =
    [(RECOVERS, "✓", "recovers"), (STAYS_DOWN, "✗", "stays DOWN")];

fn guess_of(number: usize, row: &Row, form: &str) -> Markup {
    let name = format!("{GUESS}{}", number + 1);
    markup! {
        td role="cell" {
            fieldset.tabs aria-label={ "Your guess for " (row.policy.name) } {
                @for (value, sign, words) in GUESSES {
                    label {
                        input type="radio" name=(name) value=(value) form=(form) required;
                        span { (sign) " " (words) }
                    }
                }
            }
        }
    }
}

/// Whether a guess was right.
fn verdict(guess: bool, found: Option<Word>) -> Markup {
    let guessed = if guess { "recovers" } else { "stays DOWN" };
    let is_right = came_true(guess, found);
    markup! {
        small {
            @match is_right {
                Some(true) => "✓ as you guessed",
                Some(false) => b.no { "✗ you guessed: " (guessed) },
                None => { "you guessed: " (guessed) },
            }
        }
    }
}

/// Whether a guess came true; none if the word says neither.
fn came_true(guess: bool, found: Option<Word>) -> Option<bool> {
    match found? {
        Word::Ok { .. } => Some(guess),
        Word::Down => Some(!guess),
        Word::Degraded => None,
    }
}

impl StormPicture {
    /// How many of these guesses came true, of those that could be judged.
    #[must_use]
    pub fn right_guesses(&self, guesses: &[bool]) -> (usize, usize) {
        let rows = self.rows.iter().zip(guesses);
        let judged =
            rows.filter_map(|(row, guess)| came_true(*guess, row.ended.as_ref()?.run.word));
        let judged: Vec<_> = judged.collect();
        (
            judged.iter().filter(|came_true| **came_true).count(),
            judged.len(),
        )
    }
}
