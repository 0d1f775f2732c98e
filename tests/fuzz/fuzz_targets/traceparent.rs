//! A trace id that is noted stands in the header where every version has it.

#![cfg_attr(fuzzing, no_main)]

use fuzz::target;
use http::HeaderValue;
use tests::{get, respond};

target!(traceparent);

fn traceparent(data: &[u8]) {
    let Ok(value) = HeaderValue::from_bytes(data) else {
        return;
    };
    let mut request = get("/no-content");
    request.headers_mut().insert("traceparent", value);

    let (_, ledger) = respond([request]);

    if let Some(id) = &ledger.snapshot().entries[0].trace_id {
        assert_eq!(data.get(3..35), Some(id.as_bytes()));
        let is_hex = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        assert!(id.bytes().all(is_hex), "{id}");
        assert!(data.len() == 55 || &data[..2] != b"00");
    }
}
