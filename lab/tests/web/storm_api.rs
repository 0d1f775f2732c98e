//! Storms in the web UI's server.

use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::web::support::{Browser, Event, serve};

/// A storm of a few virtual seconds.
fn short() -> Value {
    json!({
        "story": "spike",
        "seed": 7,
        "settings": {
            "calls_per_second": 20.0,
            "workers": 3,
            "incident_lasts_seconds": 2.0,
            "length_seconds": 16.0,
        },
    })
}

/// A storm that runs longer than any test.
fn endless() -> Value {
    json!({ "story": "spike", "settings": { "calls_per_second": 1000.0, "length_seconds": 600.0 } })
}

async fn simulated(browser: &Browser, storm: &Value) -> Vec<Event> {
    let mut events = browser.storm(storm).await;
    events.until(|event| event.kind == "over").await
}

fn of<'a>(events: &'a [Event], kind: &'a str) -> impl Iterator<Item = &'a Value> {
    let of_kind = events.iter().filter(move |event| event.kind == kind);
    of_kind.map(|event| &event.data)
}

/// How often the HTML in an event has this text.
fn count_html(event: &Value, text: &str) -> usize {
    event["html"].as_str().expect("HTML").matches(text).count()
}

#[tokio::test]
async fn a_storm_is_sent_picture_by_picture_and_then_as_a_whole() {
    let (ui, browser) = serve().await;

    let events = simulated(&browser, &short()).await;

    let begun = &events[0];
    assert_eq!(begun.kind, "begun");
    assert_eq!(begun.data["seed"], 7);
    let policies = storm::STORIES[0].policies.len();
    assert_eq!(count_html(&begun.data, "<figure"), policies);
    let pictures: Vec<_> = of(&events, "picture").collect();
    for number in 0..policies {
        let last = pictures.iter().rfind(|state| state["picture"] == number);
        let last = last.expect("a picture");
        // The final state of each picture has its figures, and is that of the whole.
        assert_eq!(count_html(last, "requests/s at the end<br>"), 1, "{last}");
    }
    let over = &events.last().expect("an end").data;
    let last = pictures
        .iter()
        .rfind(|state| state["picture"] == policies - 1);
    let html = last.and_then(|state| state["html"].as_str()).expect("HTML");
    let whole = over["html"].as_str().expect("HTML");
    assert!(whole.contains(html), "{whole}");
    ui.stop().await.expect("nothing is left");
}

#[tokio::test]
async fn a_report_is_there_once_a_storm_is_over() {
    let (ui, browser) = serve().await;
    let mut events = browser.storm(&endless()).await;
    let begun = events.next().await.expect("a beginning");
    let path = format!("/api/storms/{}", begun.data["id"].as_str().expect("an id"));
    let report = format!("{path}/report");

    let early = browser.get(&report).await;
    let cancelled = browser.change(Method::DELETE, &path).await;
    let events = events.until(|event| event.kind == "over").await;
    let late = browser.get(&report).await;
    let again = browser.change(Method::DELETE, &path).await;

    assert_eq!(early.status, StatusCode::CONFLICT);
    assert_eq!(early.code(), "storm_not_finished");
    assert_eq!(cancelled.status, StatusCode::ACCEPTED);
    let mut pictures = of(&events, "picture");
    assert!(
        pictures.all(|state| state["picture"] == 0),
        "the others were not begun"
    );
    let last = of(&events, "picture").last().expect("a picture");
    assert_eq!(count_html(last, "</span> cancelled</span>"), 1, "{last}");
    assert_eq!(late.status, StatusCode::OK);
    assert_eq!(late.headers["content-type"], "text/html; charset=utf-8");
    let name = late.headers["content-disposition"].to_str().expect("ASCII");
    assert!(
        name.starts_with("attachment; filename=\"storm-spike-"),
        "{name}"
    );
    assert!(late.text().contains("cancelled"));
    assert_eq!(again.status, StatusCode::NO_CONTENT);
    let unknown = browser.get("/api/storms/abcdefgh/report").await;
    assert_eq!(unknown.code(), "storm_not_found");
    ui.stop().await.expect("nothing is left");
}

