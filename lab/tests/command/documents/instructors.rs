//! The plan of a class, and its answers.

use scenario::{Reliable, Settings, catalogue};

use super::{assert_current, code, document, root, rows, with_second_cell};

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

/// The scenarios that a plan shows, in its order.
fn shown(plan: &str) -> Vec<&str> {
    let blocks = rows(plan).filter(|row| row.len() == 5);
    let shown = blocks.flat_map(|row| row[2].split(", "));
    let scenarios = shown.filter_map(|shown| shown.strip_prefix('`')?.split('`').next());
    scenarios.collect()
}

#[test]
fn the_shorter_plan_has_answers_too() {
    let document = document(INSTRUCTORS);
    let long = shown(plan(&document));
    let short = shown(part(&document, "## In 45 minutes", "## Handouts"));

    assert_eq!((long.len(), short.len()), (15, 3));
    assert!(short.iter().all(|name| long.contains(name)));
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

    assert_eq!(shown(plan), answers);
    assert_current(&root().join(INSTRUCTORS), &current);
}
