//! `lab grade -- COMMAND`: runs a client in tasks, once or at every save.

use std::{cell::RefCell, path::Path, time::Duration};

use grade::{
    Card, CaseEvent, GradeError, ProcessSlots, TASKS, Task, TaskGrade, run_task, run_tasks,
    text::TaskNumber,
};
use host::Signals;
use indicatif::ProgressBar;
use process::ClientCommand;
use render::Options;
use scenario::Settings;
use tokio::time::{Instant, sleep};

use super::{Arguments, demands::Demands};
use crate::{
    cli::{
        exit::Exit,
        terminal::{self, OrExit},
    },
    grade::{policy_under_load::policy_under_load, saves::Saves},
};

/// How often the time that was needed so far is shown.
const TICK: Duration = Duration::from_millis(200);

/// A client, and the tasks to run.
pub(super) struct Grader<'a> {
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
    pub(super) fn new(arguments: &'a Arguments) -> Result<Self, Exit> {
        let command = ClientCommand::new(arguments.run.command.iter().cloned());
        let named = arguments.named_tasks().or_exit(Exit::Usage)?;
        let tasks = if named.is_empty() {
            TASKS.to_vec()
        } else {
            named
        };
        Ok(Self {
            command: command.or_exit(Exit::Usage)?,
            tasks,
            demands: Demands::new(arguments)?,
            seed: arguments.run.seed.unwrap_or_else(Settings::random_seed),
            options: arguments.card.terminal(),
            slots: ProcessSlots::of_this_machine(),
            arguments,
        })
    }

    /// Runs once and returns the exit code.
    pub(super) fn once(&self) -> Result<Exit, Exit> {
        terminal::runtime()?.block_on(async {
            let mut signals = terminal::signals()?;
            let graded = if self.arguments.run.all {
                self.every_task(&mut signals).await
            } else {
                self.the_way(&mut signals, 0).await
            };
            let (card, is_cancelled) = match graded {
                Err(Ended::Cancelled(card)) => (card, true),
                graded => (self.finish(graded).await?, false),
            };
            self.demands.write_files(&card)?;
            if self.arguments.card.is_json() || self.arguments.run.all {
                self.demands.print(&card)?;
            } else if !is_cancelled && self.next(&card) < self.tasks.len() {
                self.say_how_to_go_on()?;
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
    pub(super) fn watch(&self, file: &Path) -> Result<Exit, Exit> {
        let mut saves = Saves::of([file]).or_exit(Exit::Usage)?;
        terminal::runtime()?.block_on(async {
            let mut signals = terminal::signals()?;
            let mut next = 0;
            loop {
                let from = next;
                let graded = self.the_way(&mut signals, from).await;
                let card = self.finish(graded).await?;
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
                    () = saves.next() => {}
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
            if !self.arguments.card.is_json() && !never_ran {
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
        let on_case = |_, event: CaseEvent<'_>| progress.on_case(event);
        let on_task = |number: usize, grade| {
            if let Some(place) = done.borrow_mut().get_mut(number) {
                *place = Some(self.judged(grade));
            }
        };
        let tasks = self.tasks.iter().copied().enumerate();
        let all = run_tasks(
            tasks,
            &self.command,
            self.seed,
            &self.slots,
            on_case,
            on_task,
        );
        let ended = tokio::select! {
            all = all => Some(all),
            () = signals.next() => None,
            never = progress.count_up("cases") => never,
        };
        drop(progress);
        let mut card = self.card();
        card.add(done.take().into_iter().flatten());
        match ended {
            None => Err(Ended::Cancelled(card)),
            Some(Err(error)) => Err(Ended::Failed(error)),
            Some(Ok(())) => Ok(card),
        }
    }

    async fn run(&self, task: &Task, progress: &Progress) -> Result<TaskGrade, GradeError> {
        let on_case = |event: CaseEvent<'_>| progress.on_case(event);
        let grade = run_task(task, &self.command, self.seed, &self.slots, on_case).await?;
        Ok(self.judged(grade))
    }

    /// A grade with the rules that are to be judged.
    fn judged(&self, mut grade: TaskGrade) -> TaskGrade {
        grade.judge_only(&self.demands.only);
        grade
    }

    fn card(&self) -> Card {
        Card::new(self.command.words(), self.seed, wire::GENERATOR)
    }

    /// The card, or an error on stderr if there is none.
    async fn finish(&self, graded: Result<Card, Ended>) -> Result<Card, Exit> {
        let mut card = graded.map_err(|ended| match ended {
            Ended::Cancelled(_) => Exit::Cancelled,
            Ended::Unwritten(exit) => exit,
            Ended::Failed(error) => {
                let exit = terminal::fail(&error, Exit::Environment);
                if matches!(error, GradeError::Program { .. }) {
                    let lab = self.options.lab;
                    terminal::note(&format!(
                        "The command is a program and its arguments, after `--`, such as \
                         `python3 client.py`:\n  {lab} grade --task NAME -- COMMAND"
                    ));
                }
                exit
            }
        })?;
        if !card.tasks.is_empty() && card.tasks.iter().all(TaskGrade::never_ran) {
            let cases = card.tasks.iter().flat_map(|task| &task.cases);
            let stderr = cases
                .flat_map(|case| &case.process)
                .map(|process| &process.stderr);
            for line in stderr.take(1).flatten() {
                terminal::note(&format!("| {}", render::fit(line, usize::MAX, false)));
            }
            let error = format!("{} never ran: exit code 127, and no request", self.command);
            return Err(terminal::fail(error, Exit::Environment));
        }
        card.policy_under_load = policy_under_load(&card).await;
        Ok(card)
    }

    /// The number of tasks that are done before the first that is not.
    fn next(&self, card: &Card) -> usize {
        let tasks = card.tasks.iter();
        tasks.take_while(|task| self.demands.is_done(task)).count()
    }

    /// Says what comes after all of these tasks.
    fn say_done(&self, card: &Card) -> Result<(), Exit> {
        if self.arguments.task.is_empty() {
            return terminal::print(&grade::text::done(card, &self.options));
        }
        let (lab, command) = (self.options.lab, &self.command);
        terminal::print(&format!(
            "To run all tasks in order:\n  {lab} grade -- {command}\n"
        ))
    }

    /// Says how to go on after a task that is not done.
    fn say_how_to_go_on(&self) -> Result<(), Exit> {
        if !self.arguments.task.is_empty() {
            return Ok(());
        }
        let (lab, command) = (self.options.lab, &self.command);
        terminal::print(&format!(
            "To run again whenever FILE is saved:\n  {lab} grade --watch FILE -- {command}\n"
        ))
    }
}

/// The progress of running tasks on a terminal, cleared when this is dropped.
struct Progress {
    bar: ProgressBar,
    started: Instant,
}

impl Progress {
    fn new(tasks: &[&Task]) -> Self {
        let cases = tasks.iter().flat_map(|task| task.case_names());
        Self {
            bar: terminal::progress(cases.count() as u64),
            started: Instant::now(),
        }
    }

    fn on_case(&self, event: CaseEvent<'_>) {
        if let CaseEvent::Ended(_) = event {
            self.bar.inc(1);
        }
    }

    /// Shows again and again how long it has taken so far. When a case ends is not known
    /// beforehand: its time counts from its first request, and a client may be slow to start.
    async fn count_up(&self, name: &str) -> ! {
        loop {
            let seconds = self.started.elapsed().as_secs();
            self.bar.set_message(format!("{name}, {seconds} s so far"));
            self.bar.tick();
            sleep(TICK).await;
        }
    }
}
