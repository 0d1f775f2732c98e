//! Whatever a service responds, every call comes to an end, and of what was sent only
//! identifiers are told: first a line for the status, then lines of headers, then the body.

#![cfg_attr(fuzzing, no_main)]

use std::{error::Error, fmt::Debug, iter};

use client::{ApiError, IdempotencyKey, JsonObject};
use fuzz::{line, target};
use http::{HeaderName, HeaderValue, Response};
use tests::{client, says, wait};

/// The headers that a client reads, each with the letter that names it.
const HEADERS: [(u8, &str); 6] = [
    (b'c', "content-type"),
    (b'r', "retry-after"),
    (b'l', "location"),
    (b'i', "x-request-id"),
    (b'd', "date"),
    (b'x', "x-other"),
];

target!(response);

fn response(data: &[u8]) {
    let (status, mut rest) = line(data);
    let status = str::from_utf8(status)
        .ok()
        .and_then(|text| text.parse::<u16>().ok());
    let mut reply = Response::builder().status(status.unwrap_or(200));
    loop {
        let (header, after) = line(rest);
        let Some((letter, value)) = header.split_first() else {
            rest = after;
            break;
        };
        let name = HEADERS.iter().find(|(known, _)| known == letter);
        let (Some((_, name)), Ok(value)) = (name, HeaderValue::from_bytes(value)) else {
            break;
        };
        reply = reply.header(HeaderName::from_static(name), value);
        rest = after;
    }
    let Ok(reply) = reply.body(rest.to_vec()) else {
        return;
    };
    says(reply);

    wait(async {
        let client = client();
        let key = IdempotencyKey::new("a-key").expect("a key");
        assert_printable(client.flaky().await);
        assert_printable(client.retry_later().await);
        assert_printable(client.no_content().await);
        assert_printable(client.redirect().await);
        assert_printable(client.create_job(&key, &JsonObject::new()).await);
        let mut pages = client.items().pages();
        while let Some(page) = pages.next_page().await {
            assert_printable(page);
        }
        let mut items = client.items().items();
        while let Some(item) = items.next_item().await {
            assert_printable(item);
        }
    });
}

/// Looks at all that can be printed of a result: it has no sign that would disturb a
/// terminal, and it is no novel.
fn assert_printable<T: Debug>(result: Result<T, ApiError>) {
    let said = match &result {
        Ok(value) => format!("{value:?}"),
        Err(error) => {
            let chain = iter::successors(Some(error as &dyn Error), |&it| it.source());
            chain.map(ToString::to_string).collect::<String>() + &format!("{error:?}")
        }
    };
    assert!(said.len() < 4096, "{} bytes", said.len());
    assert!(!said.contains(char::is_control), "{said:?}");
}
