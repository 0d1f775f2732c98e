//! Bodies: floods, and what is read out of them.

use super::{SOUND, client, meet};
use crate::bench::http_error;
use crate::support::wire::{Then, Wire};

const JSON: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";

/// Holds the cap on a body, and hyper's bounds for what in chunks is no data.
#[tokio::test]
async fn a_body_without_an_end_is_not_read_without_an_end() {
    let chunked = format!("{JSON}transfer-encoding: chunked\r\n\r\n");
    let (too_large, protocol) = ("body_too_large", "protocol");

    for (attack, part, expected) in [
        (format!("{JSON}\r\n"), "x", too_large),
        (chunked.clone(), "1\r\nx\r\n", too_large),
        (format!("{chunked}ffffffffffffffff\r\n"), "x", too_large),
        (format!("{chunked}1;"), "x", protocol),
        (chunked.clone(), "1;x=yyyyy\r\nx\r\n", protocol),
        (format!("{chunked}1\r\nx\r\n0\r\n"), "x: y\r\n", protocol),
        (
            "HTTP/1.1 404 \r\ncontent-type: application/json\r\n\r\n{\"code\":\"".to_owned(),
            "x",
            "404",
        ),
    ] {
        let outcome = meet(&attack, Then::Flood(part)).await;

        assert_eq!(outcome, expected, "{attack}{part}");
    }
}

/// Holds the read timeout, where a body makes no progress however much comes.
#[tokio::test]
async fn a_chunk_whose_size_has_no_end_comes_to_an_end() {
    let attack = format!("{JSON}transfer-encoding: chunked\r\n\r\n");

    let outcome = meet(&attack, Then::Drip("0")).await;

    assert_eq!(outcome, "read_timeout");
}

/// Holds the reading of a number as the type that is promised, and of a member that
/// comes twice.
#[tokio::test]
async fn a_member_has_one_meaning_or_is_refused() {
    for (body, expected) in [
        (
            r#"{"attempt":18446744073709551615}"#,
            "18446744073709551615",
        ),
        (r#"{"attempt":18446744073709551616}"#, "wrong_type"),
        (r#"{"attempt":1e999999999999999999999}"#, "wrong_type"),
        (r#"{"attempt":-1}"#, "wrong_type"),
        (r#"{"attempt":3.0}"#, "wrong_type"),
        (r#"{"attempt":3,"attempt":3}"#, "repeated_field"),
        (r#"{"attempt":3,"\u0061ttempt":6}"#, "repeated_field"),
    ] {
        let attack = format!("{JSON}connection: close\r\n\r\n{body}");

        let outcome = meet(&attack, Then::Close).await;

        assert_eq!(outcome, expected, "{body}");
    }
}

/// Holds the reading of a problem without recursion, and the bounds on what is kept of
/// it.
#[tokio::test]
async fn a_monstrous_problem_keeps_its_status_and_its_code() {
    const DEPTH: usize = 30_000;
    let deep = format!("{}{}", "[".repeat(DEPTH), "]".repeat(DEPTH));
    let long = "x".repeat(60_000);
    let many: String = (0..4000)
        .map(|number| format!("\"{number}\":1e999,"))
        .collect();
    for (problem, code) in [
        (format!(r#"{{"code":"c","x":{deep}}}"#), Some("c")),
        (format!(r#"{{"x":{deep},"code":"c"}}"#), Some("c")),
        (format!(r#"{{{many}"code":"c"}}"#), Some("c")),
        (format!(r#"{{"{long}":1,"code":"c"}}"#), Some("c")),
        (format!(r#"{{"code":"{long}"}}"#), None),
        (format!(r#"{{"code":{deep}}}"#), None),
    ] {
        let attack = format!(
            "HTTP/1.1 409 \r\ncontent-type: application/problem+json\r\n\
             x-request-id: r-1\r\ncontent-length: {}\r\n\r\n{problem}",
            problem.len()
        );
        let wire = Wire::serve(&[(&attack, Then::Close), (SOUND, Then::Again)]).await;
        let client = client(&wire);

        let error = http_error(client.flaky().await);

        let begin = &problem[..20];
        assert_eq!(error.status, 409, "{begin}");
        assert_eq!(error.code(), code, "{begin}");
        assert_eq!(error.request_id(), Some("r-1"), "{begin}");
        assert_eq!(error.incomplete_body, None, "{begin}");
        assert!(error.to_string().len() < 1000, "{error}");
        assert_eq!(client.flaky().await.expect("a sound response").attempt, 3);
    }
}
