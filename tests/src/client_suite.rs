//! The statements of `client.rs` about itself: the number of its tests, and the rule that
//! each holds.
//!
//! It reads the sources, since no test can ask for the list of another suite.

use std::{collections::BTreeSet, fs, path::Path};

const ROOT: &str = include_str!("../client.rs");

/// Tests, each as `module::name`.
type Names = BTreeSet<String>;

/// The tests of the suite.
fn tests() -> Names {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("client");
    let mut names = Names::new();
    for file in fs::read_dir(folder).expect("the folder of the suite") {
        let path = file.expect("a file").path();
        let module = path.file_stem().expect("a name").display();
        let compiled = ROOT.contains(&format!("mod {module};"));
        assert!(compiled, "nothing compiles {module}");
        let text = fs::read_to_string(&path).expect("a source");
        assert!(!text.contains("#[ignore"), "an ignored test in {module}");
        let lines: Vec<_> = text.lines().collect();
        for pair in lines.windows(2) {
            if pair[0] == "#[test]" || pair[0].starts_with("#[tokio::test") {
                let (_, name) = pair[1].split_once("fn ").expect("a function below");
                let (name, _) = name.split_once('(').expect("its parameters");
                names.insert(format!("{module}::{name}"));
            }
        }
    }
    names
}

/// The rules of the table, each with the tests that hold it.
fn table() -> impl Iterator<Item = (&'static str, Names)> {
    let rows = ROOT.lines().filter_map(|line| line.strip_prefix("//! | "));
    let rules = rows.skip(1).filter(|row| !row.starts_with("**"));
    rules.map(|row| {
        let (rule, tests) = row.rsplit_once(" | ").expect("a rule and its tests");
        let mut quoted = tests.split('`').skip(1).step_by(2);
        let module = quoted.next().expect("a module");
        let tests = quoted.map(|test| format!("{module}::{test}"));
        (rule, tests.collect())
    })
}

#[test]
fn the_client_has_29_tests_which_hold_every_rule_of_the_table() {
    let tests = tests();

    assert_eq!(tests.len(), 29, "{tests:#?}");
    assert!(ROOT.starts_with("//! The client tests: 29 of them"));
    assert!(!ROOT.contains("fn "), "a test outside of the modules");
    let mut named = Names::new();
    for (rule, holding) in table() {
        assert!(!holding.is_empty(), "no test holds the rule: {rule}");
        named.extend(holding);
    }
    assert_eq!(named, tests, "the table names every test, and no other");
}
