//! The tables that list what the code has.

use std::fs;

use scenario::{WITHOUT, catalogue::CATALOGUE};
use storm::STORIES;

use super::{code, document, documents, rows};

const COURSE: &str = "lab/docs/course.md";

#[test]
fn the_course_lists_every_scenario_in_its_order() {
    let course = document(COURSE);

    let listed: Vec<_> = rows(&course)
        .filter(|row| row.len() == 3 && code(row[1]).is_none() && row[2].contains("](../../"))
        .filter_map(|row| code(row[0]))
        .collect();

    let names = CATALOGUE.iter().map(|scenario| scenario.words.name);
    assert_eq!(listed, names.collect::<Vec<_>>());
}

#[test]
fn every_table_has_a_heading_for_each_column() {
    let cells = |line: &str| line.matches('|').count();
    for path in documents() {
        let text = fs::read_to_string(&path).expect("a document");
        let lines: Vec<_> = text.lines().collect();
        for pair in lines.windows(2).filter(|pair| pair[1].starts_with("|---")) {
            assert_eq!(
                cells(pair[0]),
                cells(pair[1]),
                "{}: {pair:#?}",
                path.display()
            );
        }
    }
}

#[test]
fn grading_lists_every_task() {
    let grading = document("lab/docs/grading.md");

    let listed: Vec<_> = rows(&grading)
        .filter(|row| row.len() == 2)
        .filter_map(|row| code(row[0]))
        .collect();

    let tasks: Vec<_> = grade::TASKS.iter().map(|task| task.words.name).collect();
    assert_eq!(listed, tasks);
}

#[test]
fn the_course_lists_every_defence_that_can_be_removed() {
    let course = document(COURSE);

    let listed: Vec<_> = rows(&course)
        .filter(|row| row.len() == 3)
        .filter_map(|row| Some((code(row[0])?, code(row[1])?, row[2])))
        .collect();

    assert_eq!(listed.len(), WITHOUT.len());
    for ((id, scenario, file), known) in listed.into_iter().zip(WITHOUT) {
        let defence = &known.defence;
        assert_eq!((id, scenario), (defence.id, defence.shows_best_in()));
        let link = format!("](../../{})", defence.file);
        assert!(file.contains(&link), "{file}");
    }
}

#[test]
fn the_document_on_storms_lists_every_story() {
    let storm = document("lab/docs/storm.md");

    let listed: Vec<_> = rows(&storm).filter_map(|row| code(row[0])).collect();

    let stories: Vec<_> = STORIES.iter().map(|story| story.name).collect();
    assert_eq!(listed, stories);
}
