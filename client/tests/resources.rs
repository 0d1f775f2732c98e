//! Calls leave no descriptor, no task and no memory behind, however they end.
//!
//! Descriptors are counted for the process as a whole, so this one has a
//! process of its own.

use std::{env, fs, future::pending, process::Command, thread, time::Duration};

use client::teaching::{Builder, ReliableApiClient};
use futures_util::future::join_all;
use tokio::runtime::{self, Handle, Runtime};

use crate::bench::NOWHERE;
use crate::support::wire::{Then, Wire};

const SUCCESS: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\
                       content-length: 13\r\n\r\n{\"attempt\":3}";
const UNAVAILABLE: &str =
    "HTTP/1.1 503 Service Unavailable\r\nretry-after: 0\r\ncontent-length: 0\r\n\r\n";
/// A body without an end is to follow.
const ENDLESS: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n";
const CUT: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\
                   content-length: 13\r\n\r\n{\"att";

/// Calls of one kind that are under way together.
const TOGETHER: usize = 8;

/// The largest body that a flooded client accepts, in bytes.
const CAP: usize = 512 * 1024;

/// How much more memory the process may hold after ten rounds than after the first, in
/// KiB. The bodies of the flooded calls in between were more than four times as much.
const MORE_MEMORY: usize = 8 * 1024;

/// Lets a client call a service that never responds, and drops its calls.
const DROPPED: Option<&str> = None;

/// A service if there is one, what its clients are like, and how each of their calls ends:
/// with the `error_type` of its error, `ok`, or [`DROPPED`].
type Kind = (Option<Wire>, fn(Builder) -> Builder, Option<&'static str>);

/// The service, on a runtime and a thread of its own: its tasks are not the
/// clients'.
struct Service(Vec<Kind>);

impl Service {
    fn start() -> Self {
        let runtime = a_runtime();
        let serve = |bytes, then| Some(runtime.block_on(Wire::serve(&[(bytes, then)])));
        let kinds: Vec<Kind> = vec![
            (serve(SUCCESS, Then::Again), |builder| builder, Some("ok")),
            (
                serve(UNAVAILABLE, Then::Again),
                |builder| builder,
                Some("503"),
            ),
            (
                serve(CUT, Then::Close),
                |builder| builder,
                Some("connection_lost"),
            ),
            (
                serve(ENDLESS, Then::Flood("x")),
                |builder| builder.max_body_bytes(CAP),
                Some("body_too_large"),
            ),
            (
                serve("", Then::Stall),
                |builder| builder.timeouts(Duration::from_secs(60), Duration::from_millis(5)),
                Some("read_timeout"),
            ),
            (serve("", Then::Stall), |builder| builder, DROPPED),
            (None, |builder| builder, Some("connect")),
        ];
        thread::spawn(move || runtime.block_on(pending::<()>()));
        Self(kinds)
    }

    /// One client for each kind.
    fn clients(&self) -> Vec<ReliableApiClient> {
        let client = |(wire, configure, _): &Kind| {
            let base_url = wire.as_ref().map_or(NOWHERE.to_owned(), Wire::base_url);
            let builder = ReliableApiClient::builder(&base_url).retry_budget(None);
            let builder = builder.backoff(Duration::from_nanos(1), Duration::from_nanos(1));
            configure(builder).build().expect("a client")
        };
        self.0.iter().map(client).collect()
    }

    /// Lets calls end in every way there is.
    async fn call(&self, clients: &[ReliableApiClient]) {
        for (client, (wire, _, end)) in clients.iter().zip(&self.0) {
            let calls = join_all((0..TOGETHER).map(|_| client.flaky()));
            let (Some(wire), DROPPED) = (wire, *end) else {
                for call in calls.await {
                    let ended = call.map_or_else(|error| error.error_type(), |_| "ok");
                    assert_eq!(Some(ended), *end);
                }
                continue;
            };
            let before = wire.requests().len();
            let all_sent = async {
                while wire.requests().len() < before + TOGETHER {
                    tokio::task::yield_now().await;
                }
            };
            tokio::select! {
                calls = calls => panic!("nobody responds: {calls:?}"),
                () = all_sent => {}
            }
        }
    }
}

/// The open descriptors of the process, and the tasks of the runtime that calls.
fn held() -> (usize, usize) {
    let descriptors = fs::read_dir("/proc/self/fd").expect("Linux").count();
    (descriptors, Handle::current().metrics().num_alive_tasks())
}

/// The resident memory of the process, in KiB.
fn in_memory() -> usize {
    let status = fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB"));
    kib.and_then(|kib| kib.parse().ok()).expect("a size")
}

/// Waits until no more is held than `limit`: the other end of a connection takes
/// a moment to see that it was closed.
async fn assert_at_most(limit: (usize, usize), story: &str) {
    let mut now = held();
    // Counted in looks, since a busy machine may stop the clock for any time between two.
    for _ in 0..10_000 {
        if now.0 <= limit.0 && now.1 <= limit.1 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
        now = held();
    }
    panic!("{story}: {now:?} descriptors and tasks, of {limit:?}");
}

fn a_runtime() -> Runtime {
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime")
}

#[test]
#[ignore = "counts what a process has open; the test below runs it in one of its own"]
fn calls_in_a_process_of_their_own() {
    let service = Service::start();
    a_runtime().block_on(call_again_and_again(&service));
}

async fn call_again_and_again(service: &Service) {
    let before = held();
    let clients = service.clients();
    // Two of the clients have a service that keeps its connections. So there are
    // both ends of each and a task, and a task of each pool that closes what is
    // idle for too long.
    let kept = 2 * TOGETHER;
    let alive = (before.0 + 2 * kept, before.1 + kept + 2);

    let mut memory = Vec::new();
    for round in 0..10 {
        service.call(&clients).await;
        assert_at_most(alive, &format!("round {round}")).await;
        memory.push(in_memory());
    }
    drop(clients);
    let (first, last) = (memory[0], memory[9]);
    assert!(last < first + MORE_MEMORY, "{memory:?} KiB");

    assert_at_most(before, "without clients").await;
}

#[test]
fn calls_leave_no_descriptor_and_no_task_behind() {
    let output = Command::new(env::current_exe().expect("this program"))
        .args(["--ignored", "--exact"])
        .arg("resources::calls_in_a_process_of_their_own")
        .output()
        .expect("this program runs");

    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("1 passed"), "{said}");
}
