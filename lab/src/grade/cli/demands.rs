//! The outputs of a card, and its exit code.

use grade::{Card, CardResult, TASKS, Task, TaskGrade, TaskResult, find};
use judge::{KnownFailures, rules::Rule};
use render::Options;

use super::{Arguments, known_failing};
use crate::cli::{
    card_options::{CardOptions, report_faults},
    exit::Exit,
    rule,
    terminal::OrExit,
};

/// The settings and the outputs of a card.
pub(super) struct Demands<'a> {
    options: &'a CardOptions,
    required: Vec<&'static Task>,
    /// The rules to judge; an empty list means all rules.
    pub(super) only: Vec<&'static Rule>,
    pub(super) known: KnownFailures,
}

impl<'a> Demands<'a> {
    /// Reads the files of the options, and checks that the others can be written.
    pub(super) fn new(arguments: &'a Arguments) -> Result<Self, Exit> {
        let options = &arguments.card;
        options.check_files(&[])?;
        let required: Result<_, _> = arguments
            .run
            .require
            .iter()
            .map(|name| find(name))
            .collect();
        let only: Result<_, _> = arguments
            .run
            .only
            .iter()
            .map(|id| rule::find_graded(id))
            .collect();
        Ok(Self {
            options,
            required: required.or_exit(Exit::Usage)?,
            only: only.or_exit(Exit::Usage)?,
            known: options.known_failures(known_failing::check)?,
        })
    }

    /// Writes the card to the requested files.
    pub(super) fn write_files(&self, card: &Card) -> Result<(), Exit> {
        let words: Vec<_> = TASKS.iter().map(|task| &task.words).collect();
        self.options.write_files(
            &grade::junit(card, &self.known, self.options.is_strict()),
            &grade::html_card(card, &words, &self.known),
        )
    }

    pub(super) fn print(&self, card: &Card) -> Result<(), Exit> {
        let text = |options: &Options| grade::text::card(card, &self.known, options);
        self.options.print(card, text)
    }

    /// Whether a task is done, except for its known failures.
    pub(super) fn is_done(&self, task: &TaskGrade) -> bool {
        task.result(&self.known).is_done()
    }

    /// The exit code of a card. Reports the demands that it does not meet.
    pub(super) fn exit(&self, card: &Card) -> Exit {
        // A case that could not be judged does not count as done.
        let is_done = |required: &Task| {
            let mut tasks = card.tasks.iter();
            tasks.any(|task| {
                task.task == required.words.name && task.result(&self.known) == TaskResult::Done
            })
        };
        let missing = self.required.iter().filter(|task| !is_done(task));
        let missing =
            missing.map(|task| format!("'{}' is required, and it is not done", task.words.name));
        let unjudged = card.unjudged().filter(|_| self.options.is_strict());
        let unjudged = unjudged.map(|words| format!("{words}, and --strict does not allow that"));
        let has_faults = report_faults(card, &self.known, missing.chain(unjudged));
        match card.result(&self.known) {
            _ if has_faults => Exit::Failed,
            CardResult::RuleBroken | CardResult::GoalMissed => Exit::Failed,
            CardResult::NothingAttempted => Exit::NothingAttempted,
            CardResult::NotJudged | CardResult::Passed => Exit::Passed,
        }
    }
}
