//! `lab grade -- COMMAND`: grades the client that a command runs.

mod known_failing;
mod language;
mod open_cases;
mod solution;
pub(crate) mod starter;
mod summary;

use std::{
    cell::RefCell,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use clap::Args;
use grade::{
    Card, GoalVerdict, GradeError, ProcessSlots, TASKS, Task, TaskGrade, all, find, run_task,
    text::TaskNumber,
};
use host::Signals;
use indicatif::ProgressBar;
use judge::{KnownFailures, rules::Rule};
use process::ClientCommand;
use render::Options;
use scenario::Settings;
use tokio::time::{Instant, sleep};
use wire::quoted;

use self::solution::Solution;
use crate::cli::{
    Exit, OrExit,
    card_options::{CardOptions, report_faults},
    intercepting_proxy, number, rule, terminal,
};

/// How often a watched file is checked.
const LOOK: Duration = Duration::from_millis(200);

/// The options of a run, which a summary of cards does not need.
const NOT_WITH_SUMMARY: [&str; 11] = [
    "all",
    "task",
    "only",
    "require",
    "seed",
    "solution",
    "known_failing",
    "strict",
    "json",
    "junit",
    "command",
];

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Run all tasks, those for practice included, and print the card, instead of stopping
    /// at the first task that is not done
    #[arg(long, conflicts_with = "watch")]
    all: bool,
    /// Run these tasks only
    #[arg(long, value_name = "NAME", num_args = 1..)]
    task: Vec<String>,
    /// Judge these rules only
    #[arg(long, value_name = "RULE", num_args = 1..)]
    only: Vec<String>,
    /// Run again whenever this file is saved, starting at the first task that is not done.
    /// With --summary, and without a file: show the cards again whenever one changes
    #[arg(long, value_name = "FILE", num_args = 0..=1, conflicts_with_all = ["json", "junit"])]
    watch: Option<Option<PathBuf>>,
    /// Exit with 1 unless these tasks are done
    #[arg(long, value_name = "NAME", num_args = 1..)]
    require: Vec<String>,
    /// The seed of ids, cursors and URLs [default: random]
    #[arg(long, value_parser = number::any, allow_hyphen_values = true)]
    seed: Option<u64>,
    /// Print a hint for a task, and run nothing
    #[arg(long, value_name = "NAME", exclusive = true)]
    hint: Option<String>,
    /// Print a client that does every task, and run nothing
    #[arg(long, value_enum, value_name = "LANGUAGE", exclusive = true)]
    solution: Option<Solution>,
    /// Count how many of the cards in these files or folders (as --json prints them) reached
    /// each goal and kept each rule, and run nothing. With --report: write a board with a row
    /// for each card, which has the name of its file
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = NOT_WITH_SUMMARY)]
    summary: Vec<PathBuf>,
    /// Number the rows of the board instead of naming them
    #[arg(long, requires_all = ["summary", "report"])]
    hide_names: bool,
    #[command(flatten)]
    card: CardOptions,
    /// The command that runs the client. `{url}`, `{base_url}` and `{task}` in it stand
    /// for those of each case, as LAB_URL, LAB_BASE_URL and LAB_TASK do in its environment.
    /// Without a command the cases are open to any client until
    /// Ctrl+C, and then the requests are judged
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

impl Arguments {
    /// Checks that the named tasks and rules exist.
    pub(crate) fn check(&self) -> Result<(), Box<dyn std::error::Error>> {
        for name in self.task.iter().chain(&self.require).chain(&self.hint) {
            find(name)?;
        }
        for id in &self.only {
            rule::find(id)?;
        }
        Ok(())
    }

    /// The file of the client to watch.
    fn watched(&self) -> Result<Option<&Path>, WatchError> {
        let is_summary = !self.summary.is_empty();
        match &self.watch {
            None => Ok(None),
            Some(None) if is_summary => Ok(None),
            Some(None) => Err(WatchError::NoFile),
            Some(Some(_)) if is_summary => Err(WatchError::WithSummary),
            Some(Some(_)) if self.command.is_empty() => Err(WatchError::NoCommand),
            Some(Some(_)) if self.card.report().is_some() => Err(WatchError::WithReport),
            Some(Some(file)) => Ok(Some(file)),
        }
    }
}

