//! A grade as text for a terminal: a line for each task, the next step, and the card.

#[cfg(test)]
mod properties;

use std::collections::BTreeSet;

use anstyle::{AnsiColor, Style};
use judge::{KnownFailures, in_words, is_good, rules::Verdict};
use render::{Options, Sheet, fit, timeline::brief};
use wire::{ProcessRecord, counted};

use crate::{
    Card, CaseGrade, GoalVerdict, OpenCases, PolicyUnderLoad, RuleGrade, TASKS, Task, TaskGrade,
    TaskWords, in_flight, policy_under_load,
};

/// The most lines about the requests of a case.
const LINES: usize = 13;

/// The most cases with a missed goal whose result is shown.
const MISSED: usize = 2;

/// The widest line of a process's stderr to show, in columns.
const STDERR: usize = 300;

/// The indentation of all lines about a task after the first.
const INDENT: &str = "     ";

/// The position of a task.
#[derive(Clone, Copy, Debug)]
pub struct TaskNumber {
    /// The number of the task, starting at 1.
    pub number: usize,
    /// The number of tasks.
    pub of: usize,
}

/// Renders the URLs to call. With several tasks, each shows its first case.
#[must_use]
pub fn open(open: &OpenCases, options: &Options) -> String {
    let lab = options.lab;
    let cases: Vec<_> = open.cases().collect();
    let tasks = cases.chunk_by(|case, next| case.number < next.number);
    let tasks: Vec<_> = tasks.collect();
    let is_only = tasks.len() == 1;
    let mut sheet = Sheet::new(options);
    let first = "Open until Ctrl+C, which prints the card. Each URL is one case: one call of your \
                 client.";
    sheet.beside("", first);
    sheet.line("To let the lab call a program for each case instead:");
    sheet.line(&format!("  {lab} grade -- COMMAND"));
    sheet.gap();
    for cases in tasks {
        let listed = if is_only { cases.len() } else { 1 };
        for case in cases.iter().take(listed) {
            let name = case.task.words.name;
            let label = if case.number == 0 { name } else { "" };
            sheet.line(&format!("{label:<14} {}", case.url));
            if is_only {
                sheet.beside(&format!("{:15}", ""), case.name);
            }
        }
        let Some(first) = cases.first() else { continue };
        if let Some(token) = first.token {
            sheet.line(&format!("{:15}Authorization: Bearer {token}", ""));
        }
        let more = cases.len().saturating_sub(listed);
        if more > 0 {
            let more = counted(more as u64, "more case");
            let name = first.task.words.name;
            sheet.line(&format!("{:15}and {more}: {lab} grade --task {name}", ""));
        }
    }
    sheet.gap();
    if let Some(first) = cases.first() {
        let url = first.url.split('?').next().unwrap_or_default();
        sheet.line("Start a case again:");
        sheet.line(&format!("  curl -X POST {url}/again"));
    }
    sheet.into_text()
}

/// Renders the result of a task: one line if it is done except for `known` failures, the
/// task if its goal could not be judged, the reason if a rule could not be judged, and
/// otherwise what to do next.
#[must_use]
pub fn task(
    words: &TaskWords,
    grade: &TaskGrade,
    task_number: TaskNumber,
    known: &KnownFailures,
    options: &Options,
) -> String {
    let mut sheet = Sheet::new(options);
    let number = format!("{}/{}", task_number.number, task_number.of);
    let number = format!("{number:<6}");
    headline(&mut sheet, grade, &number, "build it next", known);
    if grade.goal.verdict != GoalVerdict::Reached {
        sheet.beside(INDENT, words.text);
        sheet.beside(INDENT, &format!("Expected last line: {}", words.goal));
    }
    if grade.goal.verdict == GoalVerdict::Skipped {
        let mut cases = grade.cases.iter();
        if let Some(process) = cases.find_map(|case| case.process.as_ref()) {
            stderr(&mut sheet, process);
        }
    }
    remark(&mut sheet, grade);
    other_method(&mut sheet, grade);
    if grade.result(known).is_done() {
        remarks_on_rules(&mut sheet, grade);
        return sheet.into_text();
    }
    let rules: Vec<_> = grade.broken_but_for(known).collect();
    let shown = to_show(grade, &rules);
    let names: Vec<_> = shown.iter().map(|(_, case)| case.name).collect();
    let others = failed(grade).map(|(_, case)| case.name);
    let others: BTreeSet<_> = others.filter(|name| !names.contains(name)).collect();
    for (number, case) in &shown {
        show_case(&mut sheet, grade, known, *number, case);
        if has_failed(grade, case) {
            ended(&mut sheet, case, Some(words));
        }
    }
    legend(&mut sheet, INDENT, shown.iter().map(|(_, case)| *case));
    for rule in rules {
        broken(&mut sheet, rule);
    }
    if !others.is_empty() {
        let others: Vec<_> = others.into_iter().collect();
        sheet.beside(INDENT, &format!("Failed as well: {}.", others.join("; ")));
    }
    remarks_on_rules(&mut sheet, grade);
    let (lab, name) = (options.lab, words.name);
    sheet.line(&format!("{INDENT}Hint: {lab} grade --hint {name}"));
    let scenario = words.scenario;
    sheet.line(&format!("{INDENT}See it done: {lab} scenario {scenario}"));
    sheet.into_text()
}

