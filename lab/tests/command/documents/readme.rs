//! The README is short enough to be read, and its table of clients is part of the
//! document behind it, which names only tasks and rules that exist.

use judge::rules;

use super::{assert_current, document, root, rows};
/// The most lines of the README.
const MOST: usize = 180;

/// The rows of the document on graded clients: the client, its adapter, the goals that it
/// reached, those that it missed, and the rules that it broke.
fn graded(document: &str) -> Vec<[&str; 5]> {
    let rows = rows(document).filter(|row| row[0] != "client");
    rows.filter_map(|row| row.try_into().ok()).collect()
}

/// The code of a cell.
fn named(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

#[test]
fn the_readme_has_at_most_180_lines() {
    let lines = document("README.md").lines().count();

    assert!(lines <= MOST, "{lines} lines");
}

#[test]
fn the_readme_counts_the_broken_rules_of_graded_clients() {
    let (readme, clients) = (document("README.md"), document("lab/docs/clients.md"));
    let clients = graded(&clients);

    let mut rows = 0;
    let current = readme.lines().map(|line| {
        let is_of = |row: &&[&str; 5]| line.starts_with(&format!("| {} | ", row[0]));
        let Some([client, _, reached, _, broken]) = clients.iter().find(is_of) else {
            return format!("{line}\n");
        };
        rows += 1;
        format!("| {client} | {reached} | {} |\n", named(broken).count())
    });
    assert_current(&root().join("README.md"), &current.collect::<String>());

    assert_eq!(rows, 10);
}

#[test]
fn graded_clients_miss_tasks_and_break_rules_that_exist() {
    let clients = document("lab/docs/clients.md");
    let clients = graded(&clients);

    assert!(clients.len() >= 20, "{} clients", clients.len());
    for [client, _, reached, missed, broken] in clients {
        let (reached, tasks) = reached.split_once(" of ").expect("two numbers");
        let [reached, tasks] = [reached, tasks].map(|it| it.parse::<usize>().expect("a number"));
        assert_eq!(reached + named(missed).count(), tasks, "{client}");
        assert!(named(missed).all(|id| grade::find(id).is_ok()), "{missed}");
        assert!(
            named(broken).all(|id| rules::find(id).is_some()),
            "{broken}"
        );
    }
}
