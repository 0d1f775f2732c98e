//! Clients that take their time, over real sockets. How long each of them is borne is
//! tested in virtual time beside the accept loop; here it is short.

use std::io::Write;
use std::net::TcpStream;
use std::num::NonZeroUsize;
use std::thread;
use std::time::Duration;

use host::ConnectionBounds;
use testkit::http::connect;

use crate::attacks::{Attacked, serves};

const SHORT: Duration = Duration::from_millis(200);

/// How many connections there may be.
const PLACES: usize = 40;

/// More attackers than places, and fewer than twice as many: those that wait for a place
/// get one together with a newcomer.
const ATTACKERS: usize = 60;

fn attacked() -> Attacked {
    Attacked::bounded(ConnectionBounds {
        head: SHORT,
        body: SHORT,
        idle: SHORT,
        connections: NonZeroUsize::new(PLACES).unwrap(),
        ..ConnectionBounds::default()
    })
}

/// Does something again and again in the background, until the service has closed.
fn keep_at(stream: &TcpStream, act: impl Fn(&TcpStream) -> bool + Send + 'static) {
    let stream = stream.try_clone().unwrap();
    thread::spawn(move || {
        while act(&stream) {
            thread::sleep(SHORT / 20);
        }
    });
}

/// Holds the bounds of silence, of a head and of a body, however it drips.
#[test]
fn silent_and_dripping_clients_delay_a_newcomer_by_no_more_than_the_bounds() {
    let head = "GET /items HTT";
    let body = "POST /jobs HTTP/1.1\r\nhost: localhost\r\ncontent-length: 60000\r\n\
                content-type: application/json\r\nidempotency-key: k\r\n\r\n{";
    for (said, drips) in [("", false), (head, false), (body, true)] {
        let attacked = attacked();

        let attackers = [(); ATTACKERS].map(|()| connect(attacked.address()));
        for mut attacker in &attackers {
            drop(attacker.write_all(said.as_bytes()));
            if drips {
                keep_at(attacker, |mut stream| stream.write_all(b"1").is_ok());
            }
        }

        // The patience of a test is far less than a default bound.
        serves(&connect(attacked.address()));
    }
}
