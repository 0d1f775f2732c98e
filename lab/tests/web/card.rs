//! Cases that are open to any client, and their state in the API.

use futures_util::future::join_all;
use grade::TASKS;
use http::{Method, StatusCode};
use maud::html;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::web::support::{Browser, serve};

/// Opens a card.
async fn open(browser: &Browser) -> Value {
    let response = browser.change(Method::POST, "/api/card").await;
    assert_eq!(response.status, StatusCode::CREATED, "{:?}", response.body);
    response.json()
}

/// Every case of a card.
fn cases(card: &Value) -> impl Iterator<Item = &Value> {
    card["cases"].as_array().expect("cases").iter()
}

/// The first case of a task.
fn case<'a>(card: &'a Value, task: &str) -> &'a Value {
    cases(card)
        .find(|case| case["task"] == task)
        .expect("a case")
}

/// The HTML of a task.
fn task(card: &Value, name: &str) -> String {
    let html = card["html"].as_str().expect("HTML");
    let (_, task) = html
        .split_once(&format!("<li id=\"task-{name}\">"))
        .expect("a task");
    task.split("<li id=\"task-")
        .next()
        .unwrap_or_default()
        .to_owned()
}

/// How many cases of a card are still served.
pub(crate) async fn served(card: &Value) -> usize {
    let served = cases(card).map(async |case| {
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

/// Calls a case.
async fn call(case: &Value) -> StatusCode {
    let url = case["url"].as_str().expect("a URL");
    let path = url.match_indices('/').nth(2).expect("a path").0;
    Browser::of(&url[..path]).get(&url[path..]).await.status
}

/// Reads a task until it has a text: a client may have read a response before the service
/// knows that it has sent it.
async fn until(browser: &Browser, name: &str, text: &str) -> String {
    let mut shown = String::new();
    for _ in 0..1_000 {
        shown = task(&browser.get("/api/card").await.json(), name);
        if shown.contains(text) {
            return shown;
        }
    }
    panic!("{name} never has {text:?}: {shown}");
}

#[tokio::test]
async fn without_an_open_card_tasks_have_texts_but_no_cases() {
    let (_dashboard, browser) = serve().await;

    let card = browser.get("/api/card").await.json();
    let path = "/api/card/tasks/flaky/cases/0/again";
    let again = browser.change(Method::POST, path).await;

    assert_eq!(card["id"], json!(null));
    assert_eq!(cases(&card).count(), 0);
    for known in TASKS {
        let goal = html! { (known.words.goal) }.into_string();
        let task = task(&card, known.words.name);
        assert!(task.contains(&goal), "{task}");
    }
    assert_eq!(again.status, StatusCode::NOT_FOUND);
    assert_eq!(again.code(), "case_not_found");
}

#[tokio::test]
async fn an_early_retry_is_shown_and_the_case_can_start_again() {
    let (_dashboard, browser) = serve().await;
    let card = open(&browser).await;
    let case = case(&card, "retry-after");

    assert_eq!(call(case).await, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(call(case).await, StatusCode::OK);
    let broken = until(
        &browser,
        "retry-after",
        "2 requests · broken: retry-after-seconds",
    )
    .await;

    for text in [
        "<b>broken</b> <span class=\"terms\">standard · RFC 9110 §10.2.3</span>",
        "<p class=\"found\">asked for 2 s, ",
        "too early <span class=\"note no\">✗ retry-after-seconds</span>",
        "<li class=\"row good\" id=\"retry-after-0-2\">",
    ] {
        assert!(broken.contains(text), "{text:?} is missing in {broken}");
    }

    let path = "/api/card/tasks/retry-after/cases/0/again";
    let again = browser.change(Method::POST, path).await;

    assert_eq!(again.status, StatusCode::OK);
    let card = again.json();
    assert!(cases(&card).any(|known| known["url"] == case["url"]));
    let anew = task(&card, "retry-after");
    assert!(anew.contains("no request yet") && anew.contains("<b>not exercised</b>"));
    assert!(!anew.contains("retry-after-0-2"), "{anew}");
    for path in [
        "/api/card/tasks/retry-after/cases/9/again",
        "/api/card/tasks/retry-after/cases/first/again",
        "/api/card/tasks/%ff/cases/0/again",
    ] {
        let response = browser.change(Method::POST, path).await;
        assert_eq!(response.code(), "case_not_found", "{path}");
    }
}

/// An open case has no goal that could be judged.
#[tokio::test]
async fn only_a_kept_rule_has_a_check_mark() {
    let (_dashboard, browser) = serve().await;
    let marks = |card: &Value| {
        let html = card["html"].as_str().expect("HTML");
        [
            html.matches('✓').count(),
            html.matches("<b>kept</b>").count(),
        ]
    };
    let card = open(&browser).await;
    let before = marks(&card);
    let case = case(&card, "flaky");

    for _ in 0..3 {
        call(case).await;
    }
    until(&browser, "flaky", "3 requests").await;
    let [checked, kept] = marks(&browser.get("/api/card").await.json());

    assert_eq!(before, [0, 0]);
    assert!(kept > 0);
    assert_eq!(checked, kept);
}

#[tokio::test]
async fn a_case_shows_a_command_that_ends_with_its_url() {
    let (_dashboard, browser) = serve().await;

    let card = open(&browser).await;

    let html = card["html"].as_str().expect("HTML");
    for case in cases(&card) {
        let url = case["url"].as_str().expect("a URL").replace('&', "&amp;");
        // A URL with a query is quoted, since a shell reads a question mark.
        let ends = ["</code>", "'</code>", "&#39;</code>"].map(|end| format!("<b>{url}</b>{end}"));
        assert!(ends.iter().any(|end| html.contains(end)), "{url} in {html}");
    }
    assert_ne!(case(&card, "read-all")["token"], json!(null));
    assert_eq!(case(&card, "create")["token"], json!(null));
}

#[tokio::test]
async fn of_many_requests_the_first_and_the_last_are_shown() {
    let (_dashboard, browser) = serve().await;
    let card = open(&browser).await;
    let case = case(&card, "flaky");

    for _ in 0..43 {
        call(case).await;
    }
    let stormy = until(&browser, "flaky", "43 requests").await;

    let rows = stormy.split("id=\"flaky-0-").skip(1);
    let shown: Vec<u64> = rows
        .map(|row| {
            row.split('"')
                .next()
                .expect("a number")
                .parse()
                .expect("a number")
        })
        .collect();
    assert_eq!(shown, (1..=20).chain(24..=43).collect::<Vec<_>>());
    assert!(stormy.contains(">3 more: 3 × 200<"), "{stormy}");
}

#[tokio::test]
async fn a_new_card_replaces_the_first_and_shutdown_stops_it() {
    let (_dashboard, browser) = serve().await;

    let first = open(&browser).await;
    let second = open(&browser).await;
    assert_ne!(first["id"], second["id"]);
    assert_eq!(served(&first).await, 0);
    assert_eq!(served(&second).await, cases(&second).count());
    assert_eq!(browser.get("/api/card").await.json()["id"], second["id"]);

    for _ in 0..2 {
        let ended = browser.change(Method::DELETE, "/api/card").await;
        assert_eq!(ended.status, StatusCode::NO_CONTENT);
    }
    assert_eq!(served(&second).await, 0);
    assert_eq!(browser.get("/api/card").await.json()["id"], json!(null));
}
