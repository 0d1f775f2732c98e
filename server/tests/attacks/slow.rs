//! Clients that take their time, over real sockets. How long each of them is borne is
//! tested in virtual time beside the accept loop; here it is short.

use std::io::Write;
use std::net::TcpStream;
use std::num::NonZeroUsize;
use std::thread;
use std::time::Duration;

use host::accept::ConnectionBounds;

use crate::attacked::{Attacked, connect, serves};

const SHORT: Duration = Duration::from_millis(100);
const LONG: Duration = Duration::from_secs(3600);

const SUBMIT: &str = "POST /jobs HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                      idempotency-key: k\r\n";

/// Bounds that no client of a test reaches.
const PATIENT: ConnectionBounds = ConnectionBounds {
    head: LONG,
    body: LONG,
    idle: LONG,
    stalled: LONG,
    connections: NonZeroUsize::new(512).unwrap(),
};

/// Sends one byte after another, until the service has closed.
fn drip(stream: &TcpStream) {
    let mut stream = stream.try_clone().unwrap();
    thread::spawn(move || {
        while stream.write_all(b"1").is_ok() {
            thread::sleep(SHORT / 20);
        }
    });
}

/// Holds the rule by which a body that is waited for makes way, however it drips.
#[test]
fn bodies_that_drip_keep_no_place_from_others() {
    const PLACES: usize = 4;
    let attacked = Attacked::bounded(ConnectionBounds {
        connections: NonZeroUsize::new(PLACES).unwrap(),
        ..PATIENT
    });
    let submission = format!("{SUBMIT}content-length: 60000\r\n\r\n{{");

    let attackers = [(); PLACES].map(|()| connect(attacked.address()));
    for attacker in &attackers {
        { attacker }.write_all(submission.as_bytes()).unwrap();
        drip(attacker);
    }
    // Each of these needs a position. The first is that of the client which was there before
    // all others, and is silent.
    for _ in 0..PLACES {
        serves(&connect(attacked.address()));
    }
}