/// Says that every task is done, and what could not be judged.
#[must_use]
pub fn done(card: &Card, options: &Options) -> String {
    let lab = options.lab;
    let mut sheet = Sheet::new(options);
    let verdicts = card.rules_once(&KnownFailures::default());
    let with = |verdict| {
        let rules = verdicts.iter();
        rules.filter(move |(_, found)| **found == verdict)
    };
    let rules = counted(with(Verdict::Kept).count() as u64, "rule");
    let done = match card.tasks.len() {
        1 => "The task is done".to_owned(),
        tasks => format!("All {tasks} tasks are done"),
    };
    sheet.beside("", &format!("{done}, and {rules} kept."));
    let not = [Verdict::Skipped, Verdict::NotExercised, Verdict::CannotTell];
    let not = not.into_iter().flat_map(with);
    let ids: Vec<_> = not.map(|(id, _)| *id).collect();
    if !ids.is_empty() {
        sheet.beside("", &format!("Not judged: {}.", ids.join(", ")));
    }
    if let Some(under_load) = &card.policy_under_load {
        sheet.gap();
        policy_under_load(&mut sheet, under_load);
        sheet.gap();
    }
    sheet.line(&format!("The whole card: {lab} grade --all -- COMMAND"));
    sheet.line(&format!(
        "A correct client, to compare with: {lab} grade --solution python"
    ));
    sheet.into_text()
}

/// Renders a card: a line for each task and each of its rules, the requests and the results
/// of cases that missed their goal or broke a rule, and a count.
#[must_use]
pub fn card(card: &Card, known: &KnownFailures, options: &Options) -> String {
    let mut sheet = Sheet::new(options);
    let mut shown = Vec::new();
    for grade in &card.tasks {
        headline(&mut sheet, grade, "", "", known);
        remark(&mut sheet, grade);
        other_method(&mut sheet, grade);
        let broken: Vec<_> = grade.broken_but_for(known).collect();
        for (number, case) in to_show(grade, &broken) {
            shown.push(case);
            show_case(&mut sheet, grade, known, number, case);
            if has_failed(grade, case) {
                ended(&mut sheet, case, None);
            }
        }
        let has_requests = grade.requests() > 0;
        for rule in grade.rules.iter().filter(|_| has_requests) {
            let verdict = rule.judgement.verdict;
            let is_known = known.cover(Some(grade.task), rule.id);
            let mark = sheet.mark(is_good(verdict, is_known), Style::new().dimmed());
            let words = in_words(verdict, is_known);
            let (id, level) = (rule.id, rule.level);
            sheet.line(&format!("{INDENT}{mark} {id:<24} {words:<13} {level}"));
            let found = rule.judgement.found.as_deref().unwrap_or_default();
            if !found.is_empty() {
                sheet.beside(&format!("{INDENT}  "), found);
            }
        }
    }
    sheet.gap();
    legend(&mut sheet, "", shown);
    explain(&mut sheet, card);
    sheet.beside("", &count(card, known));
    if let Some(under_load) = &card.policy_under_load {
        sheet.gap();
        policy_under_load(&mut sheet, under_load);
    }
    sheet.into_text()
}

/// What many clients with the policy of a card do to a service.
fn policy_under_load(sheet: &mut Sheet<'_>, under_load: &PolicyUnderLoad) {
    sheet.title(policy_under_load::TITLE);
    sheet.beside("", &under_load.sentences().join(" "));
    let Some(storm) = &under_load.storm else {
        return;
    };
    sheet.beside("", policy_under_load::NOT_SEEN);
    let lab = sheet.options.lab;
    sheet.command("See it:", &format!("{lab} {}", storm.command));
    sheet.beside("", policy_under_load::WITH_BUDGET);
}

