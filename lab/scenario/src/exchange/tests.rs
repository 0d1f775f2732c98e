use host::RequestShape;
use wire::{Header, ValueHash, WireRequest};

use super::{curl::curl, received};
use crate::{Reliable, ScenarioRun, Settings, catalogue, run};

async fn finished(name: &str) -> ScenarioRun {
    let settings = Settings::in_virtual_time(&Reliable, 7);
    let scenario = catalogue::find(name).expect("a scenario of the catalogue");
    run(scenario, &settings).await.expect("a run")
}

#[tokio::test]
async fn each_request_has_its_exchange() {
    for scenario in catalogue::CATALOGUE {
        let run = finished(scenario.words.name).await;

        let of_requests = run.wire.entries.iter().map(|request| request.seq);
        let of_exchanges = run.wire.exchanges.iter().map(|exchange| exchange.seq);
        assert!(of_requests.eq(of_exchanges), "{}", scenario.words.name);
        for (exchange, request) in run.wire.exchanges.iter().zip(&run.wire.entries) {
            let is_sent = exchange.response.is_some();
            assert_eq!(is_sent, request.status.is_some(), "{}", scenario.words.name);
        }
    }
}

#[tokio::test]
async fn the_limit_of_a_listing_is_shown_and_its_cursor_only_named() {
    let exchanges = finished("items").await.wire.exchanges;

    let starts = exchanges.iter().map(|exchange| &*exchange.request.start);
    assert_eq!(
        starts.collect::<Vec<_>>(),
        ["GET /items?limit=50 HTTP/1.1"; 2]
    );
    let second = &exchanges[1].request;
    assert_eq!(second.remark.as_deref(), Some("with cursor A"));
    let curl = exchanges[1].curl.as_deref().expect("a command");
    assert!(curl.contains("/items?limit=50'"), "{curl}");
}

/// A shell reads an unset variable as an empty text, and sends that.
#[tokio::test]
async fn no_command_needs_a_variable_without_saying_so() {
    for scenario in catalogue::CATALOGUE {
        for exchange in finished(scenario.words.name).await.wire.exchanges {
            let command = exchange.curl.unwrap_or_default();

            let explained = command.matches("${CURSOR:?").count();
            assert_eq!(command.matches('$').count(), explained, "{command}");
        }
    }
}

#[tokio::test]
async fn a_response_that_breaks_off_has_a_remark_and_a_lost_one_is_not_shown() {
    let cut = finished("reset").await.wire.exchanges;
    let lost = finished("lost-response").await.wire.exchanges;

    let first = cut[0].response.as_ref().expect("a response");
    assert_eq!(first.start, "HTTP/1.1 200 OK");
    let length: usize = first.header("content-length").unwrap().parse().unwrap();
    let remark = format!("broken off after {} bytes", length / 2);
    assert_eq!(first.remark.as_deref(), Some(&*remark));
    let sent: Vec<_> = lost
        .iter()
        .map(|exchange| exchange.response.is_some())
        .collect();
    assert_eq!(sent, [false, true]);
}

#[test]
fn a_command_has_examples_for_values_that_are_not_recorded() {
    let shape = RequestShape {
        headers: [
            ("content-type", Some("a'b")),
            ("idempotency-key", None),
            ("authorization", None),
            ("user-agent", Some("c")),
        ]
        .map(|(name, value)| Header {
            name: name.to_owned(),
            value: value.map(str::to_owned),
        })
        .into(),
        ..RequestShape::default()
    };
    let request = |method, route: &str, cursor: Option<u64>| WireRequest {
        method,
        route: route.to_owned().into(),
        cursor: cursor.map(ValueHash),
        ..WireRequest::default()
    };
    let command = |request: WireRequest, shape: &RequestShape| {
        let message = received(shape, &request, &Default::default());
        curl(&request, &message, shape.limit)
    };

    let job = command(request("POST", "/jobs", None), &shape);
    let page = command(request("GET", "/items", Some(7)), &RequestShape::default());
    let limited = RequestShape {
        limit: Some(50),
        ..RequestShape::default()
    };
    let limited = command(request("GET", "/items", Some(7)), &limited);
    let added = command(request("GET", "/retry-later-date", None), &shape);
    let wrong = command(request("POST", "/items", None), &shape);

    assert_eq!(
        job.as_deref(),
        Some(
            "curl -i http://127.0.0.1:8765/jobs -H 'content-type: a'\\''b' -H \
             'Idempotency-Key: my-key' -H 'Authorization: Bearer my-token' --data-binary \
             '{\"task\":\"my-task\"}'"
        )
    );
    let cursor = "\"cursor=${CURSOR:?set it to the next_cursor of the page before}\"";
    assert_eq!(
        page.as_deref(),
        Some(&*format!(
            "curl -i -G http://127.0.0.1:8765/items --data-urlencode {cursor}"
        ))
    );
    assert_eq!(
        limited.as_deref(),
        Some(&*format!(
            "curl -i -G 'http://127.0.0.1:8765/items?limit=50' --data-urlencode {cursor}"
        ))
    );
    assert_eq!((added, wrong), (None, None));
}
