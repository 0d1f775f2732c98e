//! Reading a listing to its end, and never beyond.

use std::{fs, path::PathBuf};

use client::{
    ApiError, CheckpointStore, ContractError, Cursor, FileCheckpoints, Items, MemoryCheckpoints,
    Pages, Position,
};
use tests::{Bench, Loopback, Session, contract_error, page, story};

/// Reads to the end: how many pages there were, and how it ended.
async fn read_pages(mut pages: Pages) -> (usize, Result<(), ApiError>) {
    let mut count = 0;
    while let Some(page) = pages.next_page().await {
        if let Err(error) = page {
            assert!(pages.next_page().await.is_none(), "an error is the end");
            return (count, Err(error));
        }
        count += 1;
    }
    (count, Ok(()))
}

/// Reads to the end: how many items there were, and how it ended.
async fn read_items(mut items: Items) -> (usize, Result<(), ApiError>) {
    let mut count = 0;
    while let Some(item) = items.next_item().await {
        if let Err(error) = item {
            assert!(items.next_item().await.is_none(), "an error is the end");
            return (count, Err(error));
        }
        count += 1;
    }
    (count, Ok(()))
}

/// Pages of this many items and a cursor never seen before, for ever.
fn endless(items: usize) -> Session {
    Session::by(move |number| page(items, Some(&number.to_string())))
}

#[tokio::test]
async fn items_yields_three_records_and_every_cursor_goes_back_unchanged() {
    let loopback = Loopback::start();

    let (records, end) = read_items(loopback.client.items().items()).await;
    let mut again = loopback.client.items().pages();
    let first = again.next_page().await.expect("a page").expect("a page");

    assert!(end.is_ok(), "null ends a listing in good order: {end:?}");
    assert_eq!(records, 3);
    let cursor = first.next_cursor.expect("a second page");
    for awkward in ['+', '/', '=', '&'] {
        assert!(cursor.as_str().contains(awkward), "nothing to encode");
    }
    let sent = loopback.session.sent();
    assert_eq!(sent[0].query("cursor"), None);
    assert_eq!(sent[1].query("cursor").as_deref(), Some(cursor.as_str()));
    let ledger = loopback.stop().await;
    assert_eq!(ledger.total, 3, "{}", story(&ledger));

    let odd = [
        " ",
        "null",
        "0",
        "%2B+",
        "a b\n\t",
        "\u{0}é→\u{1F980}",
        "?&=#/;,",
    ];
    for cursor in odd {
        let bench = Bench::new(Session::of([page(1, Some(cursor)), page(1, None)]));

        let (pages, end) = read_pages(bench.client.items().pages()).await;

        assert_eq!((pages, end.is_ok()), (2, true), "{cursor:?}");
        let sent = &bench.session.sent()[1];
        assert_eq!(sent.query("cursor").as_deref(), Some(cursor), "{sent:?}");
    }
}

#[tokio::test]
async fn a_cursor_that_was_received_before_ends_the_listing_with_an_error() {
    let page_of_the_repetition = |end| match contract_error(end) {
        ContractError::CursorRepeated { pages, .. } => pages as usize,
        other => panic!("a repeated cursor, not {other}"),
    };
    let loopback = Loopback::start();

    let (pages, end) = read_pages(loopback.client.looping_items().pages()).await;

    let ledger = loopback.stop().await;
    assert_eq!((pages, ledger.total), (2, 3), "{}", story(&ledger));
    assert_eq!(page_of_the_repetition(end), 3, "A, B, A");

    let cycles = [
        &["A", "A"][..],
        &["A", "B", "B"],
        &["A", "B", "C", "A"],
        &["A", "B", "C", "B"],
    ];
    for cursors in cycles {
        let script: Vec<_> = cursors.iter().map(|cursor| page(1, Some(cursor))).collect();
        let bench = Bench::new(Session::of(script));

        let (pages, end) = read_pages(bench.client.items().pages()).await;

        assert_eq!(pages, cursors.len() - 1, "{cursors:?}");
        assert_eq!(page_of_the_repetition(end), cursors.len(), "{cursors:?}");
    }
}

