//! A trace id that is noted stands in the header where every version has it.

#![cfg_attr(fuzzing, no_main)]

use axum::body::Body;
use fuzz::{respond, target};
use http::{HeaderValue, Request};

target!(traceparent);

fn traceparent(data: &[u8]) {
    let Ok(value) = HeaderValue::from_bytes(data) else {
        return;
    };
    let request = Request::get("/no-content").header("traceparent", value);
    let request = request.body(Body::empty()).expect("a request");
    let (_, ledger) = respond(|config| config, [request]);

    if let Some(id) = &ledger.snapshot().entries[0].trace_id {
        assert_eq!(data.get(3..35), Some(id.as_bytes()));
        assert!(
            id.bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        );
        assert!(data.len() == 55 || &data[..2] != b"00");
    }
}
