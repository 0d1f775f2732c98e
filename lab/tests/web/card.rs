//! Cases that are open to any client, and their state in the API.

use futures_util::future::join_all;
use grade::all;
use http::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::support::{Browser, serve};
/// Opens a card.
async fn open(browser: &Browser) -> Value {
    let response = browser.change(Method::POST, "/api/card").await;
    assert_eq!(response.status, StatusCode::CREATED, "{:?}", response.body);
    response.json()
}

/// Every case of a card.
fn cases(card: &Value) -> impl Iterator<Item = &Value> {
    let tasks = card["tasks"].as_array().expect("tasks");
    tasks
        .iter()
        .flat_map(|task| task["cases"].as_array().expect("cases"))
}

/// The cases of a card that a request can reach.
fn reachable(card: &Value) -> impl Iterator<Item = &Value> {
    cases(card).filter(|case| {
        let is_plain = case["url"]
            .as_str()
            .is_some_and(|url| url.starts_with("http://"));
        is_plain && case["name"] != "no service listens"
    })
}

/// How many cases of a card are still served. Another test may have got the port of a
/// closed case, but does not serve its path.
pub(crate) async fn served(card: &Value) -> usize {
    let served = reachable(card).map(async |case| {
        let url = case["url"].as_str().expect("a URL");
        let (address, path) = url["http://".len()..].split_once('/').expect("a path");
        let Ok(mut stream) = TcpStream::connect(address).await else {
            return false;
        };
        let request = format!("OPTIONS /{path} HTTP/1.0\r\n\r\n");
        let mut response = String::new();
        let asked = stream.write_all(request.as_bytes()).await;
        let read = stream.read_to_string(&mut response).await;
        asked.is_ok() && read.is_ok() && response.contains(" 204 ")
    });
    let served = join_all(served).await;
    served.into_iter().filter(|is_served| *is_served).count()
}

fn task<'a>(card: &'a Value, name: &str) -> &'a Value {
    let mut tasks = card["tasks"].as_array().expect("tasks").iter();
    tasks.find(|task| task["name"] == name).expect("a task")
}

fn rule<'a>(task: &'a Value, id: &str) -> &'a Value {
    let mut rules = task["rules"].as_array().expect("rules").iter();
    rules.find(|rule| rule["id"] == id).expect("a rule")
}

/// Calls a case.
async fn call(case: &Value) -> StatusCode {
    let url = case["url"].as_str().expect("a URL");
    let path = url.match_indices('/').nth(2).expect("a path").0;
    Browser::of(&url[..path]).get(&url[path..]).await.status
}

/// Reads a task until a condition is true: a client may have read a response before the
/// service knows that it has sent it.
async fn until(browser: &Browser, name: &str, is_so: impl Fn(&Value) -> bool) -> Value {
    for _ in 0..1_000 {
        let card = browser.get("/api/card").await.json();
        let task = task(&card, name);
        if is_so(task) {
            return task.clone();
        }
    }
    panic!("{name} never comes to it");
}

#[tokio::test]
async fn without_an_open_card_tasks_have_texts_but_no_cases() {
    let (_dashboard, browser) = serve().await;

    let card = browser.get("/api/card").await.json();
    let path = "/api/card/tasks/flaky/cases/0/again";
    let again = browser.change(Method::POST, path).await;

    assert_eq!(card["id"], json!(null));
    assert_eq!(cases(&card).count(), 0);
    let names: Vec<_> = all().map(|task| json!(task.words.name)).collect();
    let tasks = card["tasks"].as_array().expect("tasks");
    assert_eq!(
        tasks.iter().map(|task| &task["name"]).collect::<Vec<_>>(),
        names.iter().collect::<Vec<_>>()
    );
    assert_eq!(again.status, StatusCode::NOT_FOUND);
    assert_eq!(again.code(), "case_not_found");
}