#[tokio::test]
async fn a_listing_of_more_than_max_pages_ends_with_an_error() {
    let limit = |end| match contract_error(end) {
        ContractError::PageLimit { max_pages, .. } => max_pages,
        other => panic!("a page limit, not {other}"),
    };
    for max_pages in [1, 2, 5] {
        let loopback = Loopback::start_with(|builder| builder.max_pages(max_pages));

        let (pages, end) = read_pages(loopback.client.endless_items().pages()).await;

        let ledger = loopback.stop().await;
        let requests = u64::from(max_pages);
        assert_eq!(
            (pages as u64, ledger.total),
            (requests, requests),
            "{}",
            story(&ledger)
        );
        assert_eq!(limit(end), max_pages);
    }
    let (by_default, end) = read_pages(Bench::new(endless(1)).client.items().pages()).await;
    assert_eq!((by_default, limit(end)), (100, 100));

    let enough = Loopback::start_with(|builder| builder.max_pages(2));
    let (pages, end) = read_pages(enough.client.items().pages()).await;
    assert_eq!((pages, end.is_ok()), (2, true), "two are not more than two");
}

#[tokio::test]
async fn a_listing_of_more_than_max_items_ends_with_an_error_after_exactly_that_many() {
    let limit = |end| match contract_error(end) {
        ContractError::ItemLimit { max_items, .. } => max_items,
        other => panic!("an item limit, not {other}"),
    };
    for (max_items, requests) in [(1, 1), (2, 1), (3, 2), (4, 2)] {
        let loopback = Loopback::start_with(|builder| builder.max_items(max_items));

        let (items, end) = read_items(loopback.client.endless_items().items()).await;

        let ledger = loopback.stop().await;
        let story = story(&ledger);
        assert_eq!(
            (items as u32, ledger.total),
            (max_items, requests),
            "{story}"
        );
        assert_eq!(limit(end), max_items);
    }
    let bench = Bench::new(endless(50));
    let (by_default, end) = read_items(bench.client.items().items()).await;
    assert_eq!((by_default, limit(end)), (1000, 1000));
    assert_eq!(bench.session.sent().len(), 20, "a page at a time");

    let enough = Loopback::start_with(|builder| builder.max_items(3));
    let (items, end) = read_items(enough.client.items().items()).await;
    assert_eq!(
        (items, end.is_ok()),
        (3, true),
        "three are not more than three"
    );
}

#[tokio::test]
async fn a_checkpoint_is_saved_only_after_its_page_was_processed() {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("a-crawl.checkpoint");
    drop(fs::remove_file(&file));

    crawl_with_crashes(MemoryCheckpoints::default()).await;
    crawl_with_crashes(FileCheckpoints::new(file)).await;
}

async fn crawl_with_crashes<S: CheckpointStore + Clone>(store: S) {
    let script = Session::of([
        page(2, Some("A")),
        page(2, Some("A")),
        page(2, Some("B")),
        page(2, Some("B")),
        page(1, None),
    ]);
    let bench = Bench::new(script);
    let listing = || bench.client.items();
    let at = |cursor| Some(Position::At(Cursor::new(cursor).expect("a cursor")));
    let saved = async || {
        let checkpoint = store.load().await.expect("a store");
        checkpoint.map(|checkpoint| checkpoint.position)
    };

    // The first page is read and not committed: it is read again.
    let mut crawl = listing().crawl(store.clone()).await.expect("a store");
    let unprocessed = crawl.next_page().await.expect("a page").expect("a page");
    assert_eq!(unprocessed.items().len(), 2);
    drop(unprocessed);
    assert_eq!(saved().await, None);
    let again = crawl.next_page().await.expect("a page").expect("a page");
    assert_eq!(saved().await, None, "it is read, and not yet processed");
    again.commit().await.expect("saved");
    assert_eq!(saved().await, at("A"));

    // Between reading the second page and committing it, the process ends.
    let lost = crawl.next_page().await.expect("a page").expect("a page");
    drop(lost);
    drop(crawl);
    assert_eq!(saved().await, at("A"));
    let mut resumed = listing().crawl(store.clone()).await.expect("a store");
    for position in [at("B"), Some(Position::Done)] {
        let page = resumed.next_page().await.expect("a page").expect("a page");
        page.commit().await.expect("saved");
        assert_eq!(saved().await, position);
    }
    assert!(resumed.next_page().await.is_none());
    let mut finished = listing().crawl(store.clone()).await.expect("a store");
    assert!(finished.next_page().await.is_none());

    let cursors: Vec<_> = bench
        .session
        .sent()
        .iter()
        .map(|sent| sent.query("cursor"))
        .collect();
    let cursors: Vec<_> = cursors.iter().map(Option::as_deref).collect();
    assert_eq!(cursors, [None, None, Some("A"), Some("A"), Some("B")]);
}