/// Why `--watch` cannot be followed.
#[derive(Debug, thiserror::Error)]
enum WatchError {
    #[error("--watch needs a file: that of the client")]
    NoFile,
    #[error("--watch FILE needs a COMMAND after `--`, which runs the client")]
    NoCommand,
    #[error("--watch cannot be used with --report, except with --summary")]
    WithReport,
    #[error("--watch takes no file with --summary: the cards themselves are watched")]
    WithSummary,
}

pub(crate) fn grade(arguments: &Arguments) -> Result<Exit, Exit> {
    if let Some(name) = &arguments.hint {
        let task = find(name).or_exit(Exit::Usage)?;
        let hint = grade::text::hint(&task.words, &arguments.card.terminal());
        return terminal::print(&hint).map(|()| Exit::Passed);
    }
    if let Some(solution) = arguments.solution {
        return terminal::print(solution.source()).map(|()| Exit::Passed);
    }
    let watched = arguments.watched().or_exit(Exit::Usage)?;
    if !arguments.summary.is_empty() {
        return summary::summarize(arguments);
    }
    if arguments.command.is_empty() {
        return open(arguments);
    }
    let grader = Grader::new(arguments)?;
    intercepting_proxy::warn();
    match watched {
        Some(file) => grader.watch(file),
        None => grader.once(),
    }
}

/// Serves the cases until Ctrl+C, and then judges the requests.
fn open(arguments: &Arguments) -> Result<Exit, Exit> {
    let tasks = chosen(arguments, all()).inspect_err(|_| {
        if arguments.task.len() > 1 {
            terminal::note("The command that runs a client goes after `--`.");
        }
    })?;
    let demands = Demands::new(arguments)?;
    let seed = arguments.seed.unwrap_or_else(Settings::random_seed);
    let options = arguments.card.terminal();
    let mut card = terminal::runtime()?.block_on(async {
        let mut signals = terminal::signals()?;
        open_cases::serve(&tasks, seed, &options, &mut signals).await
    })?;
    card.judge_only(&demands.only);
    demands.write_files(&card)?;
    demands.print(&card)?;
    Ok(demands.exit(&card))
}

/// The tasks named on the command line, or `otherwise` if none is named.
fn chosen(
    arguments: &Arguments,
    otherwise: impl Iterator<Item = &'static Task>,
) -> Result<Vec<&'static Task>, Exit> {
    if arguments.task.is_empty() {
        Ok(otherwise.collect())
    } else {
        all_named(&arguments.task)
    }
}

fn all_named(names: &[String]) -> Result<Vec<&'static Task>, Exit> {
    let tasks: Result<_, _> = names.iter().map(|name| find(name)).collect();
    tasks.or_exit(Exit::Usage)
}

/// The settings and the outputs of a card.
struct Demands<'a> {
    options: &'a CardOptions,
    required: Vec<&'static Task>,
    /// The rules to judge; an empty list means all rules.
    only: Vec<&'static Rule>,
    known: KnownFailures,
}

impl<'a> Demands<'a> {
    /// Reads the files of the options, and checks that the others can be written.
    fn new(arguments: &'a Arguments) -> Result<Self, Exit> {
        let options = &arguments.card;
        options.check_files()?;
        let only: Result<_, _> = arguments.only.iter().map(|id| rule::find(id)).collect();
        Ok(Self {
            options,
            required: all_named(&arguments.require)?,
            only: only.or_exit(Exit::Usage)?,
            known: options.known_failures(known_failing::check)?,
        })
    }

    /// Writes the card to the requested files.
    fn write_files(&self, card: &Card) -> Result<(), Exit> {
        let words: Vec<_> = all().map(|task| &task.words).collect();
        self.options.write_files(
            &grade::junit(card, &self.known, self.options.strict),
            &grade::html_card(card, &words, &self.known),
        )
    }

