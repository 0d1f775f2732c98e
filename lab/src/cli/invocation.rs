//! How the reader called the lab, so that what it advises to type can be typed.

use std::{env, path::Path};

/// `lab`, or what the reader wrote in its place.
pub(super) fn lab() -> String {
    // Cargo sets it for the programs that it runs.
    if env::var_os("CARGO").is_some() {
        return "cargo run -p lab --".to_owned();
    }
    let called = env::args_os().next().unwrap_or_default();
    let called = Path::new(&called);
    let is_a_path = called.components().count() > 1;
    match called.to_str() {
        Some(path) if is_a_path && !path.contains(' ') => path.to_owned(),
        _ => "lab".to_owned(),
    }
}