#[tokio::test]
async fn two_are_simulated_at_once_and_one_that_has_ended_makes_room() {
    let (ui, browser) = serve().await;
    let mut one = browser.storm(&endless()).await;
    let mut other = browser.storm(&endless()).await;
    let begun = one.next().await.expect("a beginning");
    other.next().await.expect("a beginning");

    let refused = browser.open_storm(&short()).await.status();
    let path = format!("/api/storms/{}", begun.data["id"].as_str().expect("an id"));
    browser.change(Method::DELETE, &path).await;
    while one.next().await.is_some() {}
    let taken = browser.open_storm(&short()).await.status();

    assert_eq!(refused, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(taken, StatusCode::OK);
    ui.stop().await.expect("the others end with the page");
}

/// Storms, each with the code and the words of its problem.
const REFUSED: &str = r#"
{}
    invalid_storm missing field `story`
{"story": "spikes"}
    unknown_story no story is called 'spikes'; did you mean 'spike'?
{"story": "spike", "seed": -1}
    invalid_storm seed: invalid value
{"story": "spike", "settings": {"workers": 0}}
    invalid_storm the number of workers must be a whole number from 1 to 10000, got 0
{"story": "spike", "settings": {"speed": 1}}
    invalid_storm settings.speed: unknown field
{"story": "spike", "settings": {"length_seconds": 15}}
    invalid_storm the incident must end 2 s before the storm does or earlier, got 15 s
{"story": "spike", "own": {"attempts": 21}}
    invalid_storm the number of attempts must be a whole number from 1 to 20, got 21
{"story": "spike", "policies": []}
    invalid_storm unknown field `policies`
{"story": "spike", "own": {"backoff": "later"}}
    invalid_storm own.backoff: unknown variant
"#;

#[tokio::test]
async fn an_invalid_setting_is_refused_with_its_name_and_rule() {
    let (ui, browser) = serve().await;
    let lines: Vec<_> = REFUSED.trim().lines().collect();
    for case in lines.chunks(2) {
        let (storm, problem) = (case[0], case[1].trim());
        let (code, detail) = problem.split_once(' ').expect("words");
        let storm = serde_json::from_str(storm).expect("JSON");

        let response = browser.post("/api/storms", &storm).await;

        assert_eq!(response.status, StatusCode::UNPROCESSABLE_ENTITY, "{storm}");
        assert_eq!(response.code(), code, "{storm}");
        let found = response.json()["detail"].to_string();
        assert!(found.contains(detail), "{storm}: {found}");
    }
    ui.stop().await.expect("nothing is left");
}

#[tokio::test]
async fn a_guess_is_answered_in_the_storm_of_the_command_line() {
    let (ui, browser) = serve().await;
    let storm = json!({ "story": "spike", "guess": ["<b>1 attempt"] });

    let events = simulated(&browser, &storm).await;

    let of_the_command = storm::Plan::of(&storm::STORIES[0]).seed;
    assert_eq!(events[0].data["seed"], of_the_command);
    let over = &events.last().expect("an end").data;
    let answer = "✗ Your prediction: </b>&lt;b&gt;1 attempt. Right: ";
    assert_eq!(count_html(over, answer), 1, "{over}");
    ui.stop().await.expect("nothing is left");
}

#[tokio::test]
async fn the_users_own_policy_is_simulated_beside_the_others() {
    let (ui, browser) = serve().await;
    let mut storm = short();
    storm["own"] = json!({ "attempts": 5, "backoff": "none" });

    let events = simulated(&browser, &storm).await;

    assert_eq!(count_html(&events[0].data, "<h3>yours"), 1);
    let over = &events.last().expect("an end").data;
    assert_eq!(count_html(over, "<h3>yours"), 1);
    assert_eq!(count_html(over, "class=\"break-even\" d="), 1, "{over}");
    ui.stop().await.expect("nothing is left");
}
