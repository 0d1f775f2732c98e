//! Heads without an end.

use super::meet;
use crate::support::wire::Then;

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
