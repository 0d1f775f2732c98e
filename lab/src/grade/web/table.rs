//! The tasks of a card as a table, and what it counts.

use grade::{Card, GoalVerdict, TASKS, Task, TaskGrade};
use judge::rules::Verdict;
use maud::{Markup, html};
use render::page::{PictureColumn, marked, picture_table};
use wire::counted;

use super::{
    address,
    cards::{CardState, ShownCard, TaskProgress},
};
use crate::web::modes::Modes;

/// The rules of a task or a card: as many are kept, broken, not told, and not exercised. A rule
/// that the client skipped, which is allowed, was not exercised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RuleCounts {
    pub(super) kept: usize,
    pub(super) broken: usize,
    pub(super) not_told: usize,
    pub(super) not_exercised: usize,
}

impl RuleCounts {
    pub(super) fn of<'a>(grades: impl IntoIterator<Item = &'a TaskGrade>) -> Self {
        let mut counts = Self::default();
        for rule in grades.into_iter().flat_map(|grade| &grade.rules) {
            let count = match rule.judgement.verdict {
                Verdict::Kept => &mut counts.kept,
                Verdict::Broken => &mut counts.broken,
                Verdict::CannotTell => &mut counts.not_told,
                Verdict::NotExercised | Verdict::Skipped => &mut counts.not_exercised,
            };
            *count += 1;
        }
        counts
    }
}

/// The numbers of a card, as its rows show them.
pub(super) fn totals(card: &Card) -> Markup {
    let counts = RuleCounts::of(&card.tasks);
    html! {
        p.facts-line {
            span { b { (card.reached()) } "of " (TASKS.len()) " goals" }
            span.ok { b { "✓ " (counts.kept) } "kept" }
            span.no { b { "✗ " (counts.broken) } "broken" }
            span.soft { b { "? " (counts.not_told) } "not told" }
            span.soft { b { "· " (counts.not_exercised) } "not exercised" }
        }
    }
}

/// Every task in a row. `chosen` is the one whose evidence is shown.
pub(super) fn table(shown: &ShownCard, chosen: Option<&Task>, modes: Modes) -> Markup {
    let columns = [
        PictureColumn::Name("task"),
        PictureColumn::Words("goal"),
        PictureColumn::Rest("rules"),
        PictureColumn::Picture("its requests, own scales"),
    ];
    let next = shown.next();
    let rows = TASKS.iter().zip(&shown.tasks).enumerate();
    let rows = rows.map(|(number, (task, progress))| {
        let row = Row {
            shown,
            task,
            progress,
            is_next: Some(number) == next,
        };
        let is_chosen = chosen.is_some_and(|chosen| chosen.words.name == task.words.name);
        vec![
            row.name(is_chosen, modes),
            row.goal(),
            row.rules(),
            row.picture(),
        ]
    });
    picture_table("The tasks, in the order of the course", &columns, rows)
}

struct Row<'a> {
    shown: &'a ShownCard,
    task: &'a Task,
    progress: &'a TaskProgress,
    is_next: bool,
}

impl Row<'_> {
    /// Its result on this card.
    fn grade(&self) -> Option<&TaskGrade> {
        self.shown.card.task(self.task.words.name)
    }

    fn name(&self, is_chosen: bool, modes: Modes) -> Markup {
        let link = modes.link(address(Some(self.task)));
        html! {
            a href=(link) aria-current=[is_chosen.then_some("true")] {
                @if self.is_next { span.sign role="img" aria-label="next" { "▶" } }
                (self.task.words.name)
            }
        }
    }

    fn goal(&self) -> Markup {
        match self.grade() {
            Some(grade) => goal(grade.goal.verdict),
            None => waiting(&self.shown.state, self.task, self.progress),
        }
    }

    fn rules(&self) -> Markup {
        match (self.grade(), self.shown.newest(self.task)) {
            (Some(grade), _) => rules(grade),
            (None, Some(before)) => html! { span.waits { "was: " (rules(before)) } },
            (None, None) => html! {},
        }
    }

    fn picture(&self) -> Markup {
        let graded = self.progress.graded.as_ref();
        html! { @if let Some(picture) = graded.and_then(|graded| graded.picture()) { (picture) } }
    }
}

/// The verdict on a goal, with its sign.
pub(super) fn goal(verdict: GoalVerdict) -> Markup {
    marked(judge::is_good(verdict.as_verdict(), false), verdict)
}

/// A task that has no result yet.
pub(super) fn waiting(state: &CardState, task: &Task, progress: &TaskProgress) -> Markup {
    let cases = task.case_names().count();
    html! {
        @if *state != CardState::Running {
            span.waits { span.sign aria-hidden="true" { "·" } " not run" }
        } @else if progress.begun == 0 {
            span.waits { span.sign aria-hidden="true" { "·" } " waiting" }
        } @else {
            span.late { span.sign aria-hidden="true" { "◷" } }
            " now" @if cases > 1 { ", " (progress.ended) " of " (cases) }
        }
    }
}

/// The rules that were broken, and how many have each other verdict.
fn rules(grade: &TaskGrade) -> Markup {
    let counts = RuleCounts::of([grade]);
    html! {
        @for rule in grade.broken() { span.no { b { "✗" } } " " (rule.id) " " }
        @if counts.kept > 0 { span.ok { b { "✓" } } " " (counts.kept) " kept " }
        @if counts.not_told > 0 { b { "?" } " " (counts.not_told) " not told " }
        @if counts.not_exercised > 0 { span.soft { "· " (counts.not_exercised) " not exercised" } }
    }
}

/// How many tasks there are, in words.
pub(super) fn tasks(number: usize) -> String {
    counted(number as u64, "task")
}
