//! Floods: what they cost the program in memory and descriptors, and what is left of it.
//!
//! Linux alone: both are read from `/proc`.

use std::collections::VecDeque;
use std::io::{ErrorKind, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::{Duration, Instant};

use testkit::PATIENCE;
use testkit::http::connect;
use testkit::process::Resources;

use crate::attacks::{ENDLESS, connect_narrowly, responses, serves};
use crate::program::Program;

/// How many descriptors the program may have.
const DESCRIPTORS: usize = 128;

/// How much more memory than before a flood may cost, in KiB: a full ledger, which is
/// filled only once, and what the allocator keeps.
const MOST: usize = 24 * 1024;

/// The program and what it held before it was attacked.
struct Flooded {
    program: Program,
    before: Resources,
}

impl Flooded {
    fn new(descriptors: usize) -> Self {
        let script = format!("ulimit -n {descriptors}; exec \"$0\" --port 0");
        let server = env!("CARGO_BIN_EXE_server");
        let program = Program::spawn(Command::new("sh").args(["-c", &script, server]));
        serves(&connect(program.address()));
        // The first client is gone from here and perhaps not yet from there.
        let before = Resources::by(program.id());
        Self { program, before }
    }

    fn connect(&self) -> TcpStream {
        connect(self.program.address())
    }

    fn serves(&self) {
        serves(&self.connect());
    }

    fn held(&self) -> Resources {
        Resources::by(self.program.id())
    }

    fn costs_little(&self) {
        let (before, now) = (self.before, self.held());
        assert!(
            now.memory_kib < before.memory_kib + MOST,
            "{before:?}, {now:?}"
        );
    }

    /// Serves others, holds no more than before, and stops in good order.
    fn recovers(mut self) {
        self.serves();
        let begun = Instant::now();
        // It takes a moment to see that its clients have gone.
        while self.held().descriptors > self.before.descriptors {
            assert!(begun.elapsed() < PATIENCE, "{:?}", self.held());
            std::thread::yield_now();
        }
        self.costs_little();
        self.program.signal("INT");
        assert_eq!(self.program.end(), (Some(0), String::new(), String::new()));
    }
}

/// Holds what the loop does where descriptors have run out: it rests, and accepts again.
#[test]
fn a_thousand_connections_leave_nothing_behind() {
    let flooded = Flooded::new(DESCRIPTORS);

    // The attacker has descriptors for half of them.
    let mut attackers = VecDeque::new();
    for _ in 0..1000 {
        attackers.push_back(flooded.connect());
        if attackers.len() > 500 {
            attackers.pop_front();
        }
    }
    assert!(flooded.held().descriptors <= DESCRIPTORS);
    drop(attackers);
    flooded.recovers();
}

/// Holds the bound on the length of a head: without it these would hold 120 MB.
#[test]
fn a_flood_of_long_heads_costs_little_memory() {
    let flooded = Flooded::new(1024);
    let head = "GET /items HTTP/1.1\r\nhost: localhost\r\nx: ".to_owned() + &"1".repeat(400_000);

    let attackers: Vec<_> = (0..300).map(|_| flooded.connect()).collect();
    for mut attacker in &attackers {
        drop(attacker.write_all(head.as_bytes()));
    }
    for attacker in &attackers {
        assert_eq!(responses(attacker), ["431"]);
    }
    flooded.costs_little();
    drop(attackers);
    flooded.recovers();
}

/// Holds what makes a client wait that reads none of its responses: no more of its
/// requests are read, and no more responses made.
#[test]
fn requests_without_a_reader_cost_little_memory() {
    let flooded = Flooded::new(1024);
    for target in ["GET /metrics", "HEAD /items"] {
        let mut attacker = connect_narrowly(flooded.program.address());
        attacker
            .set_write_timeout(Some(Duration::from_millis(200)))
            .unwrap();
        let requests = format!("{target} HTTP/1.1\r\nhost: localhost\r\n\r\n").repeat(1000);

        let mut taken = 0;
        let held_back = loop {
            if let Err(error) = attacker.write_all(requests.as_bytes()) {
                break error.kind();
            }
            taken += requests.len();
            assert!(taken < ENDLESS, "the service took it all");
        };
        flooded.serves();

        assert_eq!(held_back, ErrorKind::WouldBlock, "{target}");
        flooded.costs_little();
    }
    flooded.recovers();
}
