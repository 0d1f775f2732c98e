//! What client and service both read of a header, they read alike: first a line for the
//! media type, then one for the idempotency key.

#![cfg_attr(fuzzing, no_main)]

use client::IdempotencyKey;
use fuzz::{line, target};
use http::{HeaderValue, Response, StatusCode};
use tests::{client, job, respond, says, wait};

target!(headers);

fn headers(data: &[u8]) {
    let (media_type, key) = line(data);
    let parts = (
        HeaderValue::from_bytes(media_type),
        HeaderValue::from_bytes(key),
    );
    let (Ok(media_type), Ok(value)) = parts else {
        return;
    };
    let reply = Response::builder().header("content-type", &media_type);
    says(reply.body(b"{}".to_vec()).expect("a response"));

    let is_json = wait(client().bad_json()).is_ok();
    let key = str::from_utf8(key).ok().map(IdempotencyKey::new);
    let (served, _) = respond([job(&media_type, &value, b"{}")]);

    let is_key = key.is_some_and(|key| key.is_ok());
    let expected = match (is_json, is_key) {
        (true, true) => [StatusCode::CREATED; 2],
        (false, true) => [StatusCode::UNSUPPORTED_MEDIA_TYPE; 2],
        (true, false) => [StatusCode::BAD_REQUEST; 2],
        (false, false) => [StatusCode::UNSUPPORTED_MEDIA_TYPE, StatusCode::BAD_REQUEST],
    };
    let status = served[0].status();
    assert!(expected.contains(&status), "{status}");
}