/// The meaning of each verdict of a card that is neither good nor bad.
fn explain(sheet: &mut Sheet<'_>, card: &Card) {
    let called = card.tasks.iter().filter(|grade| grade.requests() > 0);
    let rules = called.flat_map(|grade| &grade.rules);
    let verdicts: BTreeSet<_> = rules.map(|rule| rule.judgement.verdict).collect();
    for verdict in verdicts {
        let meaning = match verdict {
            Verdict::Kept | Verdict::Broken => continue,
            Verdict::NotExercised => "no request called for the rule",
            Verdict::Skipped => "your client did something else that is allowed",
            Verdict::CannotTell => "the requests do not show whether your client keeps the rule",
        };
        sheet.beside("", &format!("{verdict}: {meaning}"));
    }
}

/// Renders a hint.
#[must_use]
pub fn hint(words: &TaskWords, options: &Options) -> String {
    let lab = options.lab;
    let mut sheet = Sheet::new(options);
    sheet.beside("", words.hint);
    sheet.command(
        "See it done:",
        &format!("{lab} scenario {}", words.scenario),
    );
    sheet.into_text()
}

/// Renders a list of tasks, each with the ids of its rules.
#[must_use]
pub fn tasks(tasks: &[&Task], options: &Options) -> String {
    let mut sheet = Sheet::new(options);
    for task in tasks {
        let words = &task.words;
        let rules: Vec<_> = task.rules().map(|rule| rule.id).collect();
        let seconds = words.time.as_secs();
        let heading = format!("{:<14} {} …{}", words.name, words.request, words.path);
        let heading = sheet.styled(Style::new().bold(), &heading);
        sheet.line(&format!("{heading}  at most {seconds} s"));
        sheet.beside(INDENT, words.text);
        sheet.beside(INDENT, &format!("Expected last line: {}", words.goal));
        sheet.beside(INDENT, &format!("Rules: {}", rules.join(", ")));
    }
    sheet.into_text()
}

/// The remark on a goal that was reached.
fn remark(sheet: &mut Sheet<'_>, grade: &TaskGrade) {
    if let (GoalVerdict::Reached, Some(found)) = (grade.goal.verdict, &grade.goal.found) {
        sheet.beside(INDENT, found);
    }
}

/// The requests that arrived although the task asks for others.
fn other_method(sheet: &mut Sheet<'_>, grade: &TaskGrade) {
    if let Some(arrived) = grade.other_method() {
        sheet.beside(INDENT, &arrived);
    }
}

/// Under which condition a rule was kept, why others could not be judged, and which the client
/// left out.
fn remarks_on_rules(sheet: &mut Sheet<'_>, grade: &TaskGrade) {
    for rule in grade.with_verdict(Verdict::Kept) {
        if let Some(found) = &rule.judgement.found {
            sheet.beside(INDENT, &format!("{}: kept, but {found}", rule.id));
        }
    }
    let lab = sheet.options.lab;
    for rule in grade.with_verdict(Verdict::CannotTell) {
        let found = rule.judgement.found.as_deref().unwrap_or_default();
        sheet.beside(INDENT, &format!("{}: cannot tell: {found}", rule.id));
        sheet.line(&format!("{INDENT}  why and how: {lab} rule {}", rule.id));
    }
    let not_exercised = grade.with_verdict(Verdict::NotExercised);
    let not_exercised: Vec<_> = not_exercised.map(|rule| rule.id).collect();
    if !not_exercised.is_empty() && grade.requests() > 0 {
        let ids = not_exercised.join(", ");
        sheet.beside(INDENT, &format!("No request called for these rules: {ids}"));
    }
    for rule in grade.with_verdict(Verdict::Skipped) {
        let found = rule.judgement.found.as_deref();
        let found = found.unwrap_or("your client did not do what the rule is about");
        let id = rule.id;
        sheet.beside(INDENT, &format!("{id}: skipped, which is allowed: {found}"));
    }
}

/// One line about a task; `advice` is shown for a skipped task.
fn headline(
    sheet: &mut Sheet<'_>,
    grade: &TaskGrade,
    number: &str,
    advice: &str,
    known: &KnownFailures,
) {
    let is_good = grade.result(known).is_good();
    let mark = sheet.mark(is_good, AnsiColor::Yellow.on_default());
    let dot = sheet.options.or_ascii(" · ", " - ");
    let label = format!("{number}{:<14} {mark} ", grade.task);
    let mut summary = grade.summary(known).join(dot);
    if grade.goal.verdict == GoalVerdict::Skipped && !advice.is_empty() {
        summary += &format!(": {advice}");
    }
    sheet.beside(&label, &summary);
}

