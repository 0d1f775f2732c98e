//! The plan of a class, and its answers.

use scenario::catalogue::CATALOGUE;

use super::{assert_current, code, document, lines, root, rows, with_second_cell};
use crate::printed;

const INSTRUCTORS: &str = "lab/docs/instructors.md";

/// The plan and the answers, without the handouts.
fn plan(document: &str) -> &str {
    let (_, plan) = document.split_once("## The plan").expect("a plan");
    plan.split_once("## Handouts").expect("its end").0
}

#[test]
fn the_plan_has_scenarios_and_tasks_in_their_order() {
    let document = document(INSTRUCTORS);
    let plan = plan(&document);
    let named = |command: &str| -> Vec<_> {
        let lines = lines(plan, &["sh"]).filter_map(|line| line.strip_prefix(command));
        lines.filter_map(|line| line.split(' ').next()).collect()
    };
    let blocks: Vec<_> = rows(plan)
        .filter_map(|row| {
            let (from, to) = row[0].split_once('–')?;
            Some((from.parse::<u32>().ok()?, to.parse().ok()?, row[1], row[2]))
        })
        .collect();

    let scenarios = named("lab scenario ");
    let course: Vec<_> = CATALOGUE.iter().map(|it| it.words.name).collect();
    let course = course.into_iter().filter(|name| scenarios.contains(name));
    assert_eq!(scenarios, course.collect::<Vec<_>>());
    assert_eq!(scenarios.len(), 15);

    let tasks = named("lab grade --task ");
    let built = blocks.iter().flat_map(|block| block.3.split(", "));
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
    assert_eq!(end, 90);
}

#[test]
fn the_answers_are_those_of_the_runs() {
    let document = document(INSTRUCTORS);
    let plan = plan(&document);

    let answers: Vec<_> = rows(plan)
        .filter(|row| row.len() == 3)
        .filter_map(|row| code(row[0]))
        .collect();
    let current = answers.iter().fold(document.clone(), |document, name| {
        let run = printed(&format!("scenario {name} --seed 1 --pace virtual --json"));
        let run: serde_json::Value = serde_json::from_str(&run).expect("a run");
        let answer = run["answer"]["text"].as_str().expect("an answer");
        with_second_cell(&document, 3, name, answer)
    });

    let scenarios = lines(plan, &["sh"]).filter_map(|line| line.strip_prefix("lab scenario "));
    let scenarios = scenarios.filter_map(|line| line.split(' ').next());
    assert!(scenarios.eq(answers.iter().copied()));
    assert_current(&root().join(INSTRUCTORS), &current);
}
