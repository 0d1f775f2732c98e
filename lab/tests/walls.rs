//! The crates that each crate may know, as its `Cargo.toml` says it, in its tests as well.
//! `lab/docs/architecture.md` has the same table with the reasons.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
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
    let unlimited = ["fuzz", "lab", "tests"];
    let names = dependencies(|_| true).into_keys();
    let limited: BTreeSet<_> = names
        .filter(|name| !unlimited.contains(&name.as_str()))
        .collect();

    let rows: BTreeSet<_> = ALLOWED.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(limited, rows);
}
