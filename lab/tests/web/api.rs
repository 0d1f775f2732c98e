//! The API of the web UI: its requests and responses.

use std::collections::BTreeSet;

use http::{Method, StatusCode};
use render::Options;
use scenario::{CLIENTS, ClientUnderTest, Comparison, Naive, Reliable, Settings, Story, catalogue};
use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use crate::web::support::{Browser, serve};

/// Waits for the end of a run, and returns it.
async fn finished(browser: &Browser, id: &str) -> Value {
    // Listening starts before the check, so that the end cannot be missed in between.
    let mut events = browser.listen().await;
    if browser.run(id).await["state"] == "running" {
        events.until(|event| event.ends(id)).await;
    }
    browser.run(id).await
}

#[tokio::test]
async fn the_page_is_served_under_every_path_that_shows_it() {
    let (_dashboard, browser) = serve().await;

    for path in ["/", "/grade", "/runs/abcdefgh"] {
        let response = browser.get(path).await;

        assert_eq!(response.status, StatusCode::OK, "{path}");
        assert_eq!(response.headers["content-type"], "text/html; charset=utf-8");
    }
}

/// The document, every file that it names, and the files that these request at once.
#[tokio::test]
async fn the_first_paint_takes_at_most_110_kib() {
    let (_dashboard, browser) = serve().await;
    let document = browser.get("/").await.text();
    let files = document
        .split('"')
        .filter(|text| text.starts_with("/assets/"));
    let files: BTreeSet<_> = files.collect();
    assert!(files.contains("/assets/app.js"), "{files:?}");
    let api = ["scenarios", "vocabulary", "runs", "wire"].map(|name| format!("/api/{name}"));

    let mut total = document.len();
    for path in files.into_iter().chain(api.iter().map(String::as_str)) {
        total += browser.get(path).await.body.len();
    }

    assert!(total <= 110 * 1024, "{total} bytes");
}

/// A person who mistypes an address sees the page, which says so.
#[tokio::test]
async fn an_unknown_path_is_a_page_for_a_browser() {
    let (_dashboard, browser) = serve().await;
    let html = [("accept", "text/html,application/xhtml+xml")];

    for (path, media_type) in [
        ("/x", "text/html; charset=utf-8"),
        ("/runs", "text/html; charset=utf-8"),
        ("/api/x", "application/problem+json"),
        ("/assets/x.js", "application/problem+json"),
    ] {
        let response = browser.send(Method::GET, path, &html, "").await;

        assert_eq!(response.status, StatusCode::NOT_FOUND, "{path}");
        assert_eq!(response.headers["content-type"], media_type, "{path}");
    }
}

#[tokio::test]
async fn the_page_lists_each_scenario_with_its_command() {
    let (_dashboard, browser) = serve().await;

    let page = browser.get("/").await.text();

    for scenario in catalogue::CATALOGUE {
        let name = scenario.words.name;
        let command = format!("{} scenario {name}</code>", lab::invocation::lab());
        assert!(page.contains(&format!("href=\"/#{name}\"")), "{name}");
        assert!(page.contains(&command), "{command}");
    }
}

/// A guess is a part of the address, so anybody can type one.
#[tokio::test]
async fn the_story_of_a_run_judges_the_guess_in_its_address() {
    let (_dashboard, browser) = serve().await;
    let id = browser.run_scenario("flaky").await;
    finished(&browser, &id).await;

    for (guess, verdict) in [
        ("3", "✓ Your prediction: </b>3 requests, correct."),
        (
            "2",
            "✗ Your prediction: </b>2 requests; the answer: 3 requests.",
        ),
        ("<b>", "The answer: </b>3 requests"),
        ("", "The answer: </b>3 requests"),
    ] {
        let path = format!("/api/runs/{id}/story?guess={guess}");
        let story = browser.get(&path).await.json();

        let html = story["html"].as_str().expect("HTML");
        assert!(html.contains(verdict), "{guess}: {html}");
        assert_eq!(story["id"], json!(id));
    }
}

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
        ("/api/events", "GET,HEAD"),
    ] {
        let headers = [("sec-fetch-site", "same-origin")];
        let response = browser.send(Method::DELETE, path, &headers, "").await;

        assert_eq!(response.status, StatusCode::METHOD_NOT_ALLOWED, "{path}");
        assert_eq!(response.code(), "method_not_allowed");
        assert_eq!(response.headers["allow"], allow);
    }
}

#[tokio::test]
async fn the_course_is_listed_in_its_order() {
    let (_dashboard, browser) = serve().await;

    let scenarios = browser.get("/api/scenarios").await.json();

    let listed: Vec<_> = scenarios.as_array().expect("a list").iter().collect();
    assert_eq!(listed.len(), catalogue::CATALOGUE.len());
    for (listed, known) in listed.into_iter().zip(catalogue::CATALOGUE) {
        assert_eq!(listed["name"], known.words.name);
        assert_eq!(listed["question"], known.words.question.text);
        let choices = listed["choices"].as_array().map_or(0, Vec::len);
        assert_eq!(choices, known.words.question.lettered().count());
        assert_eq!(choices == 0, listed["number_of"].is_string());
        let settings = listed["settings"].as_array().map_or(0, Vec::len);
        assert_eq!(settings, known.task.settings_of_listings().len());
    }
}

