use evidence::wire::{Delivery, ValueHash, WireRequest};
use evidence::{Overrides, Pace, Run};

use super::curl::curl;
use super::received;
use crate::{Reliable, Settings, run, scenario};
use host::{HeaderShape, RequestShape};
use wire::RecordedHeader;

async fn finished(name: &str) -> Run {
    let settings = Settings {
        seed: 7,
        client: &Reliable,
        pace: Pace::Virtual,
        overrides: Overrides::NONE,
    };
    let scenario = scenario::find(name).expect("a scenario of the catalogue");
    run(scenario, &settings).await.expect("a run")
}

#[tokio::test]
async fn each_request_has_its_exchange() {
    for scenario in scenario::CATALOGUE {
        let run = finished(scenario.words.name).await;

        let of_requests = run.wire.entries.iter().map(|request| request.seq);
        let of_exchanges = run.wire.exchanges.iter().map(|exchange| exchange.seq);
        assert!(of_requests.eq(of_exchanges), "{}", scenario.words.name);
        for exchange in &run.wire.exchanges {
            assert!(exchange.response.is_some(), "{}", scenario.words.name);
        }
    }
}

#[tokio::test]
async fn the_facts_say_what_a_lesson_is_about() {
    for (name, facts) in [
        ("flaky", &[][..]),
        ("items", &["cursor A → end"]),
        ("looping-items", &["cursor A → B → A"]),
        (
            "resumed-crawl",
            &["cursor A → end", "requests 2 and 3: both with cursor A"],
        ),
        ("redirect", &["request 1: Location: /items"]),
    ] {
        assert_eq!(finished(name).await.view.facts.0, facts, "{name}");
    }
}

#[tokio::test]
async fn what_broke_off_on_its_way_is_told_from_what_was_sent() {
    let reset = finished("reset").await.wire.exchanges;
    let lost = finished("lost-response").await.wire.exchanges;

    let first = reset[0].response.as_ref().expect("a response");
    assert_eq!(first.start, "HTTP/1.1 200 OK");
    assert_eq!(reset[0].delivery, Delivery::BrokenOff);
    let length: usize = first.header("content-length").unwrap().parse().unwrap();
    let remark = format!(
        "broken off on its way: the client got {} of {length} bytes of the body",
        length / 2
    );
    assert_eq!(first.remark.as_deref(), Some(&*remark));
    assert_eq!(reset[1].delivery, Delivery::Whole);
    let fates: Vec<_> = lost.iter().map(|exchange| exchange.delivery).collect();
    assert_eq!(fates, [Delivery::Lost, Delivery::Whole]);
}

#[test]
fn a_command_has_variables_where_nothing_was_kept() {
    let shape = RequestShape {
        headers: [
            ("content-type", Some("a'b")),
            ("idempotency-key", None),
            ("authorization", None),
            ("user-agent", Some("c")),
        ]
        .map(|(name, value)| HeaderShape {
            name: name.to_owned(),
            value: value.map(|value| RecordedHeader::Value(value.into())),
        })
        .into(),
    };
    let request = |method, route: &str, cursor: Option<u64>| WireRequest {
        method,
        route: route.to_owned().into(),
        cursor: cursor.map(ValueHash),
        ..WireRequest::default()
    };
    let command = |request: WireRequest, shape: &RequestShape| {
        curl(&request, &received(shape, &request, &Default::default()))
    };

    let job = command(request("POST", "/jobs", None), &shape);
    let page = command(request("GET", "/items", Some(7)), &RequestShape::default());
    let added = command(request("GET", "/retry-later-date", None), &shape);
    let wrong = command(request("POST", "/items", None), &shape);

    assert_eq!(
        job.as_deref(),
        Some(
            "curl -i http://127.0.0.1:8765/jobs -H 'content-type: a'\\''b' -H \
             \"Idempotency-Key: $KEY\" -H \"Authorization: $AUTHORIZATION\" --data-binary \
             \"$BODY\""
        )
    );
    assert_eq!(
        page.as_deref(),
        Some("curl -i -G http://127.0.0.1:8765/items --data-urlencode \"cursor=$CURSOR\"")
    );
    assert_eq!((added, wrong), (None, None));
}