/// Whether a case is a reason why the goal of its task was missed: it missed the goal
/// itself; or none did, and it was skipped and another was not.
pub(super) fn has_failed(grade: &TaskGrade, case: &CaseGrade) -> bool {
    match case.goal.verdict {
        GoalVerdict::Missed | GoalVerdict::Crashed => true,
        GoalVerdict::Skipped => {
            let mut cases = grade.cases.iter();
            grade.goal.verdict == GoalVerdict::Missed
                && !cases.any(|case| case.goal.verdict == GoalVerdict::Missed)
        }
        GoalVerdict::Reached | GoalVerdict::NotJudged => false,
    }
}

/// The cases that are reasons why the goal of a task was missed, with their numbers.
pub(super) fn failed(grade: &TaskGrade) -> impl Iterator<Item = (usize, &CaseGrade)> {
    let cases = grade.cases.iter().enumerate();
    cases.filter(|(_, case)| has_failed(grade, case))
}

/// The cases that show the failures, with their numbers: those that missed the goal, and
/// the first that broke each of these rules.
fn to_show<'a>(grade: &'a TaskGrade, rules: &[&RuleGrade]) -> Vec<(usize, &'a CaseGrade)> {
    let broken = rules
        .iter()
        .filter_map(|rule| rule.judgement.requests.first());
    let broken: Vec<_> = broken.map(|request| request.case).collect();
    let missed = failed(grade).take(MISSED);
    let missed: Vec<_> = missed.map(|(number, _)| number).collect();
    let cases = grade.cases.iter().enumerate();
    cases
        .filter(|(number, _)| broken.contains(number) || missed.contains(number))
        .collect()
}

/// A case: what the service does in it, and its requests; those that broke a rule are red.
fn show_case(
    sheet: &mut Sheet<'_>,
    grade: &TaskGrade,
    known: &KnownFailures,
    number: usize,
    case: &CaseGrade,
) {
    sheet.beside(INDENT, &format!("{}:", case.name));
    brief(sheet, 0, &grade.timeline(number, known, LINES));
    if let Some(in_flight) = in_flight(&case.wire) {
        sheet.beside(INDENT, &in_flight);
    }
}

/// The last lines that a process wrote to stderr.
fn stderr(sheet: &mut Sheet<'_>, process: &ProcessRecord) {
    for line in &process.stderr {
        let line = fit(line, STDERR, sheet.options.ascii);
        sheet.beside_foreign(&format!("{INDENT}| "), &line);
    }
}

/// The result of a process that missed the goal, and the expected result.
fn ended(sheet: &mut Sheet<'_>, case: &CaseGrade, words: Option<&TaskWords>) {
    if let Some(process) = &case.process {
        stderr(sheet, process);
    }
    let found = case.goal.found.as_deref().unwrap_or_default();
    sheet.beside_foreign(INDENT, &fit(found, 200, sheet.options.ascii));
    // If a result depends on earlier requests, only the task can describe it.
    let drawn = Some(&*case.expected).filter(|expected| !expected.is_empty());
    if let Some(expected) = drawn.or(words.map(|words| words.goal)) {
        sheet.beside(INDENT, &format!("expected  {expected}"));
    }
}

/// A broken rule: the finding, the source, and where to read more.
fn broken(sheet: &mut Sheet<'_>, rule: &RuleGrade) {
    let lab = sheet.options.lab;
    let found = rule.judgement.found.as_deref().unwrap_or("broken");
    let found = format!("{}: {found}", rule.id);
    sheet.beside(INDENT, &sheet.styled(AnsiColor::Red.on_default(), &found));
    sheet.beside(&format!("{INDENT}  source: "), rule.source);
    sheet.line(&format!("{INDENT}  why and how: {lab} rule {}", rule.id));
}

