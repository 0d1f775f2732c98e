//! How the reader called the lab, so that what it advises to type can be typed.

use std::{env, path::Path, sync::OnceLock};

use render::Options;

/// `lab`, or what the reader wrote in its place.
#[must_use]
pub fn lab() -> &'static str {
    static LAB: OnceLock<String> = OnceLock::new();
    LAB.get_or_init(called)
}

fn called() -> String {
    // Cargo sets it for the programs that it runs.
    if env::var_os("CARGO").is_some() {
        return Options::LAB.to_owned();
    }
    let called = env::args_os().next().unwrap_or_default();
    let called = Path::new(&called);
    let is_a_path = called.components().count() > 1;
    match called.to_str() {
        Some(path) if is_a_path && !path.contains(' ') => path.to_owned(),
        _ => "lab".to_owned(),
    }
}
