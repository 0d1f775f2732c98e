//! Bodies that never end.

use std::io::Write;

use testkit::http::connect;

use crate::attacks::{Attacked, ENDLESS, responses, sends_without_end};

/// The head of a submission that goes on with `rest`.
fn submission(rest: &str) -> String {
    format!(
        "POST /jobs HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         idempotency-key: k\r\n{rest}"
    )
}

fn chunked(chunks: &str) -> String {
    submission(&format!("transfer-encoding: chunked\r\n\r\n{chunks}"))
}

/// Holds the bound on a body, and that on what is thrown away of the rest of one.
#[test]
fn a_body_without_an_end_is_not_read_without_an_end() {
    let attacked = Attacked::new();
    let chunk = format!("8000\r\n{}\r\n", "x".repeat(0x8000));
    let sized = submission(&format!("content-length: {}\r\n\r\n", u32::MAX));
    // Its handler reads no body.
    let unread = sized.replace("POST /jobs", "GET /items");
    let (trailed, trailers) = (chunked("2\r\n{}\r\n0\r\n"), "x: y\r\n".repeat(1000));
    let (too_large, incomplete) = ("413 payload_too_large", "400 incomplete_body");

    for (begin, part, expected) in [
        (chunked(""), chunk, too_large),
        (sized, "x".repeat(0x8000), too_large),
        (trailed, trailers, incomplete),
        (chunked("2"), ";x=y".repeat(1000), incomplete),
        (unread, "x".repeat(0x8000), "200"),
    ] {
        let attacker = connect(attacked.address());
        (&attacker).write_all(begin.as_bytes()).unwrap();

        let taken = sends_without_end(&attacker, part.as_bytes());
        attacked.serves_others();

        assert!(taken < ENDLESS, "{expected}: the service took it all");
        assert_eq!(responses(&attacker), [expected]);
    }
    attacked.stop();
}
