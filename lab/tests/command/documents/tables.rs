//! The tables that list what the code has.

use std::fs;

use scenario::{WITHOUT, catalogue::CATALOGUE};
use storm::STORIES;

use super::{assert_current, code, document, root, rows, with_second_cell};

const ARCHITECTURE: &str = "lab/docs/architecture.md";

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
fn grading_lists_every_task_and_says_which_are_for_practice() {
    let grading = document("lab/docs/grading.md");

    let listed: Vec<_> = rows(&grading)
        .filter(|row| row.len() == 2)
        .filter_map(|row| code(row[0]))
        .collect();

    let tasks: Vec<_> = grade::all().map(|task| task.words.name).collect();
    assert_eq!(listed, tasks);
    let first = grade::PRACTICE.first().expect("a practice task").words.name;
    assert!(grading.contains(&format!("Those from `{first}` on")));
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

    let stories: Vec<_> = STORIES.iter().map(|story| story.words.name).collect();
    assert_eq!(listed, stories);
}

/// The name of a thing and the text of the file that a cell says it is in.
fn thing_in_a_file(cell: &str) -> (&str, String) {
    let link = cell
        .strip_prefix("[`")
        .and_then(|rest| rest.strip_suffix(')'));
    let parts = link.and_then(|link| link.split_once("`]("));
    let (name, path) = parts.unwrap_or_else(|| panic!("{cell} is no link"));
    let path = root().join("lab/docs").join(path);
    let text = fs::read_to_string(&path);
    let text = text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    (name, text)
}

/// Whether a text defines this function, type, constant or public field.
fn defines(text: &str, name: &str) -> bool {
    let starts = ["fn ", "struct ", "enum ", "const "].map(|kind| format!("{kind}{name}"));
    let goes_on = |rest: &str| rest.starts_with(|next: char| next.is_alphanumeric() || next == '_');
    let begins = |start: &String| {
        let after = text.split(start.as_str()).skip(1);
        after.into_iter().any(|rest| !goes_on(rest))
    };
    starts.iter().any(begins) || text.contains(&format!("pub {name}: "))
}

#[test]
fn each_sentence_of_a_card_has_its_definition_and_its_test() {
    let architecture = document(ARCHITECTURE);
    let section = architecture.split("\n## ");
    let section = section.filter_map(|section| section.strip_prefix("The sentences of a card\n"));
    let table = section.collect::<Vec<_>>().concat();

    let mut rows = rows(&table);

    assert_eq!(rows.next(), Some(vec!["sentence", "definition", "test"]));
    let rows: Vec<_> = rows.collect();
    let lines = table.lines().filter(|line| line.starts_with('|'));
    assert_eq!(rows.len() + 2, lines.count(), "every line is a row");
    assert!(rows.len() > 15, "{}", rows.len());
    for row in rows {
        let [_, definition, test] = *row else {
            panic!("{row:?} has not three cells");
        };
        let (definition, file) = thing_in_a_file(definition);
        let (test, tests) = thing_in_a_file(test);
        assert!(defines(&file, definition), "{definition}");
        assert!(tests.contains(&format!("fn {test}(")), "{test}");
    }
}
