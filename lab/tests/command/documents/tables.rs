//! The tables that list what the code has.

use scenario::{WITHOUT, catalogue::CATALOGUE};
use storm::STORIES;

use super::{assert_current, code, document, root, rows, with_second_cell};

const COURSE: &str = "lab/docs/course.md";

#[test]
fn the_course_lists_every_scenario_with_its_question() {
    let course = document(COURSE);

    let listed: Vec<_> = rows(&course)
        .filter(|row| row.len() == 4)
        .filter_map(|row| code(row[0]))
        .collect();
    let current = CATALOGUE.iter().fold(course.clone(), |course, scenario| {
        let words = &scenario.words;
        with_second_cell(&course, 4, words.name, words.question.text)
    });

    let catalogue: Vec<_> = CATALOGUE
        .iter()
        .map(|scenario| scenario.words.name)
        .collect();
    assert_eq!(listed, catalogue);
    assert_current(&root().join(COURSE), &current);
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
