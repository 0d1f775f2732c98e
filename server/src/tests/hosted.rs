//! The host around the lessons.

use axum::routing::get;
use axum::{Extension, Router};
use host::{FaultLabel, ServiceConfig};
use http::{Method, StatusCode};

use crate::lessons::LESSONS;
use crate::testing::{JSON, Service, get as get_fresh};

#[tokio::test]
async fn without_lessons_only_what_was_added_is_served() {
    let routes = Router::new().route("/items", get(async || "added"));
    let service = Service::serving(routes.into(), ServiceConfig::default());

    assert_eq!(service.get("/items").await.text(), "added");
    assert_eq!(service.get("/flaky").await.status, StatusCode::NOT_FOUND);
    let scrape = service.get("/metrics").await.text();
    assert!(!scrape.contains("/flaky"), "{scrape}");
}

#[tokio::test]
async fn other_methods_are_a_405_problem_with_the_exact_allow() {
    let service = Service::new();
    let paths = LESSONS.map(|lesson| (lesson.path, lesson.method));

    for (path, taught) in paths.into_iter().chain([("/metrics", Method::GET)]) {
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW"] {
            if taught == method {
                continue;
            }
            let response = service.request(method, path, &[], "").await;

            assert_eq!(response.status.as_u16(), 405, "{method} {path}");
            assert_eq!(response.code(), "method_not_allowed", "{method} {path}");
            let allow = ["POST", "GET,HEAD"][usize::from(taught == Method::GET)];
            let allowed: Vec<_> = response.headers.get_all("allow").iter().collect();
            assert_eq!(allowed, [allow], "{method} {path}");
        }
    }
}

#[tokio::test]
async fn head_responds_as_get_without_the_body() {
    let taught = LESSONS.iter().filter(|lesson| lesson.method == Method::GET);
    let paths = taught.map(|lesson| lesson.path);
    for path in paths.chain(["/nowhere", "/items?limit=0"]) {
        let mut head = Service::new().head(path).await;
        let mut get = get_fresh(path).await;

        head.headers.remove("x-request-id");
        get.headers.remove("x-request-id");
        assert_eq!(head.status, get.status, "{path}");
        assert_eq!(head.headers, get.headers, "{path}");
        assert!(head.body.is_empty(), "{path}");
    }
    let head = Service::new().head("/jobs").await;
    assert_eq!(head.status, StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(head.headers["allow"], "POST");
}

#[tokio::test]
async fn a_problem_names_the_request_it_belongs_to() {
    let service = Service::new();

    for path in ["/nowhere", "/flaky", "/retry-later", "/items?limit=0"] {
        let response = service.get(path).await;

        let (problem, status) = (response.json(), response.status);
        let id = response.headers["x-request-id"].to_str().unwrap();
        assert_eq!(problem["request_id"], id);
        assert_eq!(problem["status"], status.as_u16());
        assert_eq!(problem["title"], status.canonical_reason().unwrap());
        assert_eq!(problem["type"], "about:blank");
        assert_ne!(problem["detail"], "");
        let names_a_field = path == "/items?limit=0";
        assert_eq!(problem.get("field").is_some(), names_a_field);
        let members = 6 + usize::from(names_a_field);
        assert_eq!(problem.as_object().unwrap().len(), members);
    }
}

#[tokio::test]
async fn a_problem_never_repeats_what_the_request_said() {
    let service = Service::new();
    let path = "/items-SECRET?cursor=SECRET&limit=SECRET";
    let named = [("x-request-id", "SECRET"), ("authorization", "SECRET")];
    let [key, spaced] = ["k", "SECRET SECRET"].map(|key| ("idempotency-key", key));
    let unknown = ("content-type", "SECRET");
    let responses = [
        service.get(path).await,
        service.request("GET", "/flaky?SECRET", &named, "").await,
        service.get("/items?cursor=SECRET").await,
        service.get("/items?limit=SECRET").await,
        service.post("/jobs", &[unknown], "SECRET").await,
        service.post("/jobs", &[JSON, spaced], "SECRET").await,
        service.post("/jobs", &[JSON, key], "SECRET").await,
        service.post("/jobs", &[JSON, key], "[\"SECRET\"]").await,
    ];

    for response in responses {
        assert!(!response.status.is_success());
        assert!(!format!("{response:?}").contains("SECRET"), "{response:?}");
    }
}

#[tokio::test]
async fn every_response_has_an_id_of_the_services_own() {
    let service = Service::new();
    let id = |id| ("x-request-id", id);
    let send = async |ids: &[_]| service.request("GET", "/items", ids, "").await;
    let mut made = std::collections::HashSet::new();

    for sent in [
        &[][..],
        &[id("caller-1.a_B")],
        &[id("caller 1")],
        &[id("one"), id("two")],
    ] {
        let response = send(sent).await;

        let mut ids = response.headers.get_all("x-request-id").iter();
        let id = ids.next().unwrap().to_str().unwrap();
        assert!(id.starts_with("req-"), "{id}");
        assert!(made.insert(id.to_owned()), "{id} was made before");
        assert!(ids.next().is_none());
    }
}

#[tokio::test]
async fn ids_repeat_with_the_seed() {
    let (one, other) = (Service::new(), Service::new());

    for _ in 0..3 {
        let id = one.get("/items").await.headers["x-request-id"].clone();
        assert_eq!(id, other.get("/items").await.headers["x-request-id"]);
    }
}

#[tokio::test]
async fn added_routes_get_the_same_layers() {
    async fn panics() {
        panic!("on purpose")
    }
    let routes = Router::new()
        .route(
            "/added/{id}",
            get(async || (Extension(FaultLabel("added")), "fine")),
        )
        .route("/panics", get(panics));
    let service = Service::adding(routes, ServiceConfig::default());

    let fine = service.get("/added/7").await;
    let wrong_method = service.post("/added/7", &[], "").await;
    let panicked = service.get("/panics").await;

    assert_eq!(fine.text(), "fine");
    assert!(fine.headers.contains_key("x-request-id"));
    assert_eq!(wrong_method.code(), "method_not_allowed");
    assert_eq!(panicked.status, StatusCode::INTERNAL_SERVER_ERROR);
    assert_eq!(panicked.code(), "internal_error");
    let entries = service.ledger().entries.into_iter();
    let routes: Vec<_> = entries.map(|entry| entry.route).collect();
    assert_eq!(routes, ["/added/{id}", "/added/{id}", "/panics"]);
    let fault = "service_faults_total{fault=\"added\"} 1";
    service.assert_counts(&[fault]).await;
}