/// The question comes before the lesson, in the page's source as well.
#[tokio::test]
async fn the_lesson_and_the_report_are_sent_once_a_run_is_over() {
    let (_dashboard, browser) = serve().await;
    let known = catalogue::find("retry-later").expect("known");
    let waiting = browser.begin_waiting("reliable").await;
    let done = browser.run_scenario(known.words.name).await;

    let over = finished(&browser, &done).await;
    let report = browser.get(&format!("/api/runs/{waiting}/report")).await;
    let waiting = browser.run(&waiting).await;

    let general = known.words.why;
    assert!(over["lesson"].as_str().expect("a lesson").contains(general));
    assert_eq!(over["unsolved"], known.words.unsolved);
    assert_eq!(waiting["lesson"], Value::Null);
    assert_eq!(report.status, StatusCode::CONFLICT);
    assert_eq!(report.code(), "run_not_finished");
    let course = browser.get("/api/scenarios").await.text();
    assert!(!course.contains(general));
}

#[tokio::test]
async fn the_premises_of_a_question_are_those_of_the_terminal() {
    let (_dashboard, browser) = serve().await;

    let run = json!({
        "scenario": "flaky", "client": "compare", "pace": "virtual",
        "settings": { "max_attempts": 2 },
    });
    let found = browser.post("/api/premises", &run).await.json();
    let premises = &found["premises"];
    let unknown = json!({ "scenario": "flakey" });
    let unknown = browser.post("/api/premises", &unknown).await;
    let id = browser.begin(&run).await;
    finished(&browser, &id).await;
    let shown = browser.get(&format!("/api/runs/{id}/story")).await.json();

    let terms =
        "GET /flaky, up to 2 attempts, backoff 200 ms–5 s, full jitter, Retry-After up to 30 s";
    let naive = "a typical first client: up to 10 attempts, no waits";
    let expected = [
        "Predict the run of the reliable client.".to_owned(),
        format!("({terms})"),
        format!("The naive client (GET /flaky, {naive})"),
    ];
    assert_eq!(*premises, json!(expected));
    assert_eq!(shown["premises"], *premises);
    // A client that changes something has a key, and each its own habit with it.
    let change = json!({ "scenario": "lost-response", "client": "compare" });
    let change = browser.post("/api/premises", &change).await.json();
    let keys = [
        "sends an Idempotency-Key)",
        "a new Idempotency-Key for each attempt)",
    ];
    for (line, key) in [1, 2].into_iter().zip(keys) {
        let said = change["premises"][line].as_str().unwrap_or_default();
        assert!(said.ends_with(key), "{said}");
    }
    let flaky = catalogue::find("flaky").expect("known");
    assert_eq!(found["hint"], flaky.words.hint);
    let settings = &found["settings"];
    let settings = ["max_attempts", "backoff_ms", "max_retry_after_seconds"]
        .map(|name| settings[name].as_u64());
    assert_eq!(settings, [Some(2), Some(200), Some(30)]);
    assert_eq!(unknown.code(), "unknown_scenario");
}

#[tokio::test]
async fn the_vocabulary_names_the_clients_and_the_defences() {
    let (_dashboard, browser) = serve().await;

    let vocabulary = browser.get("/api/vocabulary").await.json();

    let clients = CLIENTS.iter().map(|client| client.identity().name);
    let clients: Vec<_> = clients.chain(["compare"]).collect();
    assert_eq!(vocabulary["clients"], json!(clients));
    let defences: Vec<_> = scenario::WITHOUT
        .iter()
        .map(|without| without.defence.id)
        .collect();
    assert_eq!(vocabulary["defences"], json!(defences));
}

#[tokio::test]
async fn a_run_on_the_page_is_the_run_of_the_command_line() {
    let (_dashboard, browser) = serve().await;
    let response = browser
        .start(&json!({ "scenario": "flaky", "pace": "virtual", "seed": 7 }))
        .await;
    let started = response.json();
    let id = started["id"].as_str().expect("an id");

    let seen = finished(&browser, id).await;

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
        let run = finished(&browser, &id).await;
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

        let run = finished(&browser, &browser.begin(&run).await).await;

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
        finished(&browser, &browser.run_scenario("flaky").await).await;
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
    let run = finished(&browser, &id).await;
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

    for (query, code) in [
        ("report?side=x", "invalid_side"),
        ("story?guess=a&guess=b", "invalid_guess"),
    ] {
        let response = browser.get(&format!("/api/runs/{id}/{query}")).await;
        assert_eq!(response.status, StatusCode::BAD_REQUEST, "{query}");
        assert_eq!(response.code(), code, "{query}");
    }
}

#[tokio::test]
async fn exchanges_are_in_the_run_but_not_in_the_feed() {
    let (_dashboard, browser) = serve().await;
    let mut events = browser.listen().await;
    let id = browser.run_scenario("create-job").await;

    let heard = events.until(|event| event.ends(&id)).await;
    let side = &browser.run(&id).await["sides"][0];
    let report = browser.get(&format!("/api/runs/{id}/report")).await.text();

    let start = "POST /jobs HTTP/1.1";
    assert_eq!(side["wire"]["exchanges"][0]["request"]["start"], start);
    assert!(report.contains(start), "{report}");
    for event in heard {
        assert!(!event.data.to_string().contains("exchange"), "{event:?}");
    }
}
