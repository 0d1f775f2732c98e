//! What each crate may know, as its `Cargo.toml` says it. `lab/docs/architecture.md` has the
//! same table with the reasons.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    process::Command,
};

use serde_json::Value;

/// The crates of this workspace that each may depend on.
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

/// The dependencies of each crate of the workspace, without those of its tests.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
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
            let normal = dependencies
                .iter()
                .filter(|dependency| dependency["kind"].is_null());
            (name(package), normal.map(name).collect())
        })
        .collect()
}

#[test]
fn each_crate_depends_only_on_those_that_it_may_know() {
    let dependencies = dependencies();

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
    let dependencies = dependencies();

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
    let names = dependencies().into_keys();
    let limited: BTreeSet<_> = names
        .filter(|name| !unlimited.contains(&name.as_str()))
        .collect();

    let rows: BTreeSet<_> = ALLOWED.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(limited, rows);
}
