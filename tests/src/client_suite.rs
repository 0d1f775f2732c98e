//! What `client.rs` says of itself: how many tests there are, and which holds
//! which rule.
//!
//! It reads the sources, since no test can ask for the list of another suite.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// How many tests the specification gives the client.
const CLIENT_TESTS: usize = 29;

const ROOT: &str = include_str!("../client.rs");

/// Tests, each as `module::name`.
type Names = BTreeSet<String>;

/// The modules that `client.rs` compiles, each a file in `client/`.
fn modules() -> Vec<&'static str> {
    let lines = ROOT
        .lines()
        .filter_map(|line| line.trim().strip_prefix("mod "));
    lines
        .filter_map(|module| module.strip_suffix(';'))
        .collect()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("client")
}

/// Whether this line makes a test of the function below it.
fn is_test_attribute(line: &str) -> bool {
    line == "#[test]" || line.starts_with("#[tokio::test")
}

/// The name of the function that this line begins.
fn function(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("fn ")?;
    let (name, _) = rest.split_once(['(', '<'])?;
    Some(name)
}

/// The tests of the suite.
fn tests() -> Names {
    let mut names = Names::new();
    for module in modules() {
        let text = fs::read_to_string(folder().join(format!("{module}.rs"))).expect("a source");
        assert!(!text.contains("#[ignore"), "an ignored test in {module}");
        let mut lines = text.lines().map(str::trim);
        while lines.find(|line| is_test_attribute(line)).is_some() {
            let name = lines.find_map(function).expect("a function below");
            names.insert(format!("{module}::{name}"));
        }
    }
    names
}

/// The rules of the table, each with the tests that hold it.
fn table() -> Vec<(&'static str, Names)> {
    let rows = ROOT.lines().filter_map(|line| line.strip_prefix("//! | "));
    rows.skip(1) // the heading
        .map(|row| row.rsplit(" |").skip(1))
        .map(|mut cells| (cells.next(), cells.next()))
        .map(|(tests, rule)| (rule.expect("a rule"), tests.expect("its tests")))
        .filter(|(rule, _)| !rule.starts_with("**"))
        .map(|(rule, tests)| {
            let mut quoted = tests.split('`').skip(1).step_by(2);
            let module = quoted.next().unwrap_or_default();
            let tests = quoted.map(|test| format!("{module}::{test}"));
            (rule, tests.collect())
        })
        .collect()
}

#[test]
fn the_client_has_29_tests_and_none_is_left_out() {
    let tests = tests();

    assert_eq!(tests.len(), CLIENT_TESTS, "{tests:#?}");
    assert!(ROOT.starts_with(&format!("//! The client tests: {CLIENT_TESTS} of them")));
    let files = fs::read_dir(folder())
        .expect("the folder of the suite")
        .count();
    assert_eq!(files, modules().len(), "nothing compiles some of the files");
    assert!(!ROOT.contains("fn "), "a test outside of the modules");
}

#[test]
fn every_rule_names_tests_that_exist_and_every_test_holds_a_rule() {
    let tests = tests();
    let table = table();

    for (rule, named) in &table {
        assert!(!named.is_empty(), "no test holds the rule: {rule}");
    }
    let named: Names = table.into_iter().flat_map(|(_, named)| named).collect();
    let missing: Vec<_> = named.difference(&tests).collect();
    assert!(missing.is_empty(), "tests that do not exist: {missing:?}");
    let unnamed: Vec<_> = tests.difference(&named).collect();
    assert!(unnamed.is_empty(), "tests in no row: {unnamed:?}");
}