    fn print(&self, card: &Card) -> Result<(), Exit> {
        let text = |options: &Options| grade::text::card(card, &self.known, options);
        self.options.print(card, text)
    }

    /// Whether a task is done, except for its known failures.
    fn is_done(&self, task: &TaskGrade) -> bool {
        task.is_done_but_for(&self.known)
    }

    /// The exit code of a card. Reports the demands that it does not meet.
    fn exit(&self, card: &Card) -> Exit {
        // A case that could not be judged does not count as done.
        let is_done = |required: &Task| {
            let mut tasks = card.tasks.iter();
            tasks.any(|task| {
                let is_reached = task.goal.verdict == GoalVerdict::Reached;
                task.task == required.words.name && is_reached && self.is_done(task)
            })
        };
        let missing = self.required.iter().filter(|task| !is_done(task));
        let missing =
            missing.map(|task| format!("'{}' is required, and it is not done", task.words.name));
        let unjudged = card.unjudged().filter(|_| self.options.strict);
        let unjudged = unjudged.map(|words| format!("{words}, and --strict does not allow that"));
        let has_faults = report_faults(card, &self.known, missing.chain(unjudged));
        if has_faults || !card.passed_but_for(&self.known) {
            Exit::Failed
        } else if !card.was_attempted() {
            Exit::NothingAttempted
        } else {
            Exit::Passed
        }
    }
}

/// A client, and the tasks to run.
struct Grader<'a> {
    arguments: &'a Arguments,
    command: ClientCommand,
    tasks: Vec<&'static Task>,
    demands: Demands<'a>,
    seed: u64,
    options: Options,
    slots: ProcessSlots,
}

/// Why grading ended early.
enum Ended {
    /// By Ctrl+C; with the tasks that were done before.
    Cancelled(Card),
    Failed(GradeError),
    /// The results could not be printed, for the reason that is on stderr.
    Unwritten(Exit),
}

impl<'a> Grader<'a> {
    fn new(arguments: &'a Arguments) -> Result<Self, Exit> {
        let command = ClientCommand::new(arguments.command.iter().cloned());
        let is_wanted = |task: &Task| arguments.all || !task.is_for_practice();
        Ok(Self {
            command: command.or_exit(Exit::Usage)?,
            tasks: chosen(arguments, all().filter(|task| is_wanted(task)))?,
            demands: Demands::new(arguments)?,
            seed: arguments.seed.unwrap_or_else(Settings::random_seed),
            options: arguments.card.terminal(),
            slots: ProcessSlots::of_this_machine(),
            arguments,
        })
    }

    /// Runs once and returns the exit code.
    fn once(&self) -> Result<Exit, Exit> {
        terminal::runtime()?.block_on(async {
            let mut signals = terminal::signals()?;
            let graded = if self.arguments.all {
                self.every_task(&mut signals).await
            } else {
                self.the_way(&mut signals, 0).await
            };
            let (card, is_cancelled) = match graded {
                Err(Ended::Cancelled(card)) => (card, true),
                graded => (self.finish(graded)?, false),
            };
            self.demands.write_files(&card)?;
            if self.arguments.card.json || self.arguments.all {
                self.demands.print(&card)?;
            } else if !is_cancelled && self.next(&card) < self.tasks.len() {
                self.advise_watching()?;
            } else if !is_cancelled {
                self.say_done(&card)?;
            }
            if is_cancelled {
                let (done, all) = (card.tasks.len(), self.tasks.len());
                terminal::note(&format!("Cancelled: {done} of {all} tasks were run."));
                return Err(Exit::Cancelled);
            }
            Ok(self.demands.exit(&card))
        })
    }

