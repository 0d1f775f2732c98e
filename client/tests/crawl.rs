//! Crawls that survive: a crash at any step loses no page and repeats at most one.

use std::{
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use client::{
    ApiError, Checkpoint, CheckpointError, CheckpointStore, ContractError, Crawl, CrawlError,
    Cursor, Endpoint, Listing, ListingId, ListingLimits, MemoryCheckpoints, Position,
    UncommittedPage, teaching::ReliableApiClient,
};
use futures_util::{StreamExt, TryStreamExt};

use crate::bench::{Bench, Script, cursor, page, status};
use crate::support::scripted::number;

/// A listing whose page behind each cursor has one item and the next cursor.
async fn listing(pages: &'static [(Option<&str>, u64, Option<&str>)]) -> Bench {
    let script = Script::by(move |request| {
        let at = cursor(request);
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Crash {
    BeforeProcessing,
    BeforeCommit,
    AfterCommit,
}

/// Crawls on from where `store` stands and notes each page processed, until the
/// end or a crash at page number `at` of this run.
async fn run(
    bench: &Bench,
    store: &MemoryCheckpoints,
    processed: &mut Vec<u64>,
    crash: Option<(usize, Crash)>,
) {
    let mut crawl = begin(bench, store.clone()).await;
    for here in 0.. {
        let crash = crash.and_then(|(at, step)| (at == here).then_some(step));
        let Some(page) = crawl.next_page().await else {
            return;
        };
        let page = page.expect("a page");
        if crash != Some(Crash::BeforeProcessing) {
            processed.extend(page.items().iter().map(number));
        }
        if crash.is_none_or(|step| step == Crash::AfterCommit) {
            page.commit().await.expect("saved");
        }
        if crash.is_some() {
            return;
        }
    }
}

#[tokio::test]
async fn a_crash_at_any_step_loses_nothing_and_repeats_at_most_one_page() {
    let bench = four_pages().await;
    for page in 0..4 {
        for step in [
            Crash::BeforeProcessing,
            Crash::BeforeCommit,
            Crash::AfterCommit,
        ] {
            let store = MemoryCheckpoints::default();
            let mut processed = Vec::new();

            run(&bench, &store, &mut processed, Some((page, step))).await;
            run(&bench, &store, &mut processed, None).await;

            let mut expected = vec![1, 2, 3, 4];
            if step == Crash::BeforeCommit {
                expected.insert(page, expected[page]);
            }
            assert_eq!(processed, expected, "{step:?} at page {page}");
            assert_eq!(position(&store).await, Some(Position::Done));
        }
    }
}

#[tokio::test]
async fn a_crawl_that_never_commits_comes_to_an_end() {
    let bench = four_pages().await;
    let mut crawl = begin(&bench, MemoryCheckpoints::default()).await;

    let mut pages = 0;
    let error = loop {
        assert!(pages <= 100, "it goes on for ever");
        match crawl.next_page().await.expect("no end") {
            Ok(_) => pages += 1,
            Err(error) => break error,
        }
    };

    assert_eq!(pages, 100);
    assert!(
        matches!(
            error,
            ApiError::Contract(ContractError::PageLimit { max_pages: 100, .. })
        ),
        "{error}"
    );
}

/// A store that fails while told to.
#[derive(Clone, Default)]
struct Failing {
    store: MemoryCheckpoints,
    fails: Arc<AtomicBool>,
}

#[async_trait::async_trait]
impl CheckpointStore for Failing {
    async fn load(&self) -> Result<Option<Checkpoint>, CheckpointError> {
        self.store.load().await
    }

    async fn save(&self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        if self.fails.load(Ordering::SeqCst) {
            return Err(CheckpointError::Store("the disk is full".into()));
        }
        self.store.save(checkpoint).await
    }
}

#[tokio::test]
async fn a_save_that_fails_leaves_the_crawl_where_it_was() {
    let store = Failing::default();
    let bench = four_pages().await;
    let mut crawl = begin(&bench, store.clone()).await;
    let first = next(&mut crawl).await;
    first.commit().await.expect("saved");
    let second = next(&mut crawl).await;

    store.fails.store(true, Ordering::SeqCst);
    let failed = second.commit().await;

    failed.expect_err("the store failed");
    let expected = Position::At(Cursor::new("c1").expect("not empty"));
    assert_eq!(position(&store).await, Some(expected));
    let again = next(&mut crawl).await;
    assert_eq!(number(&again.items()[0]), 2);
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
        let mut crawl = begin(&bench, store.clone()).await;
        for _ in 0..before {
            let page = next(&mut crawl).await;
            page.commit().await.expect("saved");
        }

        let mut crawl = begin(&bench, store).await;
        let mut pages = 0;
        let error = loop {
            match crawl.next_page().await.expect("not the end") {
                Ok(page) => page.commit().await.expect("saved"),
                Err(error) => break error,
            }
            pages += 1;
        };

        assert!(
            matches!(
                error,
                ApiError::Contract(ContractError::CursorRepeated { .. })
            ),
            "{error}"
        );
        assert!(crawl.next_page().await.is_none(), "its end asks again");
        // The cursor it resumed from is as known as one it received.
        let expected = if before == 0 { 3 } else { 2 };
        assert_eq!(pages, expected, "more pages after {before}");
    }
}

#[tokio::test]
async fn a_checkpoint_of_another_listing_is_refused_and_nothing_is_sent() {
    let client = |base_url: &str| {
        // No such name resolves, and nothing is sent.
        ReliableApiClient::builder(base_url)
            .build()
            .expect("a client")
    };
    let same = client("http://H4.invalid:80/v1/").items();
    for position in [
        Position::Done,
        Position::At(Cursor::new("c1").expect("not empty")),
    ] {
        let store = MemoryCheckpoints::default();
        let checkpoint = Checkpoint {
            listing: client("http://h4.invalid/v1").items().id(),
            pages: 1,
            position,
        };
        store.save(&checkpoint).await.expect("memory");

        let resumed = same.clone().crawl(store.clone()).await;

        resumed.expect("one URL in two spellings");
        for (other, differs) in [
            (client("http://h4.invalid/v1").endless_items(), "endpoint"),
            (
                client("http://h4.invalid").listing(Endpoint::new("v1", "/v1/items")),
                "endpoint",
            ),
            (client("http://h4.invalid/v2").items(), "base URL"),
            (client("https://h4.invalid/v1").items(), "base URL"),
            (client("http://h4.invalid:81/v1").items(), "base URL"),
        ] {
            let error = other.crawl(store.clone()).await.expect_err(differs);

            assert_eq!(
                error.to_string(),
                format!(
                    "the checkpoint was saved for a listing with another {differs}; \
                     give each listing a file or store of its own, \
                     or move this one away to start from the beginning"
                )
            );
        }
    }
}

#[tokio::test]
async fn a_service_that_moved_is_crawled_on_once_its_checkpoint_says_so() {
    let store = MemoryCheckpoints::default();
    let before = Checkpoint {
        listing: ListingId::from_text("/items@0000000000000000"),
        pages: 2,
        position: Position::At(Cursor::new("c2").expect("not empty")),
    };
    store.save(&before).await.expect("memory");

    let mut checkpoint = store.load().await.expect("memory").expect("saved");
    let bench = four_pages().await;
    checkpoint.listing = bench.client.items().id();
    store.save(&checkpoint).await.expect("memory");

    let mut processed = Vec::new();
    run(&bench, &store, &mut processed, None).await;
    assert_eq!(processed, [3, 4]);
}

/// A listing without an end.
async fn endless() -> Bench {
    let script = Script::by(|request| {
        let number: u64 = cursor(request).map_or(0, |cursor| cursor.parse().expect("ours"));
        page([number], Some(&(number + 1).to_string()))
    });
    Bench::new(script).await
}

fn at_most(max_pages: u32, client: &ReliableApiClient) -> Listing {
    client.items().limits(ListingLimits {
        max_pages: max_pages.try_into().expect("positive"),
        ..ListingLimits::DEFAULT
    })
}

/// Crawls on and commits `pages` pages, or as many as there are before an error.
async fn crawl_on(listing: Listing, store: &MemoryCheckpoints, pages: usize) -> Vec<u64> {
    let mut crawl = listing.crawl(store.clone()).await.expect("begun");
    let mut processed = Vec::new();
    while processed.len() < pages {
        match crawl.next_page().await.expect("no end") {
            Ok(page) => {
                processed.extend(page.items().iter().map(number));
                page.commit().await.expect("saved");
            }
            Err(error) => {
                let limit = matches!(error, ApiError::Contract(ContractError::PageLimit { .. }));
                assert!(limit, "{error}");
                break;
            }
        }
    }
    processed
}

#[tokio::test]
async fn all_runs_of_a_crawl_together_read_at_most_max_pages() {
    let bench = endless().await;
    let client = &bench.client;
    let store = MemoryCheckpoints::default();

    let first = crawl_on(at_most(5, client), &store, 2).await;
    let second = crawl_on(at_most(5, client), &store, 2).await;
    let third = crawl_on(at_most(5, client), &store, 9).await;
    let fourth = crawl_on(at_most(5, client), &store, 9).await;
    let allowed_less = crawl_on(at_most(3, client), &store, 9).await;
    let allowed_more = crawl_on(at_most(7, client), &store, 9).await;

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
    let contract = matches!(last, Err(CrawlError::Api(ApiError::Contract(_))));
    assert!(contract, "{last:?}");
}

#[tokio::test]
async fn items_can_be_taken_out_of_a_page_before_it_is_committed() {
    let store = MemoryCheckpoints::default();
    let bench = four_pages().await;
    let mut crawl = begin(&bench, store.clone()).await;

    let (items, page) = next(&mut crawl).await.into_items();

    assert_eq!(items.iter().map(number).collect::<Vec<_>>(), [1]);
    assert_eq!(position(&store).await, None);
    page.commit().await.expect("saved");
    assert!(position(&store).await.is_some());
}
