//! Crawls that survive: a crash at any step loses no page and repeats at most one.

use std::pin::pin;

use client::{
    ApiError, Checkpoint, CheckpointStore, Crawl, CrawlError, Endpoint, FileCheckpoints, ListingId,
    ListingLimits, MemoryCheckpoints, Position, UncommittedPage, teaching::ReliableApiClient,
};
use futures_util::{StreamExt, TryStreamExt};

use crate::bench::{Bench, Script, cursor, page, status};
use crate::support::{checkpoint, scripted::number};

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
    bench.client.items().crawl(store).await.expect("begun")
}

/// The next page, which there is.
async fn next<S: CheckpointStore>(crawl: &mut Crawl<S>) -> UncommittedPage<'_, S> {
    let page = crawl.next_page().await.expect("a page");
    page.expect("not the end")
}

/// Where the crawl of this store would go on.
async fn position(store: &impl CheckpointStore) -> Option<Position> {
    let checkpoint = store.load().await.expect("it can be read");
    checkpoint.map(|checkpoint| checkpoint.position)
}

/// Reads up to `pages` pages of one item each, and commits them or not: their items, and
/// the error if one came first.
async fn read<S: CheckpointStore>(
    crawl: &mut Crawl<S>,
    pages: usize,
    commits: bool,
) -> (Vec<u64>, Option<ApiError>) {
    let mut processed = Vec::new();
    while processed.len() < pages {
        match crawl.next_page().await {
            None => break,
            Some(Err(error)) => return (processed, Some(error)),
            Some(Ok(page)) => {
                let (items, page) = page.into_items();
                processed.extend(items.iter().map(number));
                if commits {
                    page.commit().await.expect("saved");
                }
            }
        }
    }
    (processed, None)
}

fn problem(error: Option<ApiError>) -> Option<&'static str> {
    error.and_then(|error| error.problem())
}

#[tokio::test]
async fn a_crawl_that_never_commits_comes_to_an_end() {
    let bench = four_pages().await;
    let mut crawl = begin(&bench, MemoryCheckpoints::default()).await;

    let (pages, error) = read(&mut crawl, 101, false).await;

    assert_eq!((pages, problem(error)), (vec![1; 100], Some("page_limit")));
}

#[tokio::test]
async fn a_save_that_fails_leaves_the_crawl_where_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = FileCheckpoints::new(folder.path().join("crawl"));
    let bench = four_pages().await;
    let mut crawl = begin(&bench, store.clone()).await;
    read(&mut crawl, 1, true).await;
    let second = next(&mut crawl).await;
    let saved = store.load().await.expect("a file").expect("saved");
    let theirs = Checkpoint { pages: 7, ..saved };
    store.save(&theirs).await.expect("saved");

    let failed = second.commit().await;

    failed.expect_err("the file was changed");
    assert_eq!(store.load().await.expect("a file"), Some(theirs));
    assert_eq!(read(&mut crawl, 1, false).await.0, [2]);
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
        read(&mut begin(&bench, store.clone()).await, before, true).await;

        let mut crawl = begin(&bench, store).await;
        let (pages, error) = read(&mut crawl, 9, true).await;

        assert_eq!(problem(error), Some("cursor_repeated"));
        assert!(crawl.next_page().await.is_none(), "its end asks again");
        // The cursor it resumed from is as known as one it received.
        let expected = if before == 0 { 3 } else { 2 };
        assert_eq!(pages.len(), expected, "more pages after {before}");
    }
}

#[tokio::test]
async fn a_checkpoint_of_another_listing_is_refused_and_nothing_is_sent() {
    // No such name resolves, and nothing is sent.
    let client = |base_url: &str| {
        let client = ReliableApiClient::builder(base_url).build();
        client.expect("a client")
    };
    let same = client("http://H4.invalid:80/v1/").items();
    let other_path = client("http://h4.invalid").listing(Endpoint::new("v1", "/v1/items"));
    let halfway = checkpoint(client("http://h4.invalid/v1").items().id(), "c1");
    let done = Checkpoint {
        position: Position::Done,
        ..halfway.clone()
    };
    for checkpoint in [halfway, done] {
        let store = MemoryCheckpoints::default();
        store.save(&checkpoint).await.expect("memory");

        let resumed = same.clone().crawl(store.clone()).await;

        resumed.expect("one URL in two spellings");
        for (other, differs) in [
            (client("http://h4.invalid/v1").endless_items(), "endpoint"),
            (other_path.clone(), "endpoint"),
            (client("http://h4.invalid/v2").items(), "base URL"),
            (client("https://h4.invalid/v1").items(), "base URL"),
            (client("http://h4.invalid:81/v1").items(), "base URL"),
        ] {
            let error = other.crawl(store.clone()).await.expect_err(differs);

            let text = format!(
                "the checkpoint was saved for a listing with another {differs}; \
                 give each listing a file or store of its own, \
                 or move this one away to start from the beginning"
            );
            assert_eq!(error.to_string(), text);
        }
    }
}

#[tokio::test]
async fn a_service_that_moved_is_crawled_on_once_its_checkpoint_says_so() {
    let store = MemoryCheckpoints::default();
    let before = checkpoint(ListingId::from_text("/items@0000000000000000"), "c2");
    store.save(&before).await.expect("memory");

    let mut checkpoint = store.load().await.expect("memory").expect("saved");
    let bench = four_pages().await;
    checkpoint.listing = bench.client.items().id();
    store.save(&checkpoint).await.expect("memory");

    let (processed, _) = read(&mut begin(&bench, store).await, 9, true).await;
    assert_eq!(processed, [3, 4]);
}

#[tokio::test]
async fn all_runs_of_a_crawl_together_read_at_most_max_pages() {
    let bench = Bench::new(Script::endless(1)).await;
    let store = MemoryCheckpoints::default();
    let run = async |max_pages: u32, pages| {
        let listing = bench.client.items().limits(ListingLimits {
            max_pages: max_pages.try_into().expect("positive"),
            ..ListingLimits::DEFAULT
        });
        let mut crawl = listing.crawl(store.clone()).await.expect("begun");
        let (processed, error) = read(&mut crawl, pages, true).await;
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
    assert_eq!(checkpoint.pages, 7);
}

#[tokio::test]
async fn a_crawl_as_a_stream_commits_each_page_when_the_next_is_asked_for() {
    let store = MemoryCheckpoints::default();
    let mut processed = Vec::new();
    let bench = four_pages().await;
    for pages_before_the_crash in [2, 3] {
        let crawl = begin(&bench, store.clone()).await;
        let mut pages = pin!(crawl.into_stream());
        for _ in 0..pages_before_the_crash {
            let page = pages.try_next().await.expect("read").expect("not the end");
            processed.extend(page.items.iter().map(number));
        }
    }
    assert_ne!(position(&store).await, Some(Position::Done));
    assert_eq!(processed, [1, 2, 2, 3, 4]);

    let crawl = begin(&bench, store.clone()).await;
    let last: Vec<_> = crawl.into_stream().try_collect().await.expect("read");

    assert_eq!(last.len(), 1, "the last page is delivered again");
    assert_eq!(position(&store).await, Some(Position::Done));
}

#[tokio::test]
async fn a_crawl_as_a_stream_ends_after_an_error() {
    let bench = circle().await;
    let crawl = begin(&bench, MemoryCheckpoints::default()).await;

    let pages: Vec<_> = crawl.into_stream().collect().await;

    let (last, before) = pages.split_last().expect("pages");
    assert!(before.iter().all(Result::is_ok), "{before:?}");
    assert!(matches!(last, Err(CrawlError::Api(_))), "{last:?}");
}
