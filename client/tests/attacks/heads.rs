//! Heads: floods, bytes that are not HTTP/1, provisional responses without an end.

use super::{SOUND, meet};
use crate::support::wire::Then;

const PROTOCOL: &str = "protocol";

/// Holds hyper's bounds on the number of headers and on the length of a head.
#[tokio::test]
async fn a_head_is_bounded() {
    let with = |headers: &str| SOUND.replacen("\r\n", &format!("\r\n{headers}"), 1);
    let one_header = |length| with(&format!("x: {}\r\n", "1".repeat(length)));

    for (attack, expected) in [
        (with(&"x: 1\r\n".repeat(98)), "3"),
        (with(&"x: 1\r\n".repeat(99)), PROTOCOL),
        (with(&"x: 1\r\n".repeat(10_000)), PROTOCOL),
        (one_header(300_000), "3"),
        (one_header(1_500_000), PROTOCOL),
        (one_header(5_000_000), PROTOCOL),
        (SOUND.replacen("OK", &"O".repeat(1_500_000), 1), PROTOCOL),
    ] {
        let outcome = meet(&attack, Then::Again).await;

        assert_eq!(outcome, expected, "{} bytes", attack.len());
    }

    for (begin, part) in [
        ("HTTP/1.1 200 OK\r\n", "x: 1\r\n"),
        ("HTTP/1.1 200 OK\r\nx: ", "1"),
        ("HTTP/1.1 200 ", "OK"),
        ("", "\r\n"),
        ("", "\0"),
    ] {
        let outcome = meet(begin, Then::Flood(part)).await;

        assert_eq!(outcome, PROTOCOL, "{part:?}");
    }
}

/// Holds the read timeout, which is one for the whole head, whatever comes of it.
#[tokio::test]
async fn a_head_that_drips_comes_to_an_end() {
    let provisional = "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n";
    for (begin, part) in [
        ("", "\r\n"),
        ("HTTP/1.1 200 OK\r\nx: ", "1"),
        ("", provisional),
        (provisional, "HTTP/1.1 100 Continue\r\n\r\n"),
    ] {
        let outcome = meet(begin, Then::Drip(part)).await;

        assert_eq!(outcome, "read_timeout", "{part:?}");
    }
}

/// Holds hyper's rule that a provisional response is none, however many of them come,
/// and that an upgrade which was not asked for is an error.
#[tokio::test]
async fn provisional_responses_are_no_responses() {
    let provisional = "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\ncontent-length: 9\r\n\r\n";

    for (attack, expected) in [
        (provisional.repeat(500) + SOUND, "3"),
        ("HTTP/1.1 100 Continue\r\n\r\n".repeat(500) + SOUND, "3"),
        (SOUND.replacen("200", "199", 1), PROTOCOL),
        (SOUND.replacen("200", "101", 1), "101"),
    ] {
        let outcome = meet(&attack, Then::Again).await;

        assert_eq!(outcome, expected, "{}", &attack[..20]);
    }
}

/// Holds hyper's reading of a status line and of headers.
#[tokio::test]
async fn what_is_no_http_1_is_refused() {
    for line in [
        "HTTP/1.1 000 OK",
        "HTTP/1.1 099 OK",
        "HTTP/1.1 20 OK",
        "HTTP/1.1 2000 OK",
        "HTTP/1.1 2e2 OK",
        "HTTP/1.1 -200 OK",
        "HTTP/1.1 +200 OK",
        "HTTP/1.1 two OK",
        "HTTP/1.1  200 OK",
        "HTTP/1.1200 OK",
        "HTTP/1.1",
        "HTTP/0.9 200 OK",
        "HTTP/1.2 200 OK",
        "HTTP/2.0 200 OK",
        "HTTP/2 200",
        "http/1.1 200 OK",
        "ICY 200 OK",
        "GET / HTTP/1.1",
        "SSH-2.0-OpenSSH_9.9",
        "\u{15}\u{3}\u{1}\0\u{2}\u{2}\u{28}",
        "{\"attempt\":6}",
        "HTTP/1.1 200 OK\r\nx: a\0b",
        "HTTP/1.1 200 OK\r\nx\0: a",
        "HTTP/1.1 200 OK\r\nx: a\rb",
        "HTTP/1.1 200 OK\r\nx: a\r\n b",
        "HTTP/1.1 200 OK\r\nx : a",
        "HTTP/1.1 200 OK\r\n: a",
        "HTTP/1.1 200 OK\r\nx",
    ] {
        let attack = SOUND.replacen("HTTP/1.1 200 OK", line, 1);

        let outcome = meet(&attack, Then::Stall).await;

        assert_eq!(outcome, PROTOCOL, "{line:?}");
    }
    // No status of HTTP, and so no success; its first digit is none of the five.
    for status in ["600", "999"] {
        let outcome = meet(&SOUND.replacen("200", status, 1), Then::Close).await;

        assert_eq!(outcome, status);
    }
}
