//! Measures the client, the service, the proxy and the storm, and prints a table.
//!
//! ```sh
//! cargo bench -p lab --bench figures
//! cargo bench -p lab --bench figures -- client service
//! ```
//!
//! Most figures are ratios of two programs that are measured in turns in one run, so that
//! other work on the machine affects both. Each program is a process of its own, pinned
//! to a core with `taskset`. `valgrind --tool=callgrind` counts instructions, which repeat
//! to one in a thousand, and `wrk` counts requests per second. Nothing here asserts a time.

#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]
#![expect(clippy::print_stderr, reason = "a benchmark prints its progress")]

mod bare;
mod client;
mod crawl;
mod process;
mod proxy;
mod service;
mod table;

use std::{env, ops::ControlFlow, process::ExitCode, time::Instant};

use storm::{Plan, STORIES, simulate};
use table::{Bound, show};

/// The parts of the table, by their names on the command line.
const SECTIONS: [(&str, fn()); 7] = [
    ("client", client::measure),
    ("service", service::measure),
    ("proxy", proxy::measure),
    ("crawl", crawl::measure),
    ("memory", service::measure_memory),
    ("scrape", service::measure_scrape),
    ("storm", measure_storm),
];

fn main() -> ExitCode {
    ::client::install_tls_provider();
    // `cargo bench` adds a flag of its own.
    let arguments: Vec<_> = env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .collect();
    if let [worker, name, rest @ ..] = &*arguments
        && worker == process::WORKER
    {
        work(name, &rest.iter().map(String::as_str).collect::<Vec<_>>());
        return ExitCode::SUCCESS;
    }
    let names = SECTIONS.map(|(name, _)| name);
    if let Some(unknown) = arguments.iter().find(|name| !names.contains(&&***name)) {
        eprintln!("{unknown:?} is unknown; choose from {}", names.join(", "));
        return ExitCode::FAILURE;
    }
    for (name, measure) in SECTIONS {
        if arguments.is_empty() || arguments.iter().any(|chosen| chosen == name) {
            measure();
        }
    }
    ExitCode::SUCCESS
}

/// Does the work of a worker process.
fn work(worker: &str, arguments: &[&str]) {
    match (worker, arguments) {
        (bare::SERVICE, _) => bare::serve(),
        (bare::PROXY, [upstream]) => proxy::serve_bare(upstream),
        (proxy::LAB, [upstream]) => proxy::serve_lab(upstream),
        (service::LAB, _) => service::serve(false),
        (service::LAB_WITH_SPANS, _) => service::serve(true),
        (service::COURSE, _) => service::serve_course(),
        (service::RECORDS, _) => service::keep_records(),
        (client::COUNTED, [way, base_url]) => client::call_counted(way, base_url),
        (client::TURNS, [way, base_url]) => client::take_turns(way, base_url),
        (crawl::TIMES, [base_url]) => crawl::time(base_url),
        (crawl::PAGES, [base_url]) => crawl::remember(base_url),
        unknown => unreachable!("{unknown:?} names no worker"),
    }
}

/// The time of a million requests of every story.
fn measure_storm() {
    let rounds = (0..3).map(|_| {
        let begun = Instant::now();
        let mut requests = 0;
        for story in STORIES {
            let storm = simulate(&Plan::of(story), |_| ControlFlow::Continue(()));
            let policies = storm.expect("a story can be simulated").policies;
            requests += policies.iter().map(|run| run.totals.requests).sum::<u64>();
        }
        begun.elapsed().as_secs_f64() * 1e6 / requests as f64
    });
    show(
        "storm, a million requests",
        " s",
        Bound::AtMost(2.5),
        rounds.collect(),
    );
}
