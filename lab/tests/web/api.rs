//! The API of the web UI: its requests and responses.

use http::{Method, StatusCode};
use render::Options;
use scenario::{ClientUnderTest, Comparison, Naive, Reliable, Settings, Story, catalogue};
use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use crate::web::support::{Browser, serve};

#[tokio::test]
async fn an_unknown_path_is_a_problem_object() {
    let (_dashboard, browser) = serve().await;

    for path in [
        "/x",
        "/api",
        "/api/x",
        "/assets/x.js",
        "/assets/..%2fCargo.toml",
        "/assets/%ff.js",
        "/api/runs/%ff",
        "/api/runs/abcdefgh",
        "/api/runs/abcdefgh/report",
        "/assets/",
        "/metrics",
    ] {
        let response = browser.get(path).await;

        assert_eq!(response.status, StatusCode::NOT_FOUND, "{path}");
        let code = if path.starts_with("/api/runs/") {
            "run_not_found"
        } else {
            "not_found"
        };
        assert_eq!(response.code(), code, "{path}");
    }
}

#[tokio::test]
async fn a_method_that_a_path_does_not_serve_is_a_problem_with_allow() {
    let (_dashboard, browser) = serve().await;

    for (path, allow) in [
        ("/", "GET,HEAD"),
        ("/api/runs", "GET,HEAD,POST"),
        ("/live", "GET,HEAD"),
        ("/runs", "GET,HEAD,POST"),
        ("/runs/abcdefgh/cancel", "POST"),
    ] {
        let headers = [("sec-fetch-site", "same-origin")];
        let response = browser.send(Method::DELETE, path, &headers, "").await;

        assert_eq!(response.status, StatusCode::METHOD_NOT_ALLOWED, "{path}");
        assert_eq!(response.code(), "method_not_allowed");
        assert_eq!(response.headers["allow"], allow);
    }
}

/// The question comes before the lesson, in the page's source as well.
#[tokio::test]
async fn the_lesson_and_the_report_are_sent_once_a_run_is_over() {
    let (_dashboard, browser) = serve().await;
    let known = catalogue::find("retry-later").expect("known");
    let waiting = browser.begin_waiting("reliable").await;
    let done = browser.run_scenario(known.words.name).await;

    let over = browser.ended(&done).await;
    let report = browser.get(&format!("/api/runs/{waiting}/report")).await;
    let waiting = browser.run(&waiting).await;

    let general = known.words.why;
    assert!(over["lesson"].as_str().expect("a lesson").contains(general));
    assert_eq!(over["unsolved"], known.words.unsolved);
    assert_eq!(waiting["lesson"], Value::Null);
    assert_eq!(report.status, StatusCode::CONFLICT);
    assert_eq!(report.code(), "run_not_finished");
    let page = browser.page("/scenarios/flaky").await.text();
    let flaky = catalogue::find("flaky").expect("known");
    assert!(!page.contains(flaky.words.why));
}

#[tokio::test]
async fn a_run_on_the_page_is_the_run_of_the_command_line() {
    let (_dashboard, browser) = serve().await;
    let response = browser
        .start(&json!({ "scenario": "flaky", "pace": "virtual", "seed": 7 }))
        .await;
    let started = response.json();
    let id = started["id"].as_str().expect("an id");

    let seen = browser.ended(id).await;

    assert_eq!(response.status, StatusCode::ACCEPTED);
    assert_eq!(response.headers["location"], format!("/runs/{id}"));
    assert_eq!(started["seed"], 7);
    let settings = Settings::in_virtual_time(&Reliable, 7);
    let run = scenario::run(catalogue::find("flaky").expect("known"), &settings).await;
    let run = run.expect("a run");
    assert_eq!(seen["lesson"], run.lesson.why.join(" "));
    assert_eq!(seen["sides"], json!([run]));
    for (field, value) in [
        ("id", json!(id)),
        ("scenario", json!("flaky")),
        ("client", json!("reliable")),
        ("pace", json!("virtual")),
        ("seed", json!(7)),
        ("state", json!("finished")),
        ("passed", json!(true)),
        ("error", Value::Null),
    ] {
        assert_eq!(seen[field], value, "{field}");
    }
    let listed = &browser.get("/api/runs").await.json()[0];
    assert_eq!(
        (&listed["id"], &listed["started"]),
        (&seen["id"], &seen["started"])
    );
}

