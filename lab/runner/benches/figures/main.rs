//! What the project costs, beside what it is made of: one command prints the table.
//!
//! ```sh
//! cargo bench -p runner --bench figures
//! cargo bench -p runner --bench figures -- client service
//! ```
//!
//! Every figure that can be is a ratio between two things that are measured in turns in
//! the same run, so that whatever else the machine does falls on both. Each part runs
//! in a process of its own, pinned to a core with `taskset`: what is measured on the
//! first, what runs the other end on the second, or both on the first where the table
//! says so. Where time says too little, `valgrind --tool=callgrind` counts instructions,
//! which repeat whatever the machine does, but for one in a thousand, since timers depend
//! on time. Requests per second are those of `wrk`. What is not installed is not
//! measured, and the table says so.
//!
//! Nothing here asserts a time.

#![expect(clippy::print_stdout, reason = "a bench reports to whoever runs it")]
#![expect(clippy::print_stderr, reason = "and says what it is about")]

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

/// What measures some lines of the table.
type Measure = fn() -> Vec<Line>;

/// What can be measured, by its name on the command line.
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

/// What a process does that this one has started.
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
