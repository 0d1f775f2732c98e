//! Heads: their bound, and methods that HTTP does not define.

use testkit::http::connect;

use crate::attacks::{Attacked, responses, sends_without_end};

const GET: &str = "GET /items HTTP/1.1\r\nhost: localhost\r\n";

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

/// Holds the one name in the ledger of all methods that HTTP does not define.
#[test]
fn an_unknown_method_leads_to_a_clear_response_and_no_name() {
    let attacked = Attacked::new();
    let ask = |method: &str, target: &str| {
        attacked.responds(format!(
            "{method} {target} HTTP/1.1\r\nhost: localhost\r\n\r\n"
        ))
    };

    let long = "A".repeat(100_000);
    for method in ["TRACE", "BREW", "get", "PRI", "!#$%&'*+-.^_|~", &long] {
        let came = ask(method, "/items");

        assert_eq!(came, ["405 method_not_allowed", "204"], "{method}");
    }
    let no_tunnel = ask("CONNECT", "localhost:80");
    assert_eq!(no_tunnel, ["404 not_found", "204"]);
    let ledger = attacked.stop();
    let mut names: Vec<_> = ledger.entries.iter().map(|entry| entry.method).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names, ["CONNECT", "GET", "TRACE", "_OTHER"]);
}