#[tokio::test]
async fn concurrent_runs_have_separate_services() {
    let (_dashboard, browser) = serve().await;

    let (one, other) = tokio::join!(browser.run_scenario("flaky"), browser.run_scenario("flaky"));

    for id in [one, other] {
        let run = browser.ended(&id).await;
        // On a shared service one of them would have succeeded earlier.
        assert_eq!(run["sides"][0]["wire"]["total"], 3, "{run}");
        assert_eq!(run["passed"], true);
    }
}

#[tokio::test]
async fn a_run_has_a_side_for_each_client() {
    let (_dashboard, browser) = serve().await;
    for (client, without, clients) in [
        ("compare", None, &["reliable", "naive"][..]),
        ("reliable", Some("deadline"), &["without-deadline"]),
        (
            "compare",
            Some("deadline"),
            &["reliable", "without-deadline"],
        ),
    ] {
        let run = json!({
            "scenario": "deadline", "client": client, "pace": "virtual", "seed": 7,
            "without": without,
        });

        let run = browser.ended(&browser.begin(&run).await).await;

        assert_eq!(run["client"], client);
        assert_eq!(run["without"], json!(without));
        // That of the first side, which the whole client passes.
        assert_eq!(run["passed"], client == "compare");
        let sides = run["sides"].as_array().expect("sides").iter();
        let sides: Vec<_> = sides.map(|side| &side["client"]).collect();
        assert_eq!(sides, clients);
    }
    let naive = json!({ "scenario": "flaky", "client": "naive", "without": "deadline" });
    assert_eq!(browser.start(&naive).await.code(), "invalid_run");
}

#[tokio::test]
async fn an_invalid_run_is_refused_and_not_kept() {
    let (_dashboard, browser) = serve().await;
    let json = Some("application/json");
    let long = format!("{{\"scenario\":\"{}\"}}", "x".repeat(70_000));
    let (text, wrong_type) = (Some("text/plain"), "unsupported_media_type");
    let flakey = r#"{"scenario":"flakey"}"#;
    let flaky = r#"{"scenario":"flaky"}"#;
    let zero = r#"{"scenario":"flaky","settings":{"max_attempts":0}}"#;

    for (media_type, body, status, code) in [
        (json, flakey, 422, "unknown_scenario"),
        (json, zero, 422, "invalid_run"),
        (json, "{", 400, "invalid_json"),
        (json, &*long, 413, "payload_too_large"),
        (text, flaky, 415, wrong_type),
        (None, flaky, 415, wrong_type),
    ] {
        let media_type = media_type.map(|media_type| ("content-type", media_type));
        let headers: Vec<_> = [("sec-fetch-site", "same-origin")]
            .into_iter()
            .chain(media_type)
            .collect();
        let response = browser
            .send(Method::POST, "/api/runs", &headers, body)
            .await;

        assert_eq!(response.status, status, "{body}");
        assert_eq!(response.code(), code, "{body}");
    }
    let malformed = "POST /api/runs HTTP/1.1\r\nhost: localhost\r\nsec-fetch-site: same-origin\r\n\
                     content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n";
    let address = browser.url()["http://".len()..].to_owned();
    let refused = spawn_blocking(move || testkit::http::raw(address, malformed)).await;
    let refused = refused.expect("a response");
    assert!(refused.starts_with("HTTP/1.1 400 "), "{refused}");
    assert!(refused.contains("\"incomplete_body\""), "{refused}");
    assert_eq!(browser.get("/api/runs").await.json(), json!([]));
}

