//! A listing read to its end: what it counts, where it stops, and with what.

use client::{ApiError, ContractError, Endpoint, JsonObject, ResponseProblem};
use futures_util::StreamExt;
use http::Uri;

use crate::bench::{Bench, Reply, Script, page, read, response_problem, status, typed};
use crate::support::scripted::number;

/// A client that is given these responses, one after the other.
async fn bench(script: impl IntoIterator<Item = Reply>) -> Bench {
    Bench::new(Script::of(script)).await
}

#[tokio::test]
async fn a_repeated_cursor_counts_the_attempts_of_the_page_that_brought_it() {
    let (first, again) = (page([1], Some("A")), page([2], Some("A")));
    let bench = bench([first, status(503), status(503), again]).await;

    let error = read(bench.client.items()).await.expect_err("A, A");

    assert_eq!(error.attempts(), 3, "{error}");
    assert_eq!(error.problem(), Some("cursor_repeated"));
    assert!(error.to_string().contains("on page 2"), "{error}");
}

#[tokio::test]
async fn items_and_objects_are_kept_as_they_came_however_deep() {
    const DEPTH: usize = 100_000;
    let deep = format!("{}{}", "[".repeat(DEPTH), "]".repeat(DEPTH));
    let item = format!(r#"{{"z":12345678901234567890123,"a":1e-400,"a":{deep}}}"#);
    let body = format!(r#"{{ "items": [ {item} ], "deep": {deep}, "next_cursor": null }}"#);
    let json = |body: &str| typed(200, "application/json", body);
    let broken = body.replacen("]]", "]}", 1);
    let bench = bench([json(&body), json(&body), json(&broken)]).await;
    let client = &bench.client;

    let page = client.items().pages().next_page().await;
    let object = client.get(Endpoint::OTHER).send().await;
    let broken = client.get(Endpoint::OTHER).send().await;

    let page = page.expect("a page").expect("a page");
    assert!(page.items[0].text() == item, "it was changed");
    assert!(object.expect("an object").text() == body, "it was changed");
    let too_deep = page.items[0].parse::<JsonObject>();
    let problem = response_problem(too_deep);
    assert_eq!(problem.as_str(), "does_not_fit");
    let column = body.find("]]").expect("closing brackets") + 2;
    let invalid = ResponseProblem::InvalidJson { line: 1, column };
    assert_eq!(response_problem(broken), invalid);
}

#[tokio::test]
async fn a_cursor_that_no_url_can_carry_is_an_error_before_anything_is_sent() {
    for (too_long, letter, expansion) in [(0, "c", 1), (0, " ", 3), (1, "c", 1), (3, " ", 3)] {
        let bench = Bench::new(Script::always(status(404))).await;
        let before = format!("{}/items?limit=50&cursor=", bench.server.uri());
        let url_bytes = 65_534 - (65_534 - before.len()) % expansion + too_long;
        let cursor = letter.repeat((url_bytes - before.len()) / expansion);
        bench.server.reset().await;
        Script::of([page([1], Some(&cursor)), page([2], None)])
            .mount(&bench.server)
            .await;
        let mut pages = bench.client.items().pages();
        pages.next_page().await.expect("a page").expect("a page");

        let second = pages.next_page().await.expect("not the end");

        let sent = bench.sent().await.len();
        match second {
            Ok(_) => assert_eq!((too_long, sent), (0, 2)),
            Err(ApiError::Contract(
                error @ ContractError::CursorTooLong {
                    url_bytes: found,
                    max_url_bytes: 65_534,
                    ..
                },
            )) => assert_eq!((found, error.attempts(), sent), (url_bytes, 0, 1)),
            other => panic!("{other:?} for {url_bytes} bytes"),
        }
    }
    let one_more = format!("http://127.0.0.1/{}", "c".repeat(65_535 - 17));
    let possible = Uri::try_from(one_more).is_ok();
    assert!(!possible, "the limit could be higher");
}

#[tokio::test]
async fn the_items_as_a_stream_are_those_of_the_listing_and_end_after_an_error() {
    let bench = bench([page([1, 2], Some("A")), page([3], Some("A"))]).await;

    let items: Vec<_> = bench.client.items().items().into_stream().collect().await;

    let (last, before) = items.split_last().expect("items");
    let read = before
        .iter()
        .map(|item| number(item.as_ref().expect("read")));
    assert_eq!(read.collect::<Vec<_>>(), [1, 2]);
    let error = last.as_ref().expect_err("A, A");
    assert_eq!(error.problem(), Some("cursor_repeated"));
}
