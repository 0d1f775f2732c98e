//! Which processes hold the client's end of a connection.
//!
//! A connection that ends may have been given up, or its process may have ended. Only the
//! process tells. On Linux it is found by its sockets, in another network namespace only if the
//! lab may read the processes there. Elsewhere it is not found.

use std::net::SocketAddr;
#[cfg(target_os = "linux")]
use std::{collections::BTreeSet, fs::metadata, os::linux::fs::MetadataExt};

#[cfg(target_os = "linux")]
use procfs::{
    net::{TcpNetEntry, tcp, tcp6},
    process::{FDTarget, Process, all_processes},
};

/// The flag of a process that is ending (`PF_EXITING`).
#[cfg(target_os = "linux")]
const EXITING: u32 = 0x4;

/// The processes that hold the client's end of a connection.
#[derive(Debug)]
pub struct Senders {
    #[cfg(target_os = "linux")]
    processes: Vec<Process>,
}

impl Senders {
    /// Those of a connection between these addresses; none if they cannot be found.
    #[cfg(target_os = "linux")]
    #[must_use]
    pub fn of(client: SocketAddr, server: SocketAddr) -> Option<Self> {
        let is_it = |entry: &TcpNetEntry| {
            is_same(entry.local_address, client) && is_same(entry.remote_address, server)
        };
        let inode = connections().find(is_it)?.inode;
        let holds = |process: &Process| {
            let descriptors = process.fd().into_iter().flatten().flatten();
            let mut sockets = descriptors.map(|descriptor| descriptor.target);
            sockets.any(|target| matches!(target, FDTarget::Socket(held) if held == inode))
        };
        let processes: Vec<_> = processes().filter(holds).collect();
        (!processes.is_empty()).then_some(Self { processes })
    }

    /// None: the system does not say.
    #[cfg(not(target_os = "linux"))]
    #[must_use]
    pub fn of(_: SocketAddr, _: SocketAddr) -> Option<Self> {
        None
    }

    /// Whether one of them goes on. One that is about to end does not.
    #[cfg(target_os = "linux")]
    #[must_use]
    pub fn are_running(&self) -> bool {
        let mut stats = self
            .processes
            .iter()
            .filter_map(|process| process.stat().ok());
        stats.any(|stat| !matches!(stat.state, 'Z' | 'X') && stat.flags & EXITING == 0)
    }

    /// Never asked: there are none.
    #[cfg(not(target_os = "linux"))]
    #[must_use]
    pub fn are_running(&self) -> bool {
        false
    }
}

/// The connections of this network namespace, and then those of each other one. A process
/// shows those of its own.
#[cfg(target_os = "linux")]
fn connections() -> impl Iterator<Item = TcpNetEntry> {
    let own = [tcp(), tcp6()].into_iter().flatten().flatten();
    let own_namespace = Process::myself().ok().as_ref().and_then(namespace);
    let mut seen: BTreeSet<_> = own_namespace.into_iter().collect();
    let is_new =
        move |process: &Process| namespace(process).is_some_and(|namespace| seen.insert(namespace));
    let others = processes().filter(is_new);
    let others = others.flat_map(|process| [process.tcp(), process.tcp6()]);
    own.chain(others.flatten().flatten())
}

/// The network namespace of a process; none if nobody may know it.
#[cfg(target_os = "linux")]
fn namespace(process: &Process) -> Option<u64> {
    let namespace = metadata(format!("/proc/{}/ns/net", process.pid()));
    namespace.ok().map(|namespace| namespace.st_ino())
}

/// All processes but those that end while one looks.
#[cfg(target_os = "linux")]
fn processes() -> impl Iterator<Item = Process> {
    all_processes().into_iter().flatten().flatten()
}

/// Whether both name one end. A socket of IPv6 shows an address of IPv4 as a mapped one.
#[cfg(target_os = "linux")]
fn is_same(one: SocketAddr, other: SocketAddr) -> bool {
    one.port() == other.port() && one.ip().to_canonical() == other.ip().to_canonical()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::{
        io::{BufRead, BufReader},
        net::TcpListener,
        process::{Command, Stdio},
        thread::sleep,
        time::Duration,
    };

    use super::Senders;

    #[test]
    fn the_sender_of_a_connection_is_found_until_it_ends() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let server = listener.local_addr().expect("an address");
        let script = format!(
            "exec 9<>/dev/tcp/127.0.0.1/{}; echo open; read line",
            server.port()
        );
        let mut client = Command::new("bash")
            .args(["-c", &script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("bash runs");
        let (_stream, peer) = listener.accept().expect("a connection");
        let mut line = String::new();
        let stdout = client.stdout.take().expect("a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("a line");

        let senders = Senders::of(peer, server).expect("it is found");
        let was_running = senders.are_running();
        drop(client.stdin.take());
        while senders.are_running() {
            sleep(Duration::from_millis(1));
        }

        assert!(was_running);
        client.wait().expect("it ended");
        assert!(Senders::of(peer, server).is_none());
    }
}
