//! The README: short enough to be read, and its table of clients is that of the
//! document behind it.

use super::{document, rows};
use crate::real_clients::Published;

/// The most lines of the README.
const MOST: usize = 180;

#[test]
fn the_readme_has_at_most_180_lines() {
    let lines = document("README.md").lines().count();

    assert!(lines <= MOST, "{lines} lines");
}

#[test]
fn the_readme_counts_the_broken_rules_of_the_graded_clients() {
    let (readme, clients) = (document("README.md"), document("lab/docs/clients.md"));
    let table = |text: &str| -> Vec<_> {
        let lines = text
            .lines()
            .skip_while(|line| !line.starts_with("| client |"));
        let lines = lines.take_while(|line| line.starts_with('|')).skip(2);
        lines.map(str::to_owned).collect()
    };

    let short: Vec<_> = table(&readme);
    let long: Vec<_> = table(&clients);

    assert_eq!(short.len(), 10);
    assert_eq!(short.len(), long.len());
    for (short, long) in short.iter().zip(&long) {
        let broken = Published::of(long).rules_broken().to_string();
        let (short, long) = (rows(short).next(), rows(long).next());
        let (short, long) = (short.expect("a row"), long.expect("a row"));
        assert_eq!(short, [long[0], long[1], &broken]);
    }
}
