//! The page of a card: what changed, the tasks, and the evidence of one of them.

use std::collections::BTreeSet;

use axum::response::Response;
use grade::{
    Changes, GoalChange, RuleChange, TASKS, Task, before_its_result, evidence,
    html_policy_under_load,
};
use humantime::format_rfc3339_seconds;
use judge::{is_good, rules::Verdict};
use maud::{Markup, html};
use render::{
    page::{class_and_mark, panel, strip},
    timeline::line_legend,
};
use wire::counted;

use super::{
    address,
    cards::{CardState, ProgramFacts, ShownCard},
    table::{goal, table, tasks, totals, waiting},
};
use crate::{
    grade::policy_under_load::{options as storm_options, with_budget},
    storm,
    web::{
        modes::{Address, Modes},
        page::{Changes as PageChanges, Page, View},
        shared::Shared,
    },
};

/// The most rules and the most goals that are named: a syntax error changes every task.
const MOST_RULES: usize = 2;
const MOST_GOALS: usize = 3;

/// The page of the program's card.
pub(super) struct ClientPage<'a> {
    pub(super) shared: &'a Shared,
    pub(super) program: ProgramFacts,
    /// None before the first card.
    pub(super) shown: Option<ShownCard>,
    /// The task that the address names.
    pub(super) chosen: Option<&'static Task>,
    pub(super) modes: Modes,
    /// The step of a presentation that the address names, from 1.
    pub(super) step: Option<usize>,
}

