//! The plan of a class, and its answers.

use scenario::{
    Reliable, Settings,
    catalogue::{self, CATALOGUE},
};

use super::{assert_current, code, document, lines, root, rows, with_second_cell};

const INSTRUCTORS: &str = "lab/docs/instructors.md";

/// The part of the document from one heading to another.
fn part<'a>(document: &'a str, from: &str, to: &str) -> &'a str {
    let (_, part) = document.split_once(from).expect("a heading");
    part.split_once(to).expect("the next heading").0
}

/// The plan of ninety minutes and the answers.
fn plan(document: &str) -> &str {
    part(document, "## The plan", "## In 45 minutes")
}

/// The arguments of a command in the blocks of a plan, up to the first option.
fn named<'a>(plan: &'a str, command: &str) -> Vec<&'a str> {
    let lines = lines(plan, &["sh"]).filter_map(|line| line.strip_prefix(command));
    lines.filter_map(|line| line.split(' ').next()).collect()
}

/// Checks that the blocks of a plan follow one another up to its end, and that their commands
/// are in their order and that of the course.
fn assert_in_order(plan: &str, minutes: u32) {
    let blocks: Vec<_> = rows(plan)
        .filter_map(|row| {
            let (from, to) = row[0].split_once('–')?;
            Some((from.parse::<u32>().ok()?, to.parse().ok()?, row[1], row[2]))
        })
        .collect();

    let scenarios = named(plan, "lab scenario ");
    let course = CATALOGUE.iter().map(|scenario| scenario.words.name);
    let course = course.filter(|name| scenarios.contains(name));
    assert_eq!(scenarios, course.collect::<Vec<_>>());

    let built = blocks.iter().flat_map(|block| block.3.split(", "));
    let tasks = named(plan, "lab grade --task ");
    assert_eq!(tasks, built.filter_map(code).collect::<Vec<_>>());

    let end = blocks.iter().fold(0, |start, &(from, to, block, _)| {
        assert_eq!(from, start, "{block}");
        let heading = format!("# {from}–{to} {block}");
        assert!(
            lines(plan, &["sh"]).any(|line| line == heading),
            "{heading}"
        );
        to
    });
    assert_eq!(end, minutes);
}

#[test]
fn the_plans_have_scenarios_and_tasks_in_their_order() {
    let document = document(INSTRUCTORS);
    let (long, short) = (
        plan(&document),
        part(&document, "## In 45 minutes", "## Handouts"),
    );

    assert_in_order(long, 90);
    assert_in_order(short, 45);

    let scenarios = named(long, "lab scenario ");
    assert_eq!(scenarios.len(), 15);
    let has_an_answer = |name| scenarios.contains(name);
    assert!(named(short, "lab scenario ").iter().all(has_an_answer));
}

#[tokio::test]
async fn the_answers_are_those_of_the_runs() {
    let document = document(INSTRUCTORS);
    let plan = plan(&document);

    let answers: Vec<_> = rows(plan)
        .filter(|row| row.len() == 3)
        .filter_map(|row| code(row[0]))
        .collect();
    let mut current = document.clone();
    for name in &answers {
        let scenario = catalogue::find(name).expect("a scenario of the course");
        let settings = Settings::in_virtual_time(&Reliable, 1);
        let run = scenario::run(scenario, &settings).await.expect("a run");
        let answer = run.answer.expect("an answer").text;
        current = with_second_cell(&current, 3, name, &answer);
    }

    let scenarios = lines(plan, &["sh"]).filter_map(|line| line.strip_prefix("lab scenario "));
    let scenarios = scenarios.filter_map(|line| line.split(' ').next());
    assert!(scenarios.eq(answers.iter().copied()));
    assert_current(&root().join(INSTRUCTORS), &current);
}
