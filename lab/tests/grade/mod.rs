//! Whether grading is right about clients of every kind: wrong on purpose, right in
//! unusual ways, and lazy. The clients are one program with one habit each, the example
//! `habits`.

mod lazy;
mod load;
mod missed;
mod right;
mod wrong;

use std::{ffi::OsString, sync::LazyLock};

use grade::{GoalVerdict, ProcessSlots, TaskGrade, find, run_task};
use process::ClientCommand;
use testkit::files::example;

/// A client with one habit.
fn habit(name: &str) -> ClientCommand {
    let words = [example("habits"), name.to_owned()].map(OsString::from);
    ClientCommand::new(words).expect("a command")
}

/// How many processes of all these tests run at once: they spend most of their time waiting.
static SLOTS: LazyLock<ProcessSlots> = LazyLock::new(|| ProcessSlots::new(48));

async fn graded(task: &str, client: &ClientCommand, slots: &ProcessSlots) -> TaskGrade {
    let task = find(task).expect("a task");
    let grade = run_task(task, client, 7, slots, |_| ()).await;
    grade.expect("it can be run")
}

/// The result of the goal and of each case, for a message.
fn describe(grade: &TaskGrade) -> String {
    let rules = grade.rules.iter().map(|rule| {
        let judged = &rule.judgement;
        format!("\n  {} {:?} {:?}", rule.id, judged.verdict, judged.found)
    });
    let cases = grade.cases.iter().map(|case| {
        let requests = case.wire.entries.iter().map(|entry| {
            let arrived = entry.arrived.as_millis();
            format!(
                "\n    {arrived} ms {} {} {:?}",
                entry.method, entry.route, entry.status
            )
        });
        let requests: String = requests.take(30).collect();
        let process = case.process.as_ref();
        let late = process.map(|process| process.lab_delay).unwrap_or_default();
        format!(
            "\n  {}, {late:?} late: {:?}{requests}",
            case.name, case.goal
        )
    });
    let (rules, cases): (String, String) = (rules.collect(), cases.collect());
    format!("{}: {:?}{rules}{cases}", grade.task, grade.goal)
}

/// The unexpected part of a grade: the goal if one is expected, or the broken rules.
fn fault(
    grade: &TaskGrade,
    client: &ClientCommand,
    goal: Option<GoalVerdict>,
    rules: &[&str],
) -> Option<String> {
    let broken: Vec<_> = grade.broken().map(|rule| rule.id).collect();
    let is_right = broken == rules && goal.is_none_or(|goal| goal == grade.goal.verdict);
    let expected = format!("expected {goal:?}, and broken {rules:?}");
    (!is_right).then(|| format!("{client}: {expected}\n{}\n", describe(grade)))
}

/// Asserts that there is none, and otherwise lists them all.
fn assert_none(faults: impl IntoIterator<Item = Option<String>>) {
    let faults: Vec<_> = faults.into_iter().flatten().collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
