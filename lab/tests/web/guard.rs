//! Requests from strangers. The rules are tested in their own module; these tests check
//! that they apply on every path.

use http::{Method, StatusCode};
use serde_json::json;

use crate::web::support::serve;

const PATHS: [&str; 13] = [
    "/",
    "/course",
    "/scenarios/flaky",
    "/runs",
    "/runs/abcdefgh",
    "/client",
    "/storm",
    "/storm/spike?predict",
    "/metrics-view",
    "/assets/live.js",
    "/api/runs",
    "/live",
    "/nowhere",
];

#[tokio::test]
async fn other_sites_cannot_change_state() {
    let (_dashboard, browser) = serve().await;

    for (method, path, body) in [
        (Method::POST, "/api/runs", r#"{"scenario":"flaky"}"#),
        (Method::DELETE, "/api/runs/abcdefgh", ""),
        (Method::POST, "/storm/spike", ""),
        (Method::POST, "/storm/spike/cancel", ""),
        (Method::POST, "/runs", "scenario=flaky"),
        (Method::POST, "/runs/abcdefgh/cancel", ""),
        (Method::POST, "/client/start", ""),
        (Method::POST, "/client/stop", ""),
    ] {
        let media_type = if path.starts_with("/api") {
            "application/json"
        } else {
            "application/x-www-form-urlencoded"
        };
        for foreign in [
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-site", "same-site"),
            ("origin", "http://stranger.example"),
            ("origin", "null"),
        ] {
            let headers = [("content-type", media_type), foreign];
            let response = browser.send(method.clone(), path, &headers, body).await;

            assert_eq!(response.status, StatusCode::FORBIDDEN, "{path}");
            assert_eq!(response.code(), "cross_origin");
        }
    }
    assert_eq!(browser.get("/api/runs").await.json(), json!([]));
}

#[tokio::test]
async fn another_site_takes_no_place_of_a_page_that_listens() {
    let (_dashboard, browser) = serve().await;

    let foreign = [("sec-fetch-site", "cross-site")];
    let response = browser.send(Method::GET, "/live", &foreign, "").await;

    assert_eq!(response.status, StatusCode::FORBIDDEN);
    assert_eq!(response.code(), "cross_origin");
}

/// A page of another site can show an address of the lab, as a picture or in a frame.
#[tokio::test]
async fn a_guess_in_an_address_counts_only_for_the_lab_itself() {
    let (_dashboard, browser) = serve().await;
    let id = browser.run_scenario("flaky").await;
    let path = format!("/runs/{id}?guess=3");
    let is_counted = async || {
        let page = browser.page("/course").await.text();
        page.contains("run, and guessed rightly")
    };

    let foreign = [("sec-fetch-site", "cross-site")];
    browser.send(Method::GET, &path, &foreign, "").await;
    assert!(!is_counted().await);
    browser.page(&path).await;
    assert!(is_counted().await);
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
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
            ),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "same-origin"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            for response in [&foreign, &head, &delete] {
                assert_eq!(response.headers[name], value, "{} {path}", response.status);
            }
        }
    }
}