impl ClientPage<'_> {
    pub(super) fn respond(&self) -> Response {
        let (main, steps) = match &self.shown {
            Some(shown) if self.modes.present => self.presented(shown),
            Some(shown) => (self.card(shown), None),
            None => (self.before_any_card(), None),
        };
        let page = Page {
            address: Some(self.address()),
            changes: if self.in_progress() {
                PageChanges::InProgress
            } else {
                PageChanges::Possible
            },
            steps,
            ..Page::of(View::Client, main)
        };
        page.respond(self.modes)
    }

    /// Its address, with the task that it names.
    pub(super) fn address(&self) -> Address {
        address(self.chosen)
    }

    /// The task to do next, and the one whose evidence is shown.
    pub(super) fn next_and_chosen(
        &self,
        shown: &ShownCard,
    ) -> (Option<&'static Task>, Option<&'static Task>) {
        let next = shown.next().and_then(|next| TASKS.get(next)).copied();
        (next, self.chosen.or(next))
    }

    fn in_progress(&self) -> bool {
        let shown = self.shown.as_ref();
        shown.is_some_and(|shown| shown.state == CardState::Running)
    }

    fn before_any_card(&self) -> Markup {
        html! {
            div.titled {
                h1 { "Your client" }
                p { "The terminal named a program." }
            }
            p.question { "Grade it in all " (TASKS.len()) " tasks. That takes about a minute." }
            (self.button("start", "▶ Grade", true))
        }
    }

    fn card(&self, shown: &ShownCard) -> Markup {
        let (next, chosen) = self.next_and_chosen(shown);
        html! {
            div.titled {
                h1 { "Your client" }
                (self.state(shown))
                span.grow {}
                (totals(&shown.card))
            }
            (self.notices(shown))
            (what_changed(shown, self.modes))
            div.graded {
                section.panel.tight.tasks aria-labelledby="tasks" {
                    h2 #tasks .unseen { "Tasks" }
                    (table(shown, chosen, self.modes))
                    ul.legend aria-label="Legend" {
                        (line_legend())
                        li { "each line has its own scale" }
                    }
                }
                div.stack {
                    @match chosen {
                        Some(task) => (task_panel(shown, task, next, &self.modes)),
                        None => (all_done(shown)),
                    }
                    @match &shown.policy {
                        Some(policy) => {
                            (html_policy_under_load(policy, !self.modes.predict))
                            @if let Some(own) = storm_options(&policy.policy).filter(|_| policy.storm.is_some()) {
                                @let [storm, budgeted] = [own.clone(), with_budget(&own)].map(|own| self.modes.link(storm::web::address_of(&own)));
                                p { a href=(storm) { "See this storm" } ", " a href=(budgeted) { "the same with a retry budget" } }
                            }
                        }
                        None => (self.no_policy(shown)),
                    }
                }
            }
            p.soft.small { "Nothing on this page can name or start a program: only a terminal can. Seed " (self.program.seed) "." }
        }
    }

    /// What a card will say about many such clients, and what it still needs.
    fn no_policy(&self, shown: &ShownCard) -> Markup {
        let lacking: Vec<_> = shown.card.lacking_for_policy().collect();
        if shown.state == CardState::Running || lacking.is_empty() {
            return html! {};
        }
        let body = html! {
            p {
                "What do the retries of many such clients do to a service? A card says so when it has a result of "
                "flaky (how long your client waits), down (how often it tries) and silence (whether it tries again "
                "after a timeout). Still to do, in any order: "
                @for (number, task) in lacking.iter().enumerate() {
                    @if number > 0 { ", " }
                    a href=(task_link(task, self.modes)) { (task) }
                }
                "."
            }
        };
        panel("policy", "This policy under load", "", &body)
    }

    /// How far the card is, and the button that fits.
    pub(super) fn state(&self, shown: &ShownCard) -> Markup {
        let moment = format_rfc3339_seconds(shown.started).to_string();
        let clock = moment.get(11..19).unwrap_or_default();
        let time = html! { time datetime=(moment) { (clock) " UTC" } };
        let graded = shown.card.tasks.len();
        let again = if self.program.is_watched {
            "again at each save"
        } else {
            "again when you ask for it"
        };
        html! {
            @match &shown.state {
                CardState::Running => {
                    p { span.late aria-hidden="true" { "◷ " } (graded) " of " (tasks(TASKS.len())) " so far, since " (time) }
                    (self.button("stop", "Stop", false))
                }
                CardState::Complete => {
                    p { "of " (time) ", " (again) }
                    (self.button("start", "Grade again", false))
                }
                CardState::Stopped => {
                    p { "stopped after " (graded) " of " (tasks(TASKS.len())) ", " (again) }
                    (self.button("start", "Grade again", false))
                }
                CardState::Failed(_) => (self.button("start", "Grade again", false)),
            }
        }
    }

    /// A form with one button. It names the task and the step that are shown, and nothing of the
    /// program.
    fn button(&self, action: &str, words: &str, is_primary: bool) -> Markup {
        let key = if action == "start" { "r" } else { "x" };
        html! {
            form id=(action) method="post" action={ "/client/" (action) } {
                (self.modes.hidden())
                @if let Some(task) = self.chosen { input type="hidden" name="task" value=(task.words.name); }
                @if let Some(step) = self.step { input type="hidden" name="step" value=(step); }
                button.primary[is_primary] type="submit" aria-keyshortcuts=(key) { (words) }
            }
        }
    }

    /// What a reader must know before the verdicts.
    pub(super) fn notices(&self, shown: &ShownCard) -> Markup {
        let graded = &shown.card.tasks;
        let never_ran = !graded.is_empty() && graded.iter().all(grade::TaskGrade::never_ran);
        let is_disturbed = shown.state == CardState::Running
            && (self.shared.runs.in_progress() || self.shared.storms.in_progress());
        html! {
            @if let CardState::Failed(why) = &shown.state {
                p.wrong role="alert" { b { "✗ Your client could not be run: " } (why) }
            }
            @if never_ran {
                p.wrong role="alert" { b { "✗ Your client never ran: " } "exit code 127, and no request." }
            }
            @if is_disturbed {
                p.soft { "A run or a storm goes on at the same time: pauses that it may have delayed cannot be told." }
            }
        }
    }
}

/// Says that every task is done, and which rules could not be told.
fn all_done(shown: &ShownCard) -> Markup {
    let tasks = shown.card.tasks.iter();
    let untold = tasks.flat_map(|grade| grade.with_verdict(Verdict::CannotTell));
    let untold: BTreeSet<_> = untold.map(|rule| rule.id).collect();
    let untold: Vec<_> = untold.into_iter().collect();
    let title = format!("All {} tasks are done", TASKS.len());
    panel(
        "done",
        title,
        "",
        &html! {
            p { "Choose a task to see what your client did in it." }
            @if !untold.is_empty() {
                p.soft { "Not told, so grade again on a quiet machine: " (untold.join(", ")) "." }
            }
        },
    )
}

