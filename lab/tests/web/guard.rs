//! Requests from strangers. The rules are tested in their own module; these tests check
//! that they apply on every path.

use http::{Method, StatusCode};
use serde_json::json;

use crate::web::support::serve;

const PATHS: [&str; 12] = [
    "/",
    "/grade",
    "/storm",
    "/runs/abcdefgh",
    "/assets/app.js",
    "/api/scenarios",
    "/api/runs",
    "/api/card",
    "/api/storms",
    "/api/wire",
    "/api/events",
    "/nowhere",
];

#[tokio::test]
async fn other_sites_cannot_change_state() {
    let (_dashboard, browser) = serve().await;

    for (method, path, body) in [
        (Method::POST, "/api/runs", r#"{"scenario":"flaky"}"#),
        (Method::DELETE, "/api/runs/abcdefgh", ""),
        (Method::POST, "/api/storms", r#"{"story":"spike"}"#),
        (Method::DELETE, "/api/storms/abcdefgh", ""),
        (Method::POST, "/api/card", ""),
        (Method::DELETE, "/api/card", ""),
        (Method::POST, "/api/card/tasks/flaky/cases/0/again", ""),
    ] {
        let headers = [
            ("content-type", "application/json"),
            ("sec-fetch-site", "cross-site"),
        ];
        let response = browser.send(method, path, &headers, body).await;

        assert_eq!(response.status, StatusCode::FORBIDDEN, "{path}");
        assert_eq!(response.code(), "cross_origin");
    }
    assert_eq!(browser.get("/api/runs").await.json(), json!([]));
    assert_eq!(
        browser.get("/api/card").await.json()["id"],
        json!(null),
        "a card is open"
    );
}

#[tokio::test]
async fn every_response_says_what_the_page_may_load_and_who_may_load_it() {
    let (_dashboard, browser) = serve().await;

    for path in PATHS {
        let host = [("host", "evil.example")];
        let foreign = browser.send(Method::GET, path, &host, "").await;
        assert_eq!(foreign.status, StatusCode::MISDIRECTED_REQUEST, "{path}");
        assert_eq!(foreign.code(), "host_not_allowed");
        let head = browser.send(Method::HEAD, path, &[], "").await;
        let delete = browser.send(Method::DELETE, path, &[], "").await;

        for (name, value) in [
            (
                "content-security-policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            ),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            for response in [&foreign, &head, &delete] {
                assert_eq!(response.headers[name], value, "{} {path}", response.status);
            }
        }
    }
}
