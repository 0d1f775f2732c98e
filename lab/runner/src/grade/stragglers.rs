//! What a client has started and what has left its process group since: a daemon, which
//! begins a session of its own.
//!
//! On Linux it is known by its environment, which it has from the client: no other play
//! has the same URL. One that has cleared its environment as well is not found, and
//! elsewhere than on Linux none is.

use std::{collections::BTreeSet, fs, path::Path};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};

/// Ends all processes that have this URL as their `LAB_URL`, and what they start
/// meanwhile.
pub(super) fn end(url: &str) {
    let variable = format!("LAB_URL={url}");
    let mut ended = BTreeSet::new();
    loop {
        let found: Vec<_> = with(&variable).filter(|it| !ended.contains(it)).collect();
        if found.is_empty() {
            return;
        }
        for process in found {
            // One that is gone already has ended.
            let _ = kill(process, Signal::SIGKILL);
            ended.insert(process);
        }
    }
}

/// The processes in whose environment this variable was put.
fn with(variable: &str) -> impl Iterator<Item = Pid> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes.filter_map(move |entry| {
        let number = entry.file_name().to_str()?.parse().ok()?;
        has(&entry.path(), variable).then_some(Pid::from_raw(number))
    })
}

/// Nobody may read the environment of another user's process; it is not one of ours.
fn has(process: &Path, variable: &str) -> bool {
    let environment = fs::read(process.join("environ")).unwrap_or_default();
    let mut variables = environment.split(|byte| *byte == 0);
    variables.any(|it| it == variable.as_bytes())
}