    /// Runs again at every save, until every task is done.
    fn watch(&self, file: &Path) -> Result<Exit, Exit> {
        let mut seen = saved(file).ok_or_else(|| {
            let error = format!("{} cannot be read, so it cannot be watched", file.display());
            terminal::fail(error, Exit::Usage)
        })?;
        terminal::runtime()?.block_on(async {
            let mut signals = terminal::signals()?;
            let mut next = 0;
            loop {
                let from = next;
                let graded = self.the_way(&mut signals, from).await;
                let card = self.finish(graded)?;
                next += self.next(&card);
                if next == self.tasks.len() && from > 0 {
                    // A save may break a task that was done before.
                    terminal::print("(all again)\n")?;
                    next = 0;
                    continue;
                }
                if next == self.tasks.len() {
                    self.say_done(&card)?;
                    return Ok(self.demands.exit(&card));
                }
                tokio::select! {
                    () = signals.next() => return Err(Exit::Cancelled),
                    save = saved_again(file, seen) => seen = save,
                }
                terminal::print("(saved)\n")?;
            }
        })
    }

    /// Runs the tasks in order, starting at number `from`, up to the first that is not done, and
    /// prints the result of each. Without a watched file, tasks named on the command line
    /// are all run.
    async fn the_way(&self, signals: &mut Signals, from: usize) -> Result<Card, Ended> {
        let mut card = self.card();
        for (index, task) in self.tasks.iter().enumerate().skip(from) {
            let progress = Progress::new(&[*task]);
            let grade = tokio::select! {
                grade = self.run(task, &progress) => grade.map_err(Ended::Failed)?,
                () = signals.next() => return Err(Ended::Cancelled(card)),
                never = progress.count_up(task.words.name) => never,
            };
            drop(progress);
            card.add([grade]);
            let Some(grade) = card.tasks.last() else {
                break;
            };
            let never_ran = grade.never_ran();
            if !self.arguments.card.json && !never_ran {
                let number = TaskNumber {
                    number: index + 1,
                    of: self.tasks.len(),
                };
                let known = &self.demands.known;
                let text = grade::text::task(&task.words, grade, number, known, &self.options);
                terminal::print(&text).map_err(Ended::Unwritten)?;
            }
            let runs_all = !self.arguments.task.is_empty() && self.arguments.watch.is_none();
            let goes_on = runs_all || self.demands.is_done(grade);
            if !goes_on || never_ran {
                break;
            }
        }
        Ok(card)
    }

    /// Runs all tasks, several at once.
    async fn every_task(&self, signals: &mut Signals) -> Result<Card, Ended> {
        let progress = Progress::new(&self.tasks);
        let done = RefCell::new(vec![None; self.tasks.len()]);
        let tasks = self.tasks.iter().enumerate().map(async |(number, task)| {
            let grade = self.run(task, &progress).await?;
            if let Some(place) = done.borrow_mut().get_mut(number) {
                *place = Some(grade);
            }
            Ok(())
        });
        let ended = tokio::select! {
            all = futures_util::future::try_join_all(tasks) => Some(all),
            () = signals.next() => None,
            never = progress.count_up("cases") => never,
        };
        drop(progress);
        let mut card = self.card();
        card.add(done.take().into_iter().flatten());
        match ended {
            None => Err(Ended::Cancelled(card)),
            Some(Err(error)) => Err(Ended::Failed(error)),
            Some(Ok(_)) => Ok(card),
        }
    }

    async fn run(&self, task: &Task, progress: &Progress) -> Result<TaskGrade, GradeError> {
        let case_done = || progress.bar.inc(1);
        let mut grade = run_task(task, &self.command, self.seed, &self.slots, case_done).await?;
        grade.judge_only(&self.demands.only);
        Ok(grade)
    }

    fn card(&self) -> Card {
        Card::new(self.command.words(), self.seed, wire::GENERATOR)
    }

