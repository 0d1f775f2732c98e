//! A listing read to its end: what it counts, where it stops, and with what.

use std::{
    future::ready,
    num::NonZeroU32,
    sync::{Arc, Mutex},
};

use client::{
    ApiError, ContractError, Endpoint, Listing, ListingLimits, ResponseProblem,
    teaching::ReliableApiClient,
};
use http::Uri;
use reqwest::{Response, Url};

use crate::support::{
    offline,
    scripted::{page, response, scripted, status},
    virtual_clock,
};

/// A client that is given these responses, one after the other.
fn client(script: Vec<Response>) -> ReliableApiClient {
    let script = Arc::new(Mutex::new(script.into_iter()));
    offline(&virtual_clock())
        .transport(scripted(move |_| {
            let next = script.lock().expect("no panic while held").next();
            ready(Ok(next.expect("a response for every request")))
        }))
        .build()
        .expect("a client")
}

fn limited(client: &ReliableApiClient, max_pages: u32, max_items: u32) -> Listing {
    client.items().limits(ListingLimits {
        max_pages: NonZeroU32::new(max_pages).expect("positive"),
        max_items: NonZeroU32::new(max_items).expect("positive"),
        ..ListingLimits::DEFAULT
    })
}

#[tokio::test]
async fn a_repeated_cursor_counts_the_attempts_of_the_page_that_brought_it() {
    let mut pages = client(vec![
        page(&[1], Some("A")),
        status(503),
        status(503),
        page(&[2], Some("A")),
    ])
    .items()
    .pages();
    pages.next_page().await.expect("a page").expect("a page");

    let error = pages.next_page().await.expect("not the end");

    let error = error.expect_err("A, A");
    assert_eq!(error.attempts(), 3, "{error}");
    assert!(
        matches!(
            error,
            ApiError::Contract(ContractError::CursorRepeated { pages: 2, .. })
        ),
        "{error}"
    );
}

#[tokio::test]
async fn a_limit_that_is_reached_counts_no_attempts() {
    let by_page = client(vec![page(&[1], Some("A"))]);
    let mut pages = limited(&by_page, 1, 10).pages();
    let by_item = client(vec![page(&[1], Some("A"))]);
    let mut items = limited(&by_item, 10, 1).items();
    pages.next_page().await.expect("a page").expect("a page");
    items.next_item().await.expect("an item").expect("an item");

    let page = pages.next_page().await.expect("not the end").map(drop);
    let item = items.next_item().await.expect("not the end").map(drop);

    for error in [page, item] {
        let error = error.expect_err("there is more");
        assert_eq!(error.attempts(), 0, "{error}");
    }
    assert!(pages.next_page().await.is_none(), "an error is the end");
    assert!(items.next_item().await.is_none(), "an error is the end");
}

#[tokio::test]
async fn an_item_that_was_read_and_not_taken_is_more() {
    for (on_the_page, is_more) in [(&[1, 2][..], false), (&[1, 2, 3], true)] {
        let client = client(vec![page(on_the_page, None)]);
        let mut items = limited(&client, 10, 2).items();
        for _ in 0..2 {
            items.next_item().await.expect("an item").expect("an item");
        }

        let end = items.next_item().await;

        assert_eq!(end.is_some(), is_more, "{end:?} after {on_the_page:?}");
        assert!(
            matches!(
                end,
                None | Some(Err(ApiError::Contract(ContractError::ItemLimit {
                    max_items: 2,
                    ..
                })))
            ),
            "{end:?}"
        );
        assert!(items.next_item().await.is_none(), "it is over");
    }
}

#[tokio::test]
async fn items_and_objects_are_kept_as_they_came_however_deep() {
    const DEPTH: usize = 100_000;
    let deep = format!("{}{}", "[".repeat(DEPTH), "]".repeat(DEPTH));
    let item = format!(r#"{{"z":12345678901234567890123,"a":1e-400,"a":{deep}}}"#);
    let body = format!(r#"{{ "items": [ {item} ], "deep": {deep}, "next_cursor": null }}"#);
    let json = [("content-type", "application/json")];
    let client = client(vec![
        response(200, &json, body.clone()),
        response(200, &json, body.clone()),
        response(200, &json, body.replacen("]]", "]}", 1)),
    ]);

    let page = client.items().pages().next_page().await;
    let object = client.get(Endpoint::OTHER).await;
    let broken = client.get(Endpoint::OTHER).await;

    let page = page.expect("a page").expect("a page");
    assert!(page.items[0].text() == item, "it was changed");
    assert!(object.expect("an object").text() == body, "it was changed");
    let why = page.items[0].to_object().expect_err("too deep for a tree");
    let why = why.to_string();
    assert!(why.contains("recursion limit exceeded"), "{why}");
    let ApiError::Response(broken) = broken.expect_err("no JSON") else {
        panic!("no JSON is a representation error");
    };
    let column = body.find("]]").expect("closing brackets") + 2;
    let line = 1;
    assert_eq!(
        broken.problem,
        ResponseProblem::InvalidJson { line, column }
    );
}

/// Responds to a request for the first page with this cursor, and every other one
/// with the last page, if its URL fits what the real transport puts it into.
fn naming(cursor: String, sent: &Arc<Mutex<Vec<Url>>>) -> ReliableApiClient {
    let sent = Arc::clone(sent);
    offline(&virtual_clock())
        .transport(scripted(move |request| {
            let url = request.url().clone();
            Uri::try_from(url.as_str()).expect("a URL that can be sent");
            let first = url.query() == Some("limit=50");
            sent.lock().expect("no panic while held").push(url);
            ready(Ok(page(&[1], first.then_some(&cursor))))
        }))
        .build()
        .expect("a client")
}

#[tokio::test]
async fn a_cursor_that_no_url_can_carry_is_an_error_before_anything_is_sent() {
    let before = "http://127.0.0.1:1/items?limit=50&cursor=";
    let room = 65_534 - before.len();
    for (cursor, url_bytes) in [
        ("c".repeat(room), None),
        (" ".repeat(room / 3), None),
        ("c".repeat(room + 1), Some(65_535)),
        (" ".repeat(room), Some(before.len() + 3 * room)),
    ] {
        let sent = Arc::default();
        let mut pages = naming(cursor, &sent).items().pages();
        pages.next_page().await.expect("a page").expect("a page");

        let second = pages.next_page().await.expect("not the end");

        let sent = sent.lock().expect("no panic while held");
        match (second, url_bytes) {
            (Ok(_), None) => assert_eq!(sent.len(), 2),
            (
                Err(ApiError::Contract(
                    error @ ContractError::CursorTooLong {
                        url_bytes: found,
                        max_url_bytes: 65_534,
                        ..
                    },
                )),
                Some(expected),
            ) => assert_eq!((found, error.attempts(), sent.len()), (expected, 0, 1)),
            (other, expected) => panic!("{other:?} rather than {expected:?}"),
        }
    }
    let one_more = format!("{before}{}", "c".repeat(room + 1));
    assert!(
        Uri::try_from(one_more).is_err(),
        "the limit could be higher"
    );
}