/// The meaning of the signs and words in the charts of these cases.
fn legend<'a>(sheet: &mut Sheet<'_>, indent: &str, cases: impl IntoIterator<Item = &'a CaseGrade>) {
    let cases = cases.into_iter().map(|case| &case.wire.entries);
    let with_pauses: Vec<_> = cases.filter(|requests| requests.len() > 1).collect();
    if with_pauses.is_empty() {
        return;
    }
    let request = sheet.options.or_ascii('█', '#');
    let pause = sheet.options.or_ascii('─', '-');
    let text = format!("{request} a request and its response   {pause} the pause before it");
    sheet.line(&format!("{indent}{text}"));
    let mut requests = with_pauses.into_iter().flatten();
    if requests.any(|request| request.cursor.is_some()) {
        let text = "cursor A: the request asks for that page   next A: a page that leads there";
        sheet.line(&format!("{indent}{text}"));
    }
}

/// The result of a card, in one line.
pub(super) fn count(card: &Card, known: &KnownFailures) -> String {
    let goals = |verdict| {
        let tasks = card.tasks.iter();
        tasks.filter(|task| task.goal.verdict == verdict).count()
    };
    let rules = card.rules_once(known);
    let of = |verdict| {
        let rules = rules.values();
        rules.filter(|found| **found == verdict).count()
    };
    let [kept, broken] = [Verdict::Kept, Verdict::Broken].map(of);
    let with_known = card.rules_once(&KnownFailures::default());
    let all_broken = with_known.values();
    let all_broken = all_broken.filter(|found| **found == Verdict::Broken);
    let known_to_fail = all_broken.count() - broken;
    let not_run = TASKS.len() - card.tasks.len();
    let tasks_not_run = if not_run == 1 {
        "task not run"
    } else {
        "tasks not run"
    };
    let unless_none = |count: usize, words: &str| match count {
        0 => String::new(),
        count => format!(", {count} {words}"),
    };
    format!(
        "{} of {} reached, {} skipped{}; {} kept, {broken} broken{}{}{} \
         (seed {}, waits may be {} short)",
        goals(GoalVerdict::Reached),
        counted(card.tasks.len() as u64, "goal"),
        goals(GoalVerdict::Skipped),
        unless_none(goals(GoalVerdict::NotJudged), "not judged"),
        counted(kept as u64, "rule"),
        unless_none(known_to_fail, "known to fail"),
        unless_none(of(Verdict::CannotTell), "cannot be told"),
        unless_none(not_run, tasks_not_run),
        card.seed,
        wire::duration(card.tolerance),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use testkit::script::{Script, exits};
    use wire::WireRecord;

    use super::*;
    use crate::{Goal, TASKS, find, html_card};

    #[test]
    fn a_task_that_gets_requests_of_another_method_says_which_one_it_asks_for() {
        let known = KnownFailures::default();
        let number = TaskNumber { number: 1, of: 1 };
        for task in TASKS {
            for method in ["GET", "POST", "HEAD"] {
                let script = Script::new().respond(0, 405).respond(1, 405);
                let mut wire = script.record();
                wire.entries
                    .iter_mut()
                    .for_each(|entry| entry.method = method);
                let goal = Goal::result(json!({"value": 1}));
                let case = CaseGrade::new("a case", &goal, Some(exits(1, "")), wire);
                let grade = TaskGrade::new(task.words.name, task.kind, task.rules(), vec![case]);

                let text = super::task(&task.words, &grade, number, &known, &Options::default());
                let page = html_card(&card_of(&grade), &[], &known);

                let arrived = format!("2 requests arrived, and none is a {}.", task.method);
                let is_other = method != task.method.as_str();
                assert_eq!(text.contains(&arrived), is_other, "{text}");
                assert_eq!(page.contains(&arrived), is_other, "{method}");
            }
        }
    }

    fn card_of(grade: &TaskGrade) -> Card {
        let mut card = Card::new(Vec::new(), 1, "");
        card.tasks = vec![grade.clone()];
        card
    }

    /// The text of a task, and that of a card with it alone.
    fn texts(grade: &TaskGrade) -> [String; 2] {
        let words = &find(grade.task).expect("a task").words;
        let (known, options) = (KnownFailures::default(), Options::default());
        let number = TaskNumber { number: 1, of: 1 };
        [
            task(words, grade, number, &known, &options),
            card(&card_of(grade), &known, &options),
        ]
    }

    /// The grade of the task `flaky` with these cases, each of one request.
    fn flaky(cases: impl IntoIterator<Item = (Goal, ProcessRecord)>) -> TaskGrade {
        let task = find("flaky").expect("a task");
        let cases = cases.into_iter().map(|(goal, process)| {
            let wire = Script::new().respond(0, 200).record();
            CaseGrade::new("a case", &goal, Some(process), wire)
        });
        TaskGrade::new("flaky", task.kind, task.rules(), cases.collect())
    }

    #[test]
    fn a_missed_goal_shows_the_printed_and_the_expected_result() {
        let line = "x".repeat(300);
        let prints = ProcessRecord {
            stderr: vec![line.clone()],
            ..exits(0, &line)
        };
        let goal = Goal::result(json!({"value": 1}));

        for text in texts(&flaky([(goal, prints.clone())])) {
            let found = [
                "a case:",
                "| xxx",
                "the last line is not a JSON object:",
                r#"expected  {"value":1}"#,
            ];
            for part in found {
                assert!(text.contains(part), "{part:?} is missing in\n{text}");
            }
            let longest = text.lines().map(|line| line.chars().count()).max();
            assert!(longest <= Some(Options::WIDTH), "{text}");
        }
        // No request of the case has led to a result.
        let [text, _] = texts(&flaky([(Goal::result_of([]), prints)]));
        assert!(
            text.contains("expected  the unchanged body of the 200"),
            "{text}"
        );
    }

    #[test]
    fn a_failed_case_is_either_shown_or_named() {
        let goal = || Goal::result(json!({"value": 1}));
        let missed = (0..4).map(|_| (goal(), exits(0, "{}")));
        let names = ["first", "first", "third", "fourth"];
        let mut grade = flaky(missed);
        for (case, name) in grade.cases.iter_mut().zip(names) {
            case.name = name;
        }

        let [text, _] = texts(&grade);

        assert_eq!(text.matches("     first:").count(), 2, "{text}");
        assert!(text.contains("Failed as well: fourth; third."), "{text}");
    }

    #[test]
    fn a_case_that_was_skipped_where_others_were_not_is_shown() {
        let goal = || Goal::result(json!({"value": 1}));
        let reached = (goal(), exits(0, r#"{"value": 1}"#));
        let skipped = (goal(), exits(0, r#"{"skip": true}"#));

        for text in texts(&flaky([reached, skipped])) {
            assert!(text.contains("goal missed"), "{text}");
            assert!(
                text.contains("the client says that it does not do this"),
                "{text}"
            );
        }
    }

    #[test]
    fn a_chart_has_a_legend_of_its_signs_and_of_the_cursors_in_it() {
        let task = find("flaky").expect("a task");
        let graded = |requests: u64, has_cursors: bool| {
            let script = (0..requests).fold(Script::new(), |script, at| {
                let script = script.respond(at, 503);
                if has_cursors {
                    script.cursor(9)
                } else {
                    script
                }
            });
            let goal = Goal::result(json!({"value": 1}));
            let case = CaseGrade::new("a case", &goal, Some(exits(1, "")), script.record());
            TaskGrade::new("flaky", task.kind, task.rules(), vec![case])
        };

        for (requests, has_cursors) in [(0, false), (1, true), (2, false), (3, true)] {
            for text in texts(&graded(requests, has_cursors)) {
                let legends = text.matches("─ the pause before it").count();
                assert_eq!(legends, usize::from(requests > 1), "{text}");
                let cursors = text.matches("cursor A: the request").count();
                assert_eq!(cursors, usize::from(requests > 1 && has_cursors), "{text}");
            }
        }
    }

    #[test]
    fn a_skipped_task_shows_the_reason_that_the_client_gives() {
        let task = find("flaky").expect("a task");
        let process = ProcessRecord {
            stderr: vec!["TASKS has no flaky; it has: read-all, flakey".to_owned()],
            ..exits(0, r#"{"skip": true}"#)
        };
        let goal = Goal::result(json!({"value": 1}));
        let case = CaseGrade::new("a case", &goal, Some(process), WireRecord::default());
        let grade = TaskGrade::new("flaky", task.kind, task.rules(), vec![case]);
        let number = TaskNumber { number: 2, of: 19 };

        let known = KnownFailures::default();
        let text = super::task(&task.words, &grade, number, &known, &Options::default());

        assert!(
            text.contains("skipped by your client: build it next"),
            "{text}"
        );
        assert!(
            text.contains("| TASKS has no flaky; it has: read-all, flakey"),
            "{text}"
        );
    }

    #[test]
    fn no_line_at_the_end_of_the_course_is_too_wide() {
        let card = Card::new(Vec::new(), 1, "");

        let text = done(&card, &Options::default());

        let longest = text.lines().map(|line| line.chars().count()).max();
        assert!(longest <= Some(Options::WIDTH), "{text}");
    }
}