/// The evidence of a task, with its place in the course.
pub(super) fn task_panel(
    shown: &ShownCard,
    task: &Task,
    next: Option<&Task>,
    modes: &Modes,
) -> Markup {
    let name = task.words.name;
    let number = TASKS.iter().position(|known| known.words.name == name);
    let number = number.unwrap_or_default();
    let is_next = next.is_some_and(|next| next.words.name == name);
    let scenario = modes
        .left()
        .link(format!("/scenarios/{}", task.words.scenario));
    let progress = shown.tasks.get(number);
    let now = shown.card.task(name);
    let before = shown.before.as_ref();
    let before = before.and_then(|card| Some((card, card.task(name)?)));
    html! {
        section.panel.evidence aria-labelledby="task" {
            header {
                h2 #task { @if is_next { "▶ Next: " } (name) }
                p.aside { "task " (number + 1) " of " (TASKS.len()) }
            }
            @match (now, before) {
                (Some(grade), _) => (evidence(&shown.card, grade, &scenario)),
                (None, before) => {
                    @if let Some(progress) = progress { p { (waiting(&shown.state, task, progress)) } }
                    @match (progress.and_then(|progress| progress.crash.as_ref()), before) {
                        (Some(case), _) => (before_its_result(&task.words, Some(case), &scenario)),
                        (None, Some((card, grade))) => {
                            p.soft { "On the card before:" }
                            (evidence(card, grade, &scenario))
                        }
                        (None, None) => (before_its_result(&task.words, None, &scenario)),
                    }
                }
            }
        }
    }
}

/// The differences from the last complete card.
pub(super) fn what_changed(shown: &ShownCard, modes: Modes) -> Markup {
    let before = shown.before.as_ref();
    let changes = before.map(|before| Changes::between(before, &shown.card));
    let Some(changes) = changes.filter(|changes| !changes.is_empty()) else {
        return html! {};
    };
    let pauses = changes.rules.iter().find_map(|rule| rule.pauses.as_ref());
    let (rules, goals) = (&changes.rules, &changes.goals);
    let [more_rules, more_goals] = [
        rules.len().saturating_sub(MOST_RULES),
        goals.len().saturating_sub(MOST_GOALS),
    ];
    html! {
        section.panel.changed.lost[changes.has_lost()] aria-labelledby="changed" {
            div {
                h2 #changed { "What changed since the last card" }
                @for change in rules.iter().take(MOST_RULES) { (rule_change(change, modes)) }
                @if more_rules > 0 { p.soft { "and " (counted(more_rules as u64, "more rule")) } }
                ul.goals {
                    @for change in goals.iter().take(MOST_GOALS) { li { (goal_change(change, modes)) } }
                    @if more_goals > 0 { li.soft { "and " (counted(more_goals as u64, "more goal")) } }
                }
            }
            @if let Some([before, now]) = pauses { (strip(&[("before", before), ("now", now)])) }
        }
    }
}

fn rule_change(change: &RuleChange, modes: Modes) -> Markup {
    let last = change.tasks.len().saturating_sub(1);
    html! {
        p {
            b.lead { (change.rule) " " (sign(change.before)) " → " (sign(change.now)) }
            " in "
            @for (number, task) in change.tasks.iter().enumerate() {
                @if number > 0 { @if number == last { " and " } @else { ", " } }
                a href=(task_link(task, modes)) { (task) }
            }
        }
    }
}

fn goal_change(change: &GoalChange, modes: Modes) -> Markup {
    html! {
        a href=(task_link(change.task, modes)) { (change.task) }
        ": " (goal(change.before)) " → " (goal(change.now))
    }
}

/// The sign of a verdict, which says it to those who do not see it.
fn sign(verdict: Verdict) -> Markup {
    let (class, mark) = match verdict {
        Verdict::CannotTell => ("soft", "?"),
        verdict => class_and_mark(is_good(verdict, false)),
    };
    html! { span class=(class) role="img" aria-label=(verdict) { (mark) } }
}

fn task_link(task: &str, modes: Modes) -> String {
    modes.link(Address::new(super::PATH).with("task", task))
}
