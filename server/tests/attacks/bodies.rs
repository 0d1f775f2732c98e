//! Bodies: chunks that cannot be read, break off or never end.

use std::io::Write;
use std::net::Shutdown;

use wire::BodyState;

use crate::attacked::{Attacked, ENDLESS, connect, responses, sends_without_end};

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

/// Holds hyper's reading of chunks with its bounds for what is no data, and the bound of
/// this service on a body.
#[test]
fn chunks_have_one_meaning_or_are_refused() {
    let attacked = Attacked::new();
    let (end, most) = ("\r\n{}\r\n0\r\n\r\n", 70_000);
    let extended = |length: usize| format!("2;{}{end}", "x".repeat(length));
    let trailed = |count: usize| format!("2\r\n{{}}\r\n0\r\n{}\r\n", "x: y\r\n".repeat(count));
    // A trailer replaces no header.
    let replacing = "2\r\n{}\r\n0\r\nidempotency-key: other\r\ncontent-length: 9\r\n\r\n";
    let refused = &["400 incomplete_body"][..];
    let created = &["201", "204"][..];

    for (chunks, expected) in [
        (format!("2{end}"), created),
        (format!("{}2{end}", "0".repeat(100)), created),
        (extended(100), created),
        (trailed(10), created),
        (replacing.to_owned(), created),
        (format!("10000000000000000{end}"), refused),
        (format!("-2{end}"), refused),
        (format!("+2{end}"), refused),
        (format!("0x2{end}"), refused),
        (format!("2 2{end}"), refused),
        (format!("two{end}"), refused),
        (end.to_owned(), refused),
        ("2\n{}\n0\n\n".to_owned(), refused),
        (format!("2;x\n{end}"), refused),
        ("2\r\n{}{}\r\n0\r\n\r\n".to_owned(), refused),
        ("3\r\n{}\r\n0\r\n\r\n".to_owned(), refused),
        ("2\r\n{}\r\n0\r\nno trailer\r\n\r\n".to_owned(), refused),
        (extended(20_000), refused),
        (trailed(200), refused),
        ("1;x=y\r\n \r\n".repeat(most), refused),
        ("1\r\n \r\n".repeat(most), &["413 payload_too_large"]),
    ] {
        let came = attacked.responds(chunked(&chunks));

        let begin: String = chunks.chars().take(60).collect();
        assert_eq!(came, expected, "{begin:?}");
    }
    attacked.stop();
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

/// Holds the rule that a body which broke off does not count.
#[test]
fn chunks_that_break_off_submit_nothing() {
    let attacked = Attacked::new();
    let whole = chunked("2\r\n{}\r\n0\r\n\r\n");
    let head = chunked("").len();

    for cut in head..whole.len() {
        let attacker = connect(attacked.address());
        (&attacker).write_all(&whole.as_bytes()[..cut]).unwrap();
        attacker.shutdown(Shutdown::Write).unwrap();
        attacked.serves_others();

        let came = responses(&attacker);
        assert_eq!(came, ["400 incomplete_body"], "after {cut} bytes");
    }
    let ledger = attacked.stop();
    let mut submissions = ledger.entries.iter().filter(|entry| entry.route == "/jobs");
    assert!(submissions.all(|entry| entry.body_state == BodyState::Broken && entry.job.is_none()));
}
