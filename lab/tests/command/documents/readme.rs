//! The README is short enough to be read, and its findings stand in the document on graded
//! clients, which names only tasks and rules that exist.

use judge::rules;

use super::{document, rows};
/// The most lines of the README.
const MOST: usize = 150;

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
fn the_readme_is_short() {
    let lines = document("README.md").lines().count();

    assert!(lines <= MOST, "{lines} lines");
}

#[test]
fn the_readme_tells_findings_that_the_table_of_graded_clients_has() {
    let (readme, clients) = (document("README.md"), document("lab/docs/clients.md"));
    let clients = graded(&clients);

    let findings = rows(&readme).filter_map(|row| {
        let [client, _, id] = row.try_into().ok()?;
        let mut rows = clients.iter();
        let known = rows.find(|row| row[0].split("; ").any(|name| name == client));
        let [_, _, _, missed, broken] = known?;
        Some((client, id, [missed, broken]))
    });
    let mut found = 0;
    for (client, id, known) in findings {
        found += 1;
        assert!(known.iter().any(|cell| cell.contains(id)), "{client}: {id}");
    }

    assert_eq!(found, 3);
    // English has a word for the number. A row may have several clients.
    let number = clients.iter().flat_map(|row| row[1].split("; ")).count();
    assert!(readme.contains("the twenty-nine clients") && number == 29);
}

#[test]
fn graded_clients_miss_tasks_and_break_rules_that_exist() {
    let clients = document("lab/docs/clients.md");
    let clients = graded(&clients);

    assert!(clients.len() >= 15, "{} rows", clients.len());
    for [client, _, reached, missed, broken] in clients {
        let (reached, tasks) = reached.split_once(" of ").expect("two numbers");
        let [reached, tasks] =
            [reached, tasks].map(|number| number.parse::<usize>().expect("a number"));
        assert_eq!(reached + named(missed).count(), tasks, "{client}");
        assert!(named(missed).all(|id| grade::find(id).is_ok()), "{missed}");
        assert!(
            named(broken).all(|id| rules::find(id).is_some()),
            "{broken}"
        );
    }
}
