//! Measures the client, the service, the proxy and the storm, and prints a table.
//!
//! ```sh
//! cargo bench -p lab --bench figures
//! cargo bench -p lab --bench figures -- client service
//! ```
//!
//! Most figures are ratios of two programs that are measured in turns in one run, so that
//! other work on the machine affects both. Each program is a process of its own, pinned
//! to a core with `taskset`: the measured one to the first core, its peer to the second, or
//! both to the first where the table says so. `valgrind --tool=callgrind` counts
//! instructions, which repeat to one in a thousand. `wrk` counts requests per second. If a
//! tool is not installed, the table says which figures it does not include.
//!
//! Nothing here asserts a time.

#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]
#![expect(clippy::print_stderr, reason = "a benchmark prints its progress")]

mod bare_service;
mod client;
mod crawl;
mod lab_service;
mod memory;
mod process;
mod proxy;
mod scrape;
mod service;
mod spread;
mod storm_speed;
mod table;

use std::{env, process::ExitCode};

use table::Line;

/// Measures some lines of the table.
type Measure = fn() -> Vec<Line>;

/// The parts of the table, by their names on the command line.
const SECTIONS: [(&str, Measure); 7] = [
    ("client", client::measure),
    ("service", service::measure),
    ("proxy", proxy::measure),
    ("crawl", crawl::measure),
    ("memory", memory::measure),
    ("scrape", scrape::measure),
    ("storm", storm_speed::measure),
];

fn main() -> ExitCode {
    // `cargo bench` adds a flag of its own.
    let arguments: Vec<_> = env::args().skip(1).filter(|it| it != "--bench").collect();
    if let Some((worker, rest)) = process::worker(&arguments) {
        work(worker, rest);
        return ExitCode::SUCCESS;
    }
    let known = |name: &String| SECTIONS.iter().any(|(section, _)| section == name);
    if let Some(unknown) = arguments.iter().find(|name| !known(name)) {
        let names: Vec<_> = SECTIONS.iter().map(|(name, _)| *name).collect();
        eprintln!(
            "there is no {unknown:?} to measure; there is {}",
            names.join(", ")
        );
        return ExitCode::FAILURE;
    }
    let mut lines = Vec::new();
    for (name, measure) in SECTIONS {
        if arguments.is_empty() || arguments.iter().any(|chosen| chosen == name) {
            eprintln!("measuring: {name}");
            lines.extend(measure());
        }
    }
    print!("{}", table::table(&lines));
    ExitCode::SUCCESS
}

/// Does the work of a worker process.
fn work(worker: &str, arguments: &[String]) {
    match worker {
        bare_service::WORKER => bare_service::serve(),
        lab_service::WORKER => lab_service::serve(arguments),
        client::CALLS => client::call(arguments),
        client::TURNS => client::take_turns(arguments),
        crawl::TIMES => crawl::time(arguments),
        crawl::PAGES => crawl::remember(arguments),
        memory::RECORDS => memory::keep_records(),
        proxy::BARE => proxy::serve_bare(arguments),
        proxy::LAB => proxy::serve_lab(arguments),
        scrape::WORKER => scrape::serve(),
        storm_speed::WORKER => storm_speed::simulate_stories(),
        unknown => unreachable!("no worker is called {unknown:?}"),
    }
}
