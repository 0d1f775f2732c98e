//! Heads: floods of headers, lengths that lie, and bytes that are not HTTP/1.

use crate::attacked::{Attacked, connect, responses, sends_without_end};

const POST: &str = "POST /jobs HTTP/1.1\r\nhost: localhost\r\n\
                    content-type: application/json\r\nidempotency-key: k\r\n";

const GET: &str = "GET /items HTTP/1.1\r\nhost: localhost\r\n";

const REFUSED: &[&str] = &["400"];

/// Holds the bound on the length of a head, and hyper's on the number of its headers.
#[test]
fn a_head_is_bounded() {
    let attacked = Attacked::new();
    let headers = |count| "x: 1\r\n".repeat(count);
    let one_header = |length| format!("x: {}\r\n", "1".repeat(length));
    let room = 128 * 1024 - GET.len() - "x: \r\n\r\n".len();

    for (headers, expected) in [
        (headers(99), &["200", "204"][..]),
        (headers(100), &["431"]),
        (headers(100_000), &["431"]),
        (one_header(room), &["200", "204"]),
        (one_header(room + 1), &["431"]),
        (one_header(2_000_000), &["431"]),
    ] {
        let head = format!("{GET}{headers}\r\n");

        assert_eq!(attacked.responds(&head), expected, "{} bytes", head.len());
    }
    let method = "A".repeat(200 * 1024);
    let path = "a".repeat(70_000);
    assert_eq!(attacked.responds(method), ["431"]);
    let long = format!("GET /{path} HTTP/1.1\r\n\r\n");
    assert_eq!(attacked.responds(long), ["414"]);

    for part in ["x: 1\r\n", "\r\n", "x", "\0x"] {
        let attacker = connect(attacked.address());
        let begin = if part == "x: 1\r\n" { GET } else { "" };
        let whole = begin.to_owned() + &part.repeat(1000);
        sends_without_end(&attacker, whole.as_bytes());
        attacked.serves_others();

        let came = responses(&attacker);
        assert!(came == ["431"] || came == ["400"], "{part:?}: {came:?}");
    }
    attacked.stop();
}

/// Holds hyper's rules for the length of a body (RFC 9112 §6): one that has no single
/// meaning is refused, and what follows a body is read once.
#[test]
fn a_length_has_one_meaning_or_is_refused() {
    let attacked = Attacked::new();
    let smuggled = "GET /flaky HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let with = |headers: &str, rest: &str| format!("{POST}{headers}\r\n{rest}");
    let sized = |length: &str| with(&format!("content-length: {length}\r\n"), "{}");
    let coded = |coding: &str| {
        let chunked = "2\r\n{}\r\n0\r\n\r\n";
        with(&format!("transfer-encoding: {coding}\r\n"), chunked)
    };

    let lengths = "-2|+2|0x2|2.0|2e0|2 2|2, 2|2, 3||two|2;|\u{662}|18446744073709551616";
    for length in lengths.split('|') {
        assert_eq!(attacked.responds(sized(length)), REFUSED, "{length:?}");
    }
    let codings = "|identity|gzip|chunked, gzip|xchunked|chun ked|\u{b}chunked|\"chunked\"";
    for coding in codings.split('|') {
        assert_eq!(attacked.responds(coded(coding)), REFUSED, "{coding:?}");
    }
    let (two, three) = ("content-length: 2\r\n", "content-length: 3\r\n");
    let chunked = "transfer-encoding: chunked\r\n";
    let both = |headers: [&str; 2], rest: &str| with(&headers.concat(), rest);
    let followed = format!("2\r\n{{}}\r\n0\r\n\r\n{smuggled}");
    let too_long = format!("{GET}content-length: {}\r\n\r\n{smuggled}", smuggled.len());
    let spaced = coded("chunked").replace("encoding:", "encoding :");
    for (attack, expected) in [
        // The largest number there is, and no body can have.
        (sized("18446744073709551615"), &["431"][..]),
        (both([two, three], "{} "), REFUSED),
        (both([three, two], "{} "), REFUSED),
        (both([two, two], "{}"), &["201", "204"]),
        // The coding wins, and the connection ends with the response.
        (both([two, chunked], &followed), &["201"]),
        (both([chunked, two], &followed), &["201"]),
        (spaced, REFUSED),
        (coded("chunked").replace("HTTP/1.1", "HTTP/1.0"), REFUSED),
        // Too short: the rest stands where a request has to stand.
        (with(two, "{}{}"), &["201", "400"]),
        // Too long: the next request is part of a body that is read by nobody.
        (too_long, &["200", "204"]),
    ] {
        assert_eq!(attacked.responds(&attack), expected, "{attack}");
    }

    let ledger = attacked.stop();
    assert!(!ledger.routes.contains_key("/flaky"), "it was smuggled in");
}

/// Holds hyper's reading of a request line and of headers.
#[test]
fn what_is_no_http_1_is_refused() {
    let attacked = Attacked::new();
    let hello = b"\x16\x03\x01\x00\x2f\x01\x00\x00\x2b\x03\x03";
    let line = |line: &str| format!("{line}\r\nhost: localhost\r\n\r\n").into_bytes();
    let header = |header: &str| format!("{GET}{header}\r\n\r\n").into_bytes();

    for attack in [
        [&hello[..], &[7; 36]].concat(),
        vec![0; 1000],
        vec![0xff; 1000],
        b"GET /items\r\n\r\n".to_vec(),
        b"GET /items\r\n".to_vec(),
        line("GET /items HTTP/0.9"),
        line("GET /items HTTP/1.2"),
        line("GET /items HTTP/2.0"),
        line("GET /items HTTP/11"),
        line("GET /items http/1.1"),
        line("GET /items HTTPS/1.1"),
        line("GET /items HTTP/1.1 x"),
        line("GET\0/items HTTP/1.1"),
        line("GE\0T /items HTTP/1.1"),
        line("\"GET\" /items HTTP/1.1"),
        line(" GET /items HTTP/1.1"),
        header("x: a\0b"),
        header("x\0: b"),
        header("x: a\rb"),
        header("x: a\r\n b"),
        header(" x: a"),
        header("x : a"),
        header(": a"),
        header("x"),
        b"GET /items HTTP/1.1\rhost: localhost\r\r".to_vec(),
    ] {
        let came = attacked.responds(&attack);

        assert_eq!(came, REFUSED, "{}", attack.escape_ascii());
    }
    // A client that speaks HTTP/2 alone understands no response in HTTP/1.
    let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    assert_eq!(attacked.responds(preface), [""; 0]);
    // RFC 9112 §2.2 lets a recipient take a bare LF for the end of a line.
    let bare = "GET /items HTTP/1.1\nhost: localhost\n\n";
    assert_eq!(attacked.responds(bare), ["200", "204"]);
    attacked.stop();
}
