//! Start and stop leave nothing behind. One test in a process of its own, since
//! descriptors and threads are counted for the process as a whole.

#![cfg(target_os = "linux")]

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};
use std::{process, thread};

use host::{RunningService, ServiceConfig};
use server::TeachingApi;
use testkit::PATIENCE;
use testkit::http::{connect, get};
use testkit::process::Resources;

fn held() -> Resources {
    Resources::by(process::id())
}

fn start() -> RunningService {
    let config = ServiceConfig {
        drain_deadline: Duration::MAX,
        ..ServiceConfig::default()
    };
    TeachingApi::start(config).unwrap()
}

/// Waits until no more than `limit` threads are listed. The kernel first wakes whoever joins
/// a thread, and then takes the thread off the list.
fn assert_threads_fall_to(limit: usize) {
    let began = Instant::now();
    while held().threads > limit {
        assert!(began.elapsed() < PATIENCE, "{:?}, not {limit}", held());
        thread::yield_now();
    }
}

/// A hundred connections that wait between two requests, and one that never sent any.
fn idle_connections(address: SocketAddr) -> Vec<TcpStream> {
    let mut idle: Vec<_> = (0..100).map(|_| connect(address)).collect();
    for stream in &idle {
        assert_eq!(get(stream, "/items").status, 200);
    }
    idle.push(connect(address));
    idle
}

#[test]
fn nothing_remains_after_stop_or_drop() {
    // The first runtime of a process that watches sockets opens tokio's own pair for
    // signals, once and for good. It is the process's, not the service's.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let before = held();

    for is_stopped in [true, false] {
        let service = start();
        let address = service.local_addr();
        let clients = idle_connections(address);
        assert_eq!(
            held().threads,
            before.threads + 1,
            "the service is one thread"
        );
        // Idle connections would hold up a stop for as long as a drain may last.
        if is_stopped {
            let stopped = runtime.block_on(service.stop()).unwrap();
            assert_eq!(stopped.cut_off, 0);
        } else {
            drop(service);
        }

        let open = before.descriptors + clients.len();
        assert_eq!(held().descriptors, open, "only the clients' ends are open");
        assert_threads_fall_to(before.threads);
        drop(TcpListener::bind(address).expect("the port is free again"));
    }
}
