//! Clients that take their time, over real sockets. How long each of them is borne is
//! tested in virtual time beside the accept loop; here it is short.

use std::io::Write;
use std::net::TcpStream;
use std::num::NonZeroUsize;
use std::thread;
use std::time::Duration;

use host::accept::ConnectionBounds;

use crate::attacked::{
    Attacked, ENDLESS, connect, connect_narrowly, responses, sends_without_end, serves,
};

const SHORT: Duration = Duration::from_millis(100);
const LONG: Duration = Duration::from_secs(3600);

const ASK: &str = "GET /items HTTP/1.1\r\nhost: localhost\r\n\r\n";
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

/// Holds the bounds on the time for a head and for a body, as they are configured.
#[test]
fn slow_heads_and_slow_bodies_come_to_an_end() {
    let attacked = Attacked::bounded(ConnectionBounds {
        head: SHORT,
        body: SHORT,
        ..PATIENT
    });
    let submission = |rest: &str| format!("{SUBMIT}{rest}");
    let nothing = &[""; 0][..];
    let timeout = &["408 body_timeout"][..];

    let attacks = [
        ("G".to_owned(), nothing),
        (ASK[..10].to_owned(), nothing),
        (ASK[..21].to_owned(), nothing),
        (submission("content-length: "), nothing),
        (submission("content-length: 100\r\n\r\n"), timeout),
        (submission("content-length: 60000\r\n\r\n{"), timeout),
        (submission("transfer-encoding: chunked\r\n\r\n2;"), timeout),
        (
            submission("transfer-encoding: chunked\r\n\r\nffff\r\n"),
            timeout,
        ),
        (
            submission("transfer-encoding: chunked\r\n\r\nfffffffffffffff\r\n{"),
            timeout,
        ),
    ];
    let attackers = attacks.each_ref().map(|(attack, _)| {
        [(); 2].map(|()| {
            let attacker = connect(attacked.address());
            (&attacker).write_all(attack.as_bytes()).unwrap();
            attacker
        })
    });
    for [_, drips] in &attackers {
        drip(drips);
    }
    attacked.serves_others();

    for ((attack, expected), [stalls, drips]) in attacks.iter().zip(&attackers) {
        assert_eq!(responses(stalls), *expected, "{attack:?} and then silence");
        assert_eq!(responses(drips), *expected, "{attack:?} and then drips");
    }
    drop(attackers);
    attacked.stop();
}

/// Holds the bound on silence before a request and between two, as it is configured.
#[test]
fn silence_comes_to_an_end() {
    let attacked = Attacked::bounded(ConnectionBounds {
        idle: SHORT,
        ..PATIENT
    });

    for (attack, expected) in [("", &[][..]), (ASK, &["200"])] {
        let attacker = connect(attacked.address());
        (&attacker).write_all(attack.as_bytes()).unwrap();

        assert_eq!(responses(&attacker), expected);
    }
}

/// Holds the bound on a client that takes nothing of its responses, as it is configured,
/// and that no response is made which nobody takes.
#[test]
fn thousands_of_requests_without_a_reader_come_to_an_end() {
    let attacked = Attacked::bounded(ConnectionBounds {
        stalled: SHORT,
        ..PATIENT
    });

    let attacker = connect_narrowly(attacked.address());
    // Its response is a long one, so that few of them fill what the system keeps.
    let request = ASK.replace("/items", "/metrics");

    let taken = sends_without_end(&attacker, request.repeat(1000).as_bytes());
    attacked.serves_others();

    assert!(taken > 1000 * request.len(), "{taken} bytes");
    assert!(taken < ENDLESS, "the service took it all");
    attacked.stop();
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
