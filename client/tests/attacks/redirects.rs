//! Redirects: in circles, to other hosts, with credentials, and to nowhere.

use client::{IdempotencyKey, JsonObject};

use super::SOUND;
use crate::bench::http_error;
use crate::support::{
    session,
    wire::{Then, Wire},
};

/// Holds the rule that no session follows a redirect.
#[tokio::test]
async fn a_redirect_leads_nowhere_whatever_it_says() {
    let victim = Wire::serve(&[(SOUND, Then::Again)]).await;
    let elsewhere = victim.base_url();
    let with_credentials = elsewhere.replace("//", "//user:SECRET@");
    let long = format!("{elsewhere}/{}", "SECRET".repeat(20_000));
    for location in [
        "/flaky",
        "",
        "//",
        &*elsewhere,
        elsewhere.trim_start_matches("http:"),
        &with_credentials,
        &long,
        "http://[::1",
        "file:///SECRET",
        "\u{e9}",
        &format!("{elsewhere}\r\nlocation: /flaky"),
    ] {
        for (status, given) in [301, 302, 303, 307, 308]
            .map(|status| [(status, false), (status, true)])
            .concat()
        {
            let attack = format!(
                "HTTP/1.1 {status} \r\nlocation: {location}\r\nrefresh: 0;url={elsewhere}\r\n\
                 content-length: 0\r\n\r\n"
            );
            let wire = Wire::serve(&[(&attack, Then::Again)]).await;
            // A session of the caller's would follow by default.
            let client = wire.client(|builder| {
                if given {
                    builder.session(session())
                } else {
                    builder
                }
            });
            let key = IdempotencyKey::new("order-4711").expect("a key");

            let called = http_error(client.flaky().await);
            let created = http_error(client.create_job(&key, &JsonObject::new()).await);
            let redirect = client.redirect().await.expect("a redirect");

            let begin: String = location.chars().take(40).collect();
            for found in [called.status, created.status, redirect.status] {
                assert_eq!(found, status, "{begin}");
            }
            assert_eq!(wire.requests().len(), 3, "{begin}");
            let shown = format!("{called} {called:?} {created:?} {redirect:?}");
            assert!(!shown.contains("SECRET"), "{shown}");
        }
    }
    assert_eq!(victim.requests(), [""; 0]);
}