#[tokio::test]
async fn an_early_retry_is_shown_and_the_case_can_start_again() {
    let (_dashboard, browser) = serve().await;
    let card = open(&browser).await;
    let case = &task(&card, "retry-after")["cases"][0];

    assert_eq!(call(case).await, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(call(case).await, StatusCode::OK);
    let broken = until(&browser, "retry-after", |task| task["mark"] == "failed").await;

    assert_eq!(broken["requests"], 2);
    let summary = broken["summary"].as_str().expect("words");
    assert!(
        summary.starts_with("2 requests · broken: retry-after-seconds"),
        "{summary}"
    );
    let found = rule(&broken, "retry-after-seconds");
    assert_eq!(found["verdict"], "broken");
    assert_eq!(found["level"], "standard");
    assert_eq!(found["source"], "RFC 9110 §10.2.3");
    let words = found["found"].as_str().expect("words");
    assert!(words.starts_with("asked for 2 s, "), "{words}");
    let rows = broken["cases"][0]["rows"].as_array().expect("rows");
    let marks: Vec<_> = rows.iter().map(|row| &row["mark"]).collect();
    assert_eq!(marks, [&json!(null), &json!("failed")]);
    let label = rows[1]["label"].as_str().expect("words");
    assert!(label.ends_with("too early"), "{label}");

    let path = "/api/card/tasks/retry-after/cases/0/again";
    let again = browser.change(Method::POST, path).await;

    assert_eq!(again.status, StatusCode::OK);
    let card = again.json();
    let anew = task(&card, "retry-after");
    assert_eq!(anew["cases"][0]["url"], case["url"]);
    assert_eq!(anew["cases"][0]["rows"], json!([]));
    assert_eq!(anew["summary"], "no request yet");
    let found = rule(anew, "retry-after-seconds");
    assert_eq!(found["verdict"], "not exercised");
    for path in [
        "/api/card/tasks/retry-after/cases/9/again",
        "/api/card/tasks/retry-after/cases/first/again",
        "/api/card/tasks/%ff/cases/0/again",
    ] {
        let response = browser.change(Method::POST, path).await;
        assert_eq!(response.code(), "case_not_found", "{path}");
    }
}

/// The web UI draws a check mark for each `ok`. An open case has no goal that could be judged.
#[tokio::test]
async fn only_a_kept_rule_has_a_check_mark() {
    let (_dashboard, browser) = serve().await;
    let marks = |card: &Value| {
        let tasks = card["tasks"].as_array().expect("tasks");
        let rules = tasks.iter().flat_map(|task| {
            let rules = task["rules"].as_array().expect("rules");
            rules
                .iter()
                .map(|rule| (rule["mark"] == "ok", rule["verdict"] == "kept"))
        });
        let of_tasks = tasks.iter().map(|task| (task["mark"] == "ok", false));
        of_tasks.chain(rules).collect::<Vec<_>>()
    };
    let card = open(&browser).await;
    let before = marks(&card);
    let case = &task(&card, "flaky")["cases"][0];

    for _ in 0..3 {
        call(case).await;
    }
    until(&browser, "flaky", |task| task["requests"] == 3).await;
    let after = marks(&browser.get("/api/card").await.json());

    assert!(
        before.iter().all(|mark| *mark == (false, false)),
        "{before:?}"
    );
    assert!(after.contains(&(true, true)), "{after:?}");
    assert!(
        after.iter().all(|(is_ok, is_kept)| is_ok == is_kept),
        "{after:?}"
    );
}

#[tokio::test]
async fn a_case_shows_a_command_that_ends_with_its_url() {
    let (_dashboard, browser) = serve().await;

    let card = open(&browser).await;

    for case in cases(&card) {
        let (curl, url) = (case["curl"].as_str(), case["url"].as_str());
        let (curl, url) = (curl.expect("a command"), url.expect("a URL"));
        // A URL with a query is quoted, since a shell reads a question mark.
        let argument = curl
            .strip_prefix("curl ")
            .expect("curl")
            .trim_end_matches('\'');
        assert!(argument.ends_with(url), "{curl}");
    }
    assert_ne!(task(&card, "read-all")["cases"][0]["token"], json!(null));
    assert_eq!(task(&card, "create")["cases"][0]["token"], json!(null));
}

#[tokio::test]
async fn of_many_requests_the_first_and_the_last_are_shown() {
    let (_dashboard, browser) = serve().await;
    let card = open(&browser).await;
    let case = &task(&card, "flaky")["cases"][0];

    for _ in 0..43 {
        call(case).await;
    }
    let stormy = until(&browser, "flaky", |task| task["requests"] == 43).await;

    let rows = stormy["cases"][0]["rows"].as_array().expect("rows");
    let shown: Vec<_> = rows.iter().flat_map(|row| row["seq"].as_u64()).collect();
    assert_eq!(shown, (1..=20).chain(24..=43).collect::<Vec<_>>());
    let remark = &stormy["cases"][0]["remark"];
    assert_eq!(remark, "40 requests are shown, and 3 more: 3 × 200");
}

#[tokio::test]
async fn a_new_card_replaces_the_first_and_shutdown_stops_it() {
    let (_dashboard, browser) = serve().await;

    let first = open(&browser).await;
    let second = open(&browser).await;
    assert_ne!(first["id"], second["id"]);
    assert_eq!(served(&first).await, 0);
    assert_eq!(served(&second).await, reachable(&second).count());
    assert_eq!(browser.get("/api/card").await.json()["id"], second["id"]);

    for _ in 0..2 {
        let ended = browser.change(Method::DELETE, "/api/card").await;
        assert_eq!(ended.status, StatusCode::NO_CONTENT);
    }
    assert_eq!(served(&second).await, 0);
    assert_eq!(browser.get("/api/card").await.json()["id"], json!(null));
}
