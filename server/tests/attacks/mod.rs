//! A service under attack, and those who use it meanwhile.

mod bodies;
#[cfg(target_os = "linux")]
mod floods;
mod heads;
mod slow;

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};

use host::{ConnectionBounds, Drained, RunningService, ServiceConfig};
use server::TeachingApi;
use testkit::http::{Response, connect, get, next_response, patient};
use tokio::net::TcpSocket;
use tokio::runtime::{self, Runtime};
use wire::WireRecord;

/// The next request of an honest client. It gets its 204 only where the service takes
/// what came before for a whole request, and reads on.
pub(crate) const NEXT: &str =
    "GET /no-content HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";

/// The most that an attacker sends who never comes to an end. A service that takes it
/// all has no bound.
pub(crate) const ENDLESS: usize = 64 * 1024 * 1024;

/// A service that is attacked.
pub(crate) struct Attacked {
    service: RunningService,
    /// Connected before the attack.
    bystander: TcpStream,
}

impl Attacked {
    pub(crate) fn new() -> Self {
        Self::bounded(ConnectionBounds::default())
    }

    pub(crate) fn bounded(bounds: ConnectionBounds) -> Self {
        let config = ServiceConfig {
            connection_bounds: bounds,
            ..ServiceConfig::default()
        };
        let service = TeachingApi::start(config).unwrap();
        let bystander = connect(service.local_addr());
        let attacked = Self { service, bystander };
        attacked.serves_others();
        attacked
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.service.local_addr()
    }

    /// Serves a client that was there before, and one that has just come.
    pub(crate) fn serves_others(&self) {
        serves(&self.bystander);
        serves(&connect(self.address()));
    }

    /// Sends an attack and then [`NEXT`], on one connection. Returns the responses until
    /// it is closed.
    pub(crate) fn responds(&self, attack: impl AsRef<[u8]>) -> Vec<String> {
        let attacker = connect(self.address());
        // It fails where the service has closed before the end of the attack.
        drop((&attacker).write_all(&[attack.as_ref(), NEXT.as_bytes()].concat()));
        serves(&self.bystander);
        responses(&attacker)
    }

    /// Stops the service, which must have nothing left to cut off, and returns its
    /// ledger.
    pub(crate) fn stop(self) -> WireRecord {
        self.serves_others();
        let ledger = self.service.ledger_handle();
        let stopped = runtime().block_on(self.service.stop());
        assert_eq!(stopped, Ok(Drained { cut_off: 0 }));
        ledger.snapshot()
    }
}

/// A connection that is soon full of responses which nobody reads.
pub(crate) fn connect_narrowly(address: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let connecting = async { socket.connect(address).await.unwrap().into_std() };
    let stream = runtime().block_on(connecting).unwrap();
    stream.set_nonblocking(false).unwrap();
    patient(&stream);
    stream
}

/// Asks for what the service has, and gets it.
pub(crate) fn serves(client: &TcpStream) {
    assert_eq!(get(client, "/items").status, 200);
}

/// Sends `part` again and again, until the service has closed. Returns how many bytes
/// it took.
pub(crate) fn sends_without_end(mut stream: &TcpStream, part: &[u8]) -> usize {
    let mut sent = 0;
    while sent < ENDLESS {
        match stream.write(part) {
            Ok(bytes) => sent += bytes,
            Err(error) => {
                assert!(!is_timeout(&error), "the service neither reads nor closes");
                break;
            }
        }
    }
    sent
}

/// The responses until the connection is closed: the status of each, and the code of
/// its problem.
pub(crate) fn responses(mut stream: &TcpStream) -> Vec<String> {
    let mut came = Vec::new();
    // Where a close overtakes what was sent to the service, the end is a reset on some
    // systems. What came before counts.
    if let Err(error) = stream.read_to_end(&mut came) {
        assert!(!is_timeout(&error), "neither a response nor a close");
    }
    let mut rest = &*came;
    let mut responses = Vec::new();
    while !rest.is_empty() {
        let Response { status, body, .. } = next_response(&mut rest);
        let code = body.split_once("\"code\":\"");
        let code = code.and_then(|(_, code)| code.split_once('"'));
        let code = code.map_or(String::new(), |(code, _)| format!(" {code}"));
        responses.push(format!("{status}{code}"));
    }
    responses
}

fn runtime() -> Runtime {
    let mut runtime = runtime::Builder::new_current_thread();
    runtime.enable_io().build().unwrap()
}

fn is_timeout(error: &std::io::Error) -> bool {
    // Which of the two it is depends on the system.
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}
