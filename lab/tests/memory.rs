//! Storms and open cases give back their memory. One test in a process of its own, since
//! the allocator counts for the process as a whole.

use std::{
    io::{Read, Write},
    net::TcpStream,
    ops::ControlFlow,
    time::Duration,
};

use grade::{OpenCases, TASKS};
use peak_alloc::PeakAlloc;
use storm::{Plan, STORIES, Step, simulate};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// The memory that may remain: tables that are made on the first use, and grow with it.
const REMAINDER: usize = 256 * 1024;

#[tokio::test]
async fn storms_and_open_cases_give_back_their_memory() {
    // Whatever the process keeps after its first use.
    storm(60);
    open_cases(1).await;
    let before = MEMORY.current_usage();

    let [short, long] = [60, 240].map(storm);
    open_cases(200).await;

    // The calls in progress and the steps are kept, and no request. A growing list of steps
    // may have room for twice as many.
    let policies = Plan::of(&STORIES[0]).policies.len();
    let more_steps = (240 - 60) * 10 * policies * size_of::<Step>();
    assert!(
        long < short + 2 * more_steps,
        "{short}, then {long} bytes at the most"
    );
    let after = MEMORY.current_usage();
    assert!(
        after < before + REMAINDER,
        "{before}, then {after} bytes are held"
    );
}

/// Simulates a storm of this length; the most bytes that it held.
fn storm(seconds: u64) -> usize {
    let mut plan = Plan::of(&STORIES[0]);
    plan.settings.length = Duration::from_secs(seconds);
    plan.settings.calls_per_second = 5.0;
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    let storm = simulate(&plan, |_| ControlFlow::Continue(()));
    drop(storm.expect("it can be simulated"));
    MEMORY.peak_usage() - before
}

/// Opens the cases of every task, sends this many requests to each, and stops them.
async fn open_cases(requests: usize) {
    let cases = OpenCases::start(TASKS.iter().copied(), 7).expect("ports are free");
    for case in cases.cases() {
        let Some((address, path)) = case.url["http://".len()..].split_once('/') else {
            panic!("{} has no path", case.url);
        };
        if ["silence", "post-once"].contains(&case.task.words.name) {
            continue;
        }
        for _ in 0..requests.div_ceil(10) {
            // A case may be unreachable, or break off.
            let Ok(mut stream) = TcpStream::connect(address) else {
                continue;
            };
            let request = format!("HEAD /{path} HTTP/1.1\r\nHost: {address}\r\n\r\n");
            let _ = stream.write_all(request.repeat(10).as_bytes());
            let _ = stream.set_read_timeout(Some(Duration::from_millis(1)));
            let _ = stream.read(&mut [0]);
        }
    }
    cases.stop().await.expect("nothing is left");
}
