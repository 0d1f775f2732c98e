//! Crawls that survive: a crash at any step loses no page and repeats at most one.

use std::fs;

use client::{
    ApiClient, Checkpoint, CheckpointStore, Crawl, CrawlError, CrawlStart, Cursor, Endpoint,
    FileCheckpoints, Listing, ListingLimits, MemoryCheckpoints, Position, UncommittedPage,
};

use crate::bench::{Bench, Script, cursor, page, status};
use crate::support::scripted::number;

/// A listing whose page behind each cursor has one item and the next cursor.
async fn listing(pages: &'static [(Option<&str>, u64, Option<&str>)]) -> Bench {
    let script = Script::by(move |request| {
        let at = cursor(&request.url);
        let found = pages.iter().find(|(from, ..)| *from == at.as_deref());
        found.map_or_else(|| status(400), |(_, id, next)| page([*id], *next))
    });
    Bench::new(script).await
}

/// A listing of four pages: 1 | 2 | 3 | 4, behind cursors c1, c2 and c3.
async fn four_pages() -> Bench {
    listing(&[
        (None, 1, Some("c1")),
        (Some("c1"), 2, Some("c2")),
        (Some("c2"), 3, Some("c3")),
        (Some("c3"), 4, None),
    ])
    .await
}

async fn begin<S: CheckpointStore>(bench: &Bench, store: S) -> Crawl<S> {
    let crawl = bench.client.items().crawl(store).await.expect("begun");
    crawl.pages().expect("not finished")
}

/// The next page, which there is.
async fn next<S: CheckpointStore>(crawl: &mut Crawl<S>) -> UncommittedPage<'_, S> {
    let page = crawl.next_page().await.expect("a page");
    page.expect("not the end")
}

/// Reads and commits up to `pages` pages of one item each: their items, and the error if
/// one came first.
async fn read<S: CheckpointStore>(
    crawl: &mut Crawl<S>,
    pages: usize,
) -> (Vec<u64>, Option<CrawlError>) {
    let mut processed = Vec::new();
    while processed.len() < pages {
        match crawl.next_page().await {
            None => break,
            Some(Err(error)) => return (processed, Some(error)),
            Some(Ok(page)) => {
                let (items, page) = page.into_items();
                processed.extend(items.iter().map(number));
                page.commit().await.expect("saved");
            }
        }
    }
    (processed, None)
}

fn problem(error: Option<CrawlError>) -> Option<&'static str> {
    match error? {
        CrawlError::Api(error) => error.problem(),
        other => panic!("an error of the listing, not {other}"),
    }
}

#[tokio::test]
async fn a_page_that_was_not_committed_ends_the_crawl_with_an_error() {
    for committed in 0..4 {
        let (bench, store) = (four_pages().await, MemoryCheckpoints::default());
        let mut crawl = begin(&bench, store.clone()).await;
        read(&mut crawl, committed).await;
        drop(next(&mut crawl).await);

        let error = crawl.next_page().await.expect("an error");

        assert!(matches!(error, Err(CrawlError::NotCommitted)), "{error:?}");
        assert!(crawl.next_page().await.is_none(), "it has ended");
        assert_eq!(bench.sent().await.len(), committed + 1, "nothing was sent");
        let (again, _) = read(&mut begin(&bench, store).await, 1).await;
        assert_eq!(again, [committed as u64 + 1], "no page is lost");
    }
}

#[tokio::test]
async fn a_finished_crawl_says_so_until_it_is_restarted() {
    let (bench, store) = (four_pages().await, MemoryCheckpoints::default());
    read(&mut begin(&bench, store.clone()).await, 9).await;
    let crawl = async || {
        let crawl = bench.client.items().crawl(store.clone()).await;
        crawl.expect("a store")
    };
    for _ in 0..2 {
        let CrawlStart::Finished(finished) = crawl().await else {
            panic!("every page was processed")
        };
        assert_eq!(finished.pages(), 4);
    }
    let CrawlStart::Finished(finished) = crawl().await else {
        panic!("every page was processed")
    };

    let (first, _) = read(&mut finished.restart(), 2).await;
    let (rest, _) = read(&mut begin(&bench, store.clone()).await, 9).await;

    assert_eq!((first, rest), (vec![1, 2], vec![3, 4]));
}

