//! Files of the repository, and programs that Cargo has built.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// The root of the repository.
#[must_use]
pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The text of a file, by its path from the root.
#[must_use]
pub fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The folder of the programs of this build, which is beside that of its tests.
#[must_use]
pub fn build() -> PathBuf {
    let test = env::current_exe().expect("a test has a path");
    let folder = test.ancestors().nth(2);
    folder.expect("the folder of the build").to_owned()
}

/// The program of an example, which `cargo test` builds.
#[must_use]
pub fn example(name: &str) -> String {
    let program = build().join("examples").join(name);
    let program = program.with_extension(env::consts::EXE_EXTENSION);
    assert!(
        program.exists(),
        "{} is missing, which `cargo test` builds",
        program.display()
    );
    program.into_os_string().into_string().expect("Unicode")
}
