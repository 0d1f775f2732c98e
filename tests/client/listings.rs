//! Reading a listing to its end, and never beyond.

use client::{
    ApiError, CheckpointStore, ContractError, CrawlStart, Cursor, FileCheckpoints, JsonObject,
    Listing, MemoryCheckpoints, Position, RawObject, telemetry::CURSOR_LOOPS,
};
use tests::{Bench, Loopback, Script, Tally, contract_error, cursor, page, sum};

/// Reads to the end: what there was, and how it ended.
async fn read<T>(
    mut next: impl AsyncFnMut() -> Option<Result<T, ApiError>>,
) -> (Vec<T>, Result<(), ApiError>) {
    let mut read = Vec::new();
    while let Some(one) = next().await {
        match one {
            Ok(one) => read.push(one),
            Err(error) => {
                assert!(next().await.is_none(), "an error is the end");
                return (read, Err(error));
            }
        }
    }
    (read, Ok(()))
}

/// Reads to the end: how many pages there were, and how it ended.
async fn read_pages(listing: Listing) -> (usize, Result<(), ApiError>) {
    let mut pages = listing.pages();
    let (pages, end) = read(async || pages.next_page().await).await;
    (pages.len(), end)
}

/// Reads to the end: the `id` of each item, and how it ended.
async fn read_items(listing: Listing) -> (Vec<String>, Result<(), ApiError>) {
    let mut items = listing.items();
    let (items, end) = read(async || items.next_item().await).await;
    let id = |item: &RawObject| {
        let id = &item.parse::<JsonObject>().expect("an object")["id"];
        id.as_str().map_or_else(|| id.to_string(), str::to_owned)
    };
    (items.iter().map(id).collect(), end)
}

/// The cursor of each request.
async fn sent_cursors(bench: &Bench) -> Vec<Option<String>> {
    let sent = bench.sent().await;
    sent.iter().map(|request| cursor(&request.url)).collect()
}

#[tokio::test]
async fn items_yields_three_records_and_every_cursor_goes_back_unchanged() {
    let loopback = Loopback::start();

    let (records, end) = read_items(loopback.client.items()).await;
    let first = loopback.client.items().pages().next_page().await;

    assert!(end.is_ok(), "null ends a listing normally: {end:?}");
    assert_eq!(records, ["item-1", "item-2", "item-3"]);
    let next = first.expect("a page").expect("a page").next_cursor;
    let next = next.expect("a second page");
    for awkward in ['+', '/', '=', '&'] {
        assert!(next.as_str().contains(awkward), "nothing to encode");
    }
    // The service refuses a cursor that it did not issue.
    let ledger = loopback.stop().await;
    assert_eq!(ledger.total, 3, "{ledger:#?}");

    let beyond_ascii = "\u{0}é→\u{1F980}";
    let url = "?&=#/;,";
    for odd in [
        " ",
        "null",
        "0",
        "%2B+",
        "a b\n\t",
        beyond_ascii,
        url,
        next.as_str(),
    ] {
        let bench = Bench::new(Script::of([page([1], Some(odd)), page([2], None)])).await;

        let (ids, end) = read_items(bench.client.items()).await;

        assert!(end.is_ok(), "{odd:?}: {end:?}");
        assert_eq!(ids, ["1", "2"], "{odd:?}");
        let cursors = sent_cursors(&bench).await;
        assert_eq!(cursors, [None, Some(odd.to_owned())]);
    }
}

#[tokio::test]
async fn a_cursor_that_was_received_before_ends_the_listing_with_an_error() {
    let page_of_the_repetition = |end| match contract_error(end) {
        ContractError::CursorRepeated { pages, .. } => pages as usize,
        other => panic!("a repeated cursor, not {other}"),
    };
    let tally = Tally::new();
    let loopback = Loopback::start_with(|builder| builder.recorder(tally.recorder()));

    let (pages, end) = read_pages(loopback.client.looping_items()).await;

    let ledger = loopback.stop().await;
    assert_eq!((pages, ledger.total), (2, 3), "{ledger:#?}");
    assert_eq!(page_of_the_repetition(end), 3, "A, B, A");
    let counted = tally.read();
    let of_the_listing = [("endpoint", "looping_items")];
    assert_eq!(sum(&counted, CURSOR_LOOPS.name, &of_the_listing), 1.0);
    assert_eq!(sum(&counted, CURSOR_LOOPS.name, &[]), 1.0);

    let cycles = [
        &["A", "A"][..],
        &["A", "B", "B"],
        &["A", "B", "C", "A"],
        &["A", "B", "C", "B"],
    ];
    for cursors in cycles {
        let tally = Tally::new();
        let script = Script::of(cursors.iter().map(|cursor| page([1], Some(cursor))));
        let bench = Bench::with(script, |builder| builder.recorder(tally.recorder())).await;

        let (pages, end) = read_pages(bench.client.items()).await;

        assert_eq!(pages, cursors.len() - 1, "{cursors:?}");
        assert_eq!(page_of_the_repetition(end), cursors.len(), "{cursors:?}");
        let loops = sum(&tally.read(), CURSOR_LOOPS.name, &[]);
        assert_eq!(loops, 1.0, "{cursors:?}");
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

        let (pages, end) = read_pages(loopback.client.endless_items()).await;

        let ledger = loopback.stop().await;
        let counts = [pages as u64, ledger.total];
        assert_eq!(counts, [u64::from(max_pages); 2], "{ledger:#?}");
        assert_eq!(limit(end), max_pages);
    }
    let enough = Loopback::start_with(|builder| builder.max_pages(2));
    let (pages, end) = read_pages(enough.client.items()).await;
    enough.stop().await;
    assert_eq!((pages, end.is_ok()), (2, true), "two are not more than two");

    let bench = Bench::new(Script::endless(1)).await;
    let (by_default, end) = read_pages(bench.client.items()).await;
    assert_eq!((by_default, limit(end)), (100, 100));
}