#[tokio::test]
async fn a_save_that_fails_leaves_the_crawl_where_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("crawl");
    let bench = four_pages().await;
    let mut crawl = begin(&bench, FileCheckpoints::new(&path)).await;
    read(&mut crawl, 1).await;
    let second = next(&mut crawl).await;
    fs::write(&path, "a file of somebody else").expect("written");

    let failed = second.commit().await;

    failed.expect_err("the file is not a checkpoint");
    let left = fs::read_to_string(&path).expect("a file");
    assert_eq!(left, "a file of somebody else");
    let again = next(&mut crawl).await;
    assert_eq!(again.items().iter().map(number).collect::<Vec<_>>(), [2]);
}

/// A listing that never ends: c1 → c2 → c3 → c1 → …
async fn circle() -> Bench {
    listing(&[
        (None, 1, Some("c1")),
        (Some("c1"), 2, Some("c2")),
        (Some("c2"), 3, Some("c3")),
        (Some("c3"), 1, Some("c1")),
    ])
    .await
}

#[tokio::test]
async fn a_circle_that_spans_the_resume_is_found_within_one_more_round() {
    for before in 0..3 {
        let store = MemoryCheckpoints::default();
        let bench = circle().await;
        read(&mut begin(&bench, store.clone()).await, before).await;

        let mut crawl = begin(&bench, store).await;
        let (pages, error) = read(&mut crawl, 9).await;

        assert_eq!(problem(error), Some("cursor_repeated"));
        assert!(crawl.next_page().await.is_none(), "its end asks again");
        // The cursor it resumed from is as known as one it received.
        let expected = if before == 0 { 3 } else { 2 };
        assert_eq!(pages.len(), expected, "more pages after {before}");
    }
}

const ORDERS: Endpoint = Endpoint::new("orders", "/orders/{customer}");

/// A listing of orders. No such name resolves, and nothing is sent.
fn orders(base_url: &str, customer: u32, state: &str) -> Listing {
    let client = ApiClient::builder(base_url).build().expect("a client");
    client.listing(ORDERS.path("customer", customer).query("state", state))
}

/// Whether the crawl was halfway or finished.
#[tokio::test]
async fn a_checkpoint_of_another_listing_is_refused_and_both_are_named() {
    const HERE: &str = "http://h4.invalid/v1";
    let ours = orders(HERE, 1, "open");
    for (listing, is_the_same) in [
        (ours.clone(), true),
        (orders("http://h4.invalid/v2", 1, "open"), false),
        (orders(HERE, 2, "open"), false),
        (orders(HERE, 1, "all"), false),
    ] {
        for position in [
            Position::At(Cursor::new("c1").expect("not empty")),
            Position::Done,
        ] {
            let store = MemoryCheckpoints::default();
            let checkpoint = Checkpoint::new(ours.id(), 1, position);
            store.save(&checkpoint).await.expect("memory");

            let begun = listing.clone().crawl(store).await;

            let expected = format!(
                "the checkpoint was saved for the listing {}, and this one is {}; \
                 give each listing a file or store of its own, \
                 or move this one away to start from the beginning",
                ours.id().as_str(),
                listing.id().as_str()
            );
            let refused = begun.err().map(|error| error.to_string());
            assert_eq!(refused, (!is_the_same).then_some(expected));
        }
    }
}

#[tokio::test]
async fn all_runs_of_a_crawl_together_read_at_most_max_pages() {
    let bench = Bench::new(Script::endless(1)).await;
    let store = MemoryCheckpoints::default();
    let run = async |max_pages: u32, pages| {
        let mut limits = ListingLimits::DEFAULT;
        limits.max_pages = max_pages.try_into().expect("positive");
        let listing = bench.client.items().limits(limits);
        let crawl = listing.crawl(store.clone()).await.expect("begun");
        let mut crawl = crawl.pages().expect("it never ends");
        let (processed, error) = read(&mut crawl, pages).await;
        assert!(matches!(problem(error), None | Some("page_limit")));
        processed
    };

    let (first, second) = (run(5, 2).await, run(5, 2).await);
    let (third, fourth) = (run(5, 9).await, run(5, 9).await);
    let (allowed_less, allowed_more) = (run(3, 9).await, run(7, 9).await);

    assert_eq!((first, second), (vec![0, 1], vec![2, 3]));
    assert_eq!((third, fourth), (vec![4], vec![]));
    assert_eq!((allowed_less, allowed_more), (vec![], vec![5, 6]));
    let checkpoint = store.load().await.expect("memory").expect("saved");
    assert_eq!(checkpoint.pages(), 7);
}