#[tokio::test]
async fn the_metrics_of_the_service_show_both_sides_of_all_runs() {
    let (dashboard, browser) = serve().await;
    for _ in 0..2 {
        browser.ended(&browser.run_scenario("flaky").await).await;
    }

    // Scrapers may use any host name for the service.
    let scrape = Browser::of(&dashboard.service_url());
    let host = [("host", "host.docker.internal:8765")];
    let scrape = scrape.send(Method::GET, "/metrics", &host, "").await;

    let text = scrape.text();
    for series in [
        r#"client_attempts_total{endpoint="flaky",method="GET",result="503"} 4"#,
        r#"client_attempts_total{endpoint="flaky",method="GET",result="200"} 2"#,
        r#"service_faults_total{fault="flaky"} 4"#,
        // Nobody waits in virtual time.
        r#"client_retry_wait_seconds_bucket{endpoint="flaky",wait_source="backoff",le="+Inf"} 0"#,
        r#"http_server_active_requests{http_request_method="GET"} 0"#,
    ] {
        assert!(
            text.lines().any(|line| line == series),
            "{series} is missing in\n{text}"
        );
    }
}

#[tokio::test]
async fn a_finished_run_has_a_report() {
    let (_dashboard, browser) = serve().await;
    let run = json!({ "scenario": "flaky", "client": "compare", "pace": "virtual", "seed": 7 });
    let id = browser.begin(&run).await;
    let run = browser.ended(&id).await;
    let report = async |side: &str| browser.get(&format!("/api/runs/{id}/report{side}")).await;

    let flaky = catalogue::find("flaky").expect("known");
    let (words, lab) = (&flaky.words, lab::invocation::lab());
    let [reliable, naive] = [&Reliable as &'static dyn ClientUnderTest, &Naive];
    let mut runs = Vec::new();
    for client in [reliable, naive] {
        let settings = Settings::in_virtual_time(client, 7);
        let run = scenario::run(flaky, &settings).await.expect("a run");
        let side = report(&format!("?side={}", runs.len())).await;
        assert_eq!(side.text(), Story::of_run(words, &run, lab).page());
        runs.push(run);
    }
    let both = Comparison::of(
        runs.try_into().expect("two"),
        flaky.next_comparison(scenario::NAIVE),
    );
    assert_eq!(run["compared"], json!(both.compared));
    assert_eq!(run["lesson"], both.why().join(" "));
    let text = browser.get(&format!("/api/runs/{id}/text")).await.text();
    let options = Options {
        lab,
        ..Options::default()
    };
    assert_eq!(text, scenario::comparison(words, &both, None, &options));
    let whole = report("").await;
    let page = Story::of_comparison(words, &both, lab).page();
    assert_eq!(whole.text(), page);
    assert_eq!(whole.headers["content-type"], "text/html; charset=utf-8");
    let file = format!("attachment; filename=\"flaky-{id}.html\"");
    assert_eq!(whole.headers["content-disposition"], file);
    assert_eq!(report("?side=2").await.status, StatusCode::CONFLICT);
}

#[tokio::test]
async fn an_invalid_query_is_a_problem() {
    let (_dashboard, browser) = serve().await;
    let id = browser.run_scenario("flaky").await;

    let response = browser.get(&format!("/api/runs/{id}/report?side=x")).await;
    assert_eq!(response.status, StatusCode::BAD_REQUEST);
    assert_eq!(response.code(), "invalid_side");
}

#[tokio::test]
async fn exchanges_are_in_the_run_and_in_its_report() {
    let (_dashboard, browser) = serve().await;
    let id = browser.run_scenario("create-job").await;

    let run = browser.ended(&id).await;

    let report = browser.get(&format!("/api/runs/{id}/report")).await.text();
    let start = "POST /jobs HTTP/1.1";
    let exchanges = &run["sides"][0]["wire"]["exchanges"];
    assert_eq!(exchanges[0]["request"]["start"], start);
    assert!(report.contains(start), "{report}");
}
