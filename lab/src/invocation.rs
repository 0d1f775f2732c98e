//! How the lab was called, so that its advice can be typed as shown.

use std::{env, path::Path, sync::OnceLock};

use render::Options;

/// `lab`, or the words that the user typed instead.
#[must_use]
pub fn lab() -> &'static str {
    static LAB: OnceLock<String> = OnceLock::new();
    LAB.get_or_init(called)
}

fn called() -> String {
    // Cargo sets this variable for the programs that it runs.
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
