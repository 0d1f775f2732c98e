//! Every document is checked: its commands run, its output is the output, its tables
//! agree with the code, and its links lead somewhere.

mod commands;
mod compose;
mod curl;
mod instructors;
mod links;
mod readme;
mod runbooks;
mod tables;
mod telemetry;

use std::{
    env, fs,
    path::{Path, PathBuf},
};

pub(crate) use testkit::files::{root, text as document};

/// Checks that a document has the content that the code gives it, or writes that content
/// if `UPDATE_DOCUMENTS` is set.
fn assert_current(path: &Path, current: &str) {
    if env::var_os("UPDATE_DOCUMENTS").is_some() {
        fs::write(path, current).expect("a document");
    }
    let text = fs::read_to_string(path).expect("a document");
    let first_difference = text
        .lines()
        .zip(current.lines())
        .find(|(old, new)| old != new);
    assert!(
        text == current,
        "{}: {first_difference:#?}; UPDATE_DOCUMENTS=1 writes the second",
        path.display()
    );
}

/// A document with this second cell in the row that begins with a name and has so many
/// cells.
fn with_second_cell(text: &str, cells: usize, name: &str, second: &str) -> String {
    let start = format!("| `{name}` | ");
    let lines = text.lines().map(|line| {
        let row: Vec<_> = line.split(" | ").collect();
        if row.len() != cells || !line.starts_with(&start) {
            return format!("{line}\n");
        }
        format!("{start}{second} | {}\n", row[2..].join(" | "))
    });
    lines.collect()
}

/// The path of every document.
fn documents() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().and_then(|name| name.to_str());
            let is_ours = name.is_some_and(|name| {
                (name == ".github" || !name.starts_with('.'))
                    && !["target", "vendor", "node_modules"].contains(&name)
            });
            if path.is_dir() && is_ours {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// A document in parts, each with whether it is a fenced block. A block begins with the
/// word after its fence.
fn parts(text: &str) -> impl Iterator<Item = (bool, &str)> {
    let parts = text.split("\n```").enumerate();
    parts.map(|(number, part)| (number % 2 == 1, part))
}

/// The lines of the blocks in one of these languages.
fn lines<'a>(text: &'a str, languages: &[&str]) -> impl Iterator<Item = &'a str> {
    let blocks = parts(text).filter_map(|(is_block, part)| {
        let (language, block) = part.split_once('\n')?;
        (is_block && languages.contains(&language)).then_some(block)
    });
    blocks.flat_map(str::lines)
}

/// The rows of the tables, as cells without the blanks around them.
fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines()
        .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"))
        .map(|row| row.split(" |").map(str::trim).collect())
}

/// The content of a cell that is code.
fn code(cell: &str) -> Option<&str> {
    cell.strip_prefix('`')?.strip_suffix('`')
}