#[tokio::test]
async fn a_listing_of_more_than_max_items_ends_with_an_error_after_exactly_that_many() {
    let limit = |end| match contract_error(end) {
        ContractError::ItemLimit { max_items, .. } => max_items,
        other => panic!("an item limit, not {other}"),
    };
    for (max_items, requests) in [(1, 1), (2, 1), (3, 2), (4, 2)] {
        let loopback = Loopback::start_with(|builder| builder.max_items(max_items));

        let (items, end) = read_items(loopback.client.endless_items()).await;

        let ledger = loopback.stop().await;
        assert_eq!(items.len() as u32, max_items, "{ledger:#?}");
        assert_eq!(ledger.total, requests, "{ledger:#?}");
        assert_eq!(limit(end), max_items);
    }
    let enough = Loopback::start_with(|builder| builder.max_items(3));
    let (items, end) = read_items(enough.client.items()).await;
    enough.stop().await;
    assert_eq!(items.len(), 3);
    assert!(end.is_ok(), "three are not more than three: {end:?}");
    // An item that was read and not taken is more, even on the last page.
    for (ids, is_more) in [(1..=2, false), (1..=3, true)] {
        let last = Script::of([page(ids, None)]);
        let bench = Bench::with(last, |builder| builder.max_items(2)).await;
        let (items, end) = read_items(bench.client.items()).await;
        assert_eq!((items.len(), end.is_err()), (2, is_more), "{end:?}");
    }

    let bench = Bench::new(Script::endless(50)).await;
    let (by_default, end) = read_items(bench.client.items()).await;
    assert_eq!((by_default.len(), limit(end)), (1000, 1000));
    assert_eq!(by_default.last().map(String::as_str), Some("999"));
    assert_eq!(bench.sent().await.len(), 20, "a page at a time");
}

#[tokio::test]
async fn a_checkpoint_is_saved_only_after_its_page_was_processed() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("crawl.checkpoint");

    crawl_with_crashes(MemoryCheckpoints::default()).await;
    crawl_with_crashes(FileCheckpoints::new(file)).await;
}

async fn crawl_with_crashes<S: CheckpointStore + Clone>(store: S) {
    let again = || page([3, 4], Some("B"));
    let script = [page([1, 2], Some("A")), again(), again(), page([5], None)];
    let bench = Bench::new(Script::of(script)).await;
    let crawl = async || {
        let crawl = bench.client.items().crawl(store.clone()).await;
        crawl.expect("a store")
    };
    let at = |cursor| Some(Position::At(Cursor::new(cursor).expect("a cursor")));
    let saved = async || {
        let checkpoint = store.load().await.expect("a store");
        checkpoint.map(|checkpoint| checkpoint.position().clone())
    };

    let mut crashing = crawl().await.pages().expect("not finished");
    let first = crashing.next_page().await.expect("a page").expect("a page");
    assert_eq!(saved().await, None, "it is read, and not yet processed");
    first.commit().await.expect("saved");
    assert_eq!(saved().await, at("A"));

    // Between reading the second page and committing it, the process ends.
    drop(crashing.next_page().await.expect("a page").expect("a page"));
    assert_eq!(saved().await, at("A"));
    let mut resumed = crawl().await.pages().expect("not finished");
    for position in [at("B"), Some(Position::Done)] {
        let page = resumed.next_page().await.expect("a page").expect("a page");
        page.commit().await.expect("saved");
        assert_eq!(saved().await, position);
    }
    assert!(resumed.next_page().await.is_none());
    let again = crawl().await;
    assert!(matches!(again, CrawlStart::Finished(_)), "it has finished");

    let cursors = sent_cursors(&bench).await;
    let cursors: Vec<_> = cursors.iter().map(Option::as_deref).collect();
    assert_eq!(cursors, [None, Some("A"), Some("A"), Some("B")]);
}
