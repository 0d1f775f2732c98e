//! The crates that each crate may know, as its `Cargo.toml` says it, in its tests as well.
//! `lab/docs/architecture.md` has the same table with the reasons. And the functions that only
//! one place may call.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

/// The crates of this workspace that each may depend on, in its tests as well. A test that
/// needs two products belongs to `lab/tests`.
const ALLOWED: [(&str, &[&str]); 11] = [
    ("wire", &[]),
    ("host", &["wire"]),
    ("server", &["host", "wire"]),
    ("reliable-api-client", &[]),
    ("judge", &["wire"]),
    ("render", &["wire"]),
    ("process", &["wire"]),
    (
        "scenario",
        &[
            "host",
            "judge",
            "reliable-api-client",
            "render",
            "server",
            "wire",
        ],
    ),
    (
        "grade",
        &["host", "judge", "process", "render", "server", "wire"],
    ),
    ("proxy", &["host", "judge", "process", "render", "wire"]),
    ("storm", &["reliable-api-client", "render", "wire"]),
];

/// The crates that only calculate, and what would let them do more.
const PURE: [&str; 3] = ["wire", "judge", "render"];
const IMPURE: [&str; 6] = ["axum", "clap", "hyper", "reqwest", "tokio", "tracing"];

/// The dependencies of each crate of the workspace whose kind is accepted. The kind is null
/// except for those of tests and of build scripts.
fn dependencies(is_accepted: impl Fn(&Value) -> bool) -> BTreeMap<String, BTreeSet<String>> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{output:?}");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let name = |value: &Value| value["name"].as_str().expect("a name").to_owned();
    let packages = metadata["packages"].as_array().expect("packages");
    packages
        .iter()
        .map(|package| {
            let dependencies = package["dependencies"].as_array().expect("dependencies");
            let accepted = dependencies
                .iter()
                .filter(|dependency| is_accepted(&dependency["kind"]));
            (name(package), accepted.map(name).collect())
        })
        .collect()
}

#[test]
fn each_crate_depends_only_on_those_that_it_may_know() {
    let dependencies = dependencies(|_| true);

    for (name, allowed) in ALLOWED {
        let of_it = &dependencies[name];
        let ours = of_it
            .iter()
            .filter(|dependency| dependencies.contains_key(*dependency));
        for dependency in ours {
            let is_allowed = allowed.contains(&dependency.as_str());
            assert!(is_allowed, "{name} must not depend on {dependency}");
        }
    }
}

#[test]
fn a_crate_that_only_calculates_cannot_do_more() {
    let dependencies = dependencies(Value::is_null);

    for name in PURE {
        for impure in IMPURE {
            let has_it = dependencies[name].contains(impure);
            assert!(!has_it, "{name} must not depend on {impure}");
        }
    }
}

#[test]
fn every_crate_of_the_lab_has_its_row() {
    let unlimited = ["fuzz", "lab", "page", "tests"];
    let names = dependencies(|_| true).into_keys();
    let limited: BTreeSet<_> = names
        .filter(|name| !unlimited.contains(&name.as_str()))
        .collect();

    let rows: BTreeSet<_> = ALLOWED.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(limited, rows);
}

/// The files in a folder and in those below it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths
        .flat_map(|path| {
            if path.is_dir() {
                files(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

/// The beginning of the tests of a file, which stand at its end.
const TESTS: &str = "#[cfg(test)]\nmod tests {";

/// The sources of the lab, each with its path in `lab` and without its tests.
fn sources() -> impl Iterator<Item = (String, String)> {
    let lab = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crates = fs::read_dir(lab).expect("a folder");
    let crates = crates.map(|entry| entry.expect("an entry").path().join("src"));
    let folders = crates.filter(|folder| folder.is_dir());
    let all = folders.chain([lab.join("src")]);
    let files = all.flat_map(|folder| files(&folder));
    files.filter_map(move |file| {
        let path = file.strip_prefix(lab).expect("in the lab");
        let path = path.to_str()?.replace('\\', "/");
        let is_source = path.ends_with(".rs") && !path.contains("/tests");
        let text = is_source.then(|| fs::read_to_string(&file).expect("text"))?;
        let (code, _tests) = text.split_once(TESTS).unwrap_or((&text, ""));
        Some((path, code.to_owned()))
    })
}

/// The functions of `serde_json` that write JSON as it is. A terminal would obey the characters
/// in it that control it, and those that change the direction of text.
const JSON_WRITERS: [&str; 5] = [
    "to_string_pretty",
    "serde_json::to_string",
    "serde_json::to_vec",
    "serde_json::to_writer",
    "serde_json::Serializer",
];

/// The files that may call them: the one writer, which escapes these characters, and two that
/// write for programs.
const MAY_WRITE_JSON: [(&str, &str); 3] = [
    ("render/src/json.rs", "the one writer for people"),
    ("src/web/mod.rs", "the events that the page reads"),
    (
        "scenario/src/clients/naive/call.rs",
        "the body of a request",
    ),
];

#[test]
fn one_function_writes_the_json_that_people_read() {
    let writes = |code: &str| JSON_WRITERS.iter().any(|writer| code.contains(writer));
    let written: BTreeSet<_> = sources()
        .filter(|(_, code)| writes(code))
        .map(|(path, _)| path)
        .collect();

    let allowed = MAY_WRITE_JSON.map(|(path, _why)| path.to_owned());
    assert_eq!(written, BTreeSet::from(allowed));
    // A value that is printed by its `Display` would not be escaped either.
    for (path, code) in sources().filter(|(path, _)| path.starts_with("src/")) {
        let has_it = code.contains("json!(") && code.contains("}).to_string()");
        assert!(!has_it, "{path} prints JSON by itself");
    }
}
