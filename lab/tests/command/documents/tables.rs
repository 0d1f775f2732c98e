//! The tables that list what the code has.

use std::{collections::BTreeSet, fs, iter::once};

use scenario::{
    WITHOUT,
    catalogue::{Chapter, Scenario},
};
use storm::STORIES;

use super::{code, document, documents, rows};
use crate::command::printed;

const COURSE: &str = "lab/docs/course.md";

/// The titles of the chapters, each before the names of its scenarios.
fn chapters() -> Vec<&'static str> {
    let chapters = Chapter::ALL.into_iter();
    let chapters = chapters.flat_map(|chapter| {
        let names = chapter.scenarios().map(Scenario::name);
        once(chapter.title()).chain(names)
    });
    chapters.collect()
}

#[test]
fn the_document_of_the_course_has_its_chapters() {
    let course = document(COURSE);
    let (_, table) = course
        .split_once("| scenario | lesson | code |\n")
        .expect("the table");
    let (table, _) = table.split_once("\n\n").expect("its end");

    let firsts = table
        .lines()
        .skip(1)
        .filter_map(|row| row.split(" | ").next());
    let listed = firsts.map(|first| first.trim_matches(['|', ' ', '`', '*']));

    assert_eq!(listed.collect::<Vec<_>>(), chapters());
}

#[test]
fn the_list_of_scenarios_has_the_chapters_of_the_course() {
    let list = printed("list");

    let listed = list
        .lines()
        .filter_map(|line| line.split_whitespace().next());

    assert_eq!(listed.collect::<Vec<_>>(), chapters());
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

/// The verdicts that the words of a cell in the table of SDKs stand for.
const VERDICTS: [(&str, &str); 8] = [
    ("reads", "kept"),
    ("caps", "broken"),
    ("ignores", "broken"),
    ("no retry", "skipped"),
    ("POST, no key", "cannot_tell"),
    ("POST, same key", "kept"),
    ("PUT, no key", "not_exercised"),
    ("no", "skipped"),
];

#[test]
fn the_table_of_sdks_says_what_was_found() {
    let expected = document("lab/clients/sdks/expected.txt");
    let found = |sdk: &str, event: &str, rule: &str| {
        let lines = expected.lines().map(|line| line.split(", "));
        let lines = lines.filter_map(|cells| <[&str; 5]>::try_from(cells.collect::<Vec<_>>()).ok());
        let verdicts = lines.filter_map(|[of_sdk, _, of_event, of_rule, verdict]| {
            ([of_sdk, of_event, of_rule] == [sdk, event, rule]).then_some(verdict)
        });
        verdicts.map(str::to_owned).collect::<BTreeSet<_>>()
    };
    let meant = |cell: &str| {
        let parts = cell.split("; ").map(|part| {
            let mut words = VERDICTS.iter();
            let of_part = words.find(|(words, _)| part.contains(words));
            of_part.map(|(_, verdict)| (*verdict).to_owned())
        });
        // Nothing was found where nothing was tested.
        let parts = parts.filter(|_| cell != "not tested");
        parts
            .collect::<Option<BTreeSet<_>>>()
            .expect("words of the table")
    };
    let document = document("lab/docs/clients.md");
    let table = rows(&document).filter(|row| row.len() == 6 && row[0] != "SDK");

    let mut sdks = BTreeSet::new();
    for row in table {
        let sdk = code(row[5]).expect("a name");
        for (cell, event, rule) in [
            (row[2], "retry-after", "retry-after-seconds"),
            (row[3], "429 with Retry-After", "retry-after-seconds"),
            (row[4], "lost-response", "once"),
        ] {
            assert_eq!(meant(cell), found(sdk, event, rule), "{sdk} {event}");
        }
        sdks.insert(sdk);
    }

    let all = expected.lines().filter_map(|line| line.split(", ").next());
    assert_eq!(sdks, all.collect());
}
