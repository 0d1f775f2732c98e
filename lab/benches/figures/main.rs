//! Measures the client, the service, the proxy and the storm, and prints a table.
//!
//! ```sh
//! cargo bench -p lab --bench figures
//! cargo bench -p lab --bench figures -- client service
//! ```
//!
//! Most figures are ratios of two programs that are measured in turns in one run, so that
//! other work on the machine affects both. Each program is a process of its own, pinned
//! to a core with `taskset`. Nothing here asserts a time. `RUST_BACKTRACE` does not count: the
//! benchmark runs without it.

#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]

mod bare;
mod client;
mod crawl;
mod load;
mod process;
mod proxy;
mod service;
mod storm;
mod table;

use std::{
    env,
    process::{Command, ExitCode},
};

/// The parts of the table, by their names on the command line.
const SECTIONS: [(&str, fn()); 5] = [
    ("client", client::measure),
    ("service", service::measure),
    ("proxy", proxy::measure),
    ("crawl", crawl::measure),
    ("storm", storm::measure),
];

/// Where one of these is set, `anyhow`, which carries the errors of a middleware, captures a
/// stack for each of them. That would take most of the time of a storm.
const BACKTRACES: [&str; 2] = ["RUST_BACKTRACE", "RUST_LIB_BACKTRACE"];

fn main() -> ExitCode {
    if BACKTRACES.iter().any(|name| env::var_os(name).is_some()) {
        return start_without_backtraces();
    }
    ::client::install_tls_provider();
    // `cargo bench` adds a flag of its own.
    let arguments: Vec<_> = env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .collect();
    if let [first, worker @ ..] = &*arguments
        && first == process::WORKER
    {
        work(&worker.iter().map(String::as_str).collect::<Vec<_>>());
        return ExitCode::SUCCESS;
    }
    for name in &arguments {
        let known = SECTIONS.map(|(known, _)| known);
        assert!(known.contains(&&**name), "{name:?} is none of {known:?}");
    }
    for (name, measure) in SECTIONS {
        if arguments.is_empty() || arguments.iter().any(|chosen| chosen == name) {
            measure();
        }
    }
    ExitCode::SUCCESS
}

/// Runs this program again, since it cannot remove a variable of its own environment safely.
fn start_without_backtraces() -> ExitCode {
    let mut again = Command::new(env::current_exe().expect("a path"));
    again.args(env::args_os().skip(1));
    for name in BACKTRACES {
        again.env_remove(name);
    }
    if again.status().expect("it starts").success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Does the work of a worker process.
fn work(arguments: &[&str]) {
    match *arguments {
        ["bare-service"] => bare::serve(),
        ["bare-proxy", upstream] => proxy::serve_bare(upstream),
        ["lab-proxy", upstream] => proxy::serve_lab(upstream),
        ["lab-service"] => service::serve(false),
        ["lab-service-with-spans"] => service::serve(true),
        ["load", base_url, connections, requests] => load::send(base_url, connections, requests),
        ["calls", way, base_url] => client::call(way, base_url),
        ["crawls", base_url] => crawl::crawl(base_url),
        ["storm"] => storm::simulate_counted(),
        _ => unreachable!("{arguments:?} names no worker"),
    }
}
