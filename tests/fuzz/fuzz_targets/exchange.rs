//! A recorded exchange keeps nothing of what its request carried, even if a route sends it
//! back: first a line that is sent as a credential, then the body of the response, in
//! which `@` stands for the credential.

#![cfg_attr(fuzzing, no_main)]

use axum::{Router, routing};
use fuzz::{line, target};
use http::HeaderValue;
use tests::{get, serve};

target!(exchange);

fn exchange(data: &[u8]) {
    let (secret, echo) = line(data);
    let Ok(secret) = str::from_utf8(secret) else {
        return;
    };
    // What stands instead of a secret has parentheses.
    let is_secret = secret.len() >= 4 && secret.is_ascii() && !secret.contains([' ', '(', ')']);
    let Some(value) = HeaderValue::from_str(secret).ok().filter(|_| is_secret) else {
        return;
    };
    let echo = String::from_utf8_lossy(echo).replace(['(', ')'], "");
    let echo = echo.replace(secret, "").replace('@', secret);
    let routes = Router::new().route("/echo", routing::get(async || echo));
    let mut request = get("/echo");
    request.headers_mut().insert("authorization", value);

    let (_, ledger) = serve(routes, |config| config.record_exchanges(true), [request]);

    let exchanges = ledger.exchanges();
    let body = &exchanges[0].response.as_ref().expect("a response").body;
    assert!(!body.text.contains(secret), "{}", body.text);
    assert!(body.text.len() <= host::MAX_RECORDED_BODY && body.cursors.is_sorted());
    let mut places = body.cursors.iter();
    assert!(places.all(|place| body.text.is_char_boundary(*place)));
}