    /// The card, or an error on stderr if there is none.
    fn finish(&self, graded: Result<Card, Ended>) -> Result<Card, Exit> {
        let card = graded.map_err(|ended| match ended {
            Ended::Cancelled(_) => Exit::Cancelled,
            Ended::Unwritten(exit) => exit,
            Ended::Failed(error) => {
                let exit = terminal::fail(&error, Exit::Environment);
                self.note_a_task();
                exit
            }
        })?;
        if !card.tasks.is_empty() && card.tasks.iter().all(TaskGrade::never_ran) {
            let cases = card.tasks.iter().flat_map(|task| &task.cases);
            let stderr = cases
                .flat_map(|case| &case.process)
                .map(|process| &process.stderr);
            for line in stderr.take(1).flatten() {
                terminal::note(&format!("| {}", render::visible(line)));
            }
            let error = format!("{} never ran: exit code 127, and no request", self.command);
            return Err(terminal::fail(error, Exit::Environment));
        }
        Ok(card)
    }

    /// Adds a note if the program has the name of a task.
    fn note_a_task(&self) {
        let words = self.command.words();
        if let Some(task) = words.first().and_then(|word| find(word).ok()) {
            let (lab, name) = (self.options.lab, task.words.name);
            terminal::note(&format!(
                "To grade a client in the task '{name}': {lab} grade --task {name} -- COMMAND"
            ));
        }
    }

    /// The number of tasks that are done before the first that is not.
    fn next(&self, card: &Card) -> usize {
        let tasks = card.tasks.iter();
        tasks.take_while(|task| self.demands.is_done(task)).count()
    }

    fn say_done(&self, card: &Card) -> Result<(), Exit> {
        if !self.arguments.task.is_empty() {
            return self.name_the_next();
        }
        terminal::print(&grade::text::done(card, &self.options))
    }

    /// Names the task of the course after the furthest of those on the command line.
    fn name_the_next(&self) -> Result<(), Exit> {
        let is_named = |task: &&Task| {
            let mut named = self.tasks.iter().map(|named| named.words.name);
            named.any(|name| name == task.words.name)
        };
        let furthest = TASKS.iter().rposition(is_named);
        let Some(next) = furthest.and_then(|furthest| TASKS.get(furthest + 1)) else {
            return Ok(());
        };
        let next = next.words.name;
        let (lab, command) = (self.options.lab, &self.command);
        terminal::print(&format!(
            "Next:\n  {lab} grade --task {next} -- {command}\n"
        ))
    }

    /// The `--watch` option to suggest, if an argument of the command is a file.
    fn advise_watching(&self) -> Result<(), Exit> {
        if !self.arguments.task.is_empty() {
            return Ok(());
        }
        let words = self.command.words();
        let is_file = |word: &&String| fs::metadata(word).is_ok_and(|found| found.is_file());
        let Some(file) = words.iter().skip(1).find(is_file) else {
            return Ok(());
        };
        let (lab, command, file) = (self.options.lab, &self.command, quoted(file));
        let advice =
            format!("To run again at every save:\n  {lab} grade --watch {file} -- {command}\n");
        terminal::print(&advice)
    }
}

/// The progress of running tasks on a terminal, cleared when this is dropped.
struct Progress {
    bar: ProgressBar,
    started: Instant,
}

impl Progress {
    fn new(tasks: &[&Task]) -> Self {
        let cases: usize = tasks.iter().map(|task| task.case_count()).sum();
        Self {
            bar: terminal::progress(cases as u64),
            started: Instant::now(),
        }
    }

    /// Shows again and again how long it has taken so far. When a case ends is not known
    /// beforehand: its time counts from its first request, and a client may be slow to start.
    async fn count_up(&self, name: &str) -> ! {
        loop {
            let seconds = self.started.elapsed().as_secs();
            self.bar.set_message(format!("{name}, {seconds} s so far"));
            self.bar.tick();
            sleep(LOOK).await;
        }
    }
}

/// When a file was saved and its length; none if it does not exist.
fn saved(file: &Path) -> Option<(SystemTime, u64)> {
    let found = fs::metadata(file).ok()?;
    Some((found.modified().ok()?, found.len()))
}

/// Waits until a file differs from the one seen before. An editor may remove it for a
/// moment.
async fn saved_again(file: &Path, seen: (SystemTime, u64)) -> (SystemTime, u64) {
    loop {
        sleep(LOOK).await;
        if let Some(save) = saved(file).filter(|save| *save != seen) {
            return save;
        }
    }
}
