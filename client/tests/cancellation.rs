//! A future of the client may be dropped at any await: no slot, no token and no
//! gauge is lost with it, and nothing is counted as a failure.
//!
//! The futures are polled by hand and outside any runtime, so "at any await"
//! means each of them in turn.

use std::{pin::pin, sync::Arc, task::Poll};

use client::{
    Checkpoint, CheckpointError, CheckpointStore, Endpoint, IdempotencyKey, JsonObject,
    MemoryCheckpoints, ReliableApiClient,
    telemetry::{
        ATTEMPTS, BUDGET_TOKENS, CONCURRENCY_LIMIT, CURSOR_LOOPS, GIVE_UPS, Metric, RETRIES,
    },
};
use futures_util::future::{join, join_all};
use metrics_util::debugging::{DebuggingRecorder, Snapshotter};

use crate::support::{
    counted::Counted,
    drive::{finish, give_way, poll},
    offline,
    service::Service,
    virtual_clock,
};

/// A client, its service, and what it counts.
struct Observed {
    client: ReliableApiClient,
    service: Service,
    snapshotter: Snapshotter,
    slots: u32,
}

impl Observed {
    fn new(slots: u32) -> Self {
        let service = Service::default();
        let recorder = DebuggingRecorder::new();
        let snapshotter = recorder.snapshotter();
        let client = offline(&virtual_clock())
            .max_concurrency(slots)
            .max_pages(3)
            .recorder(Arc::new(recorder))
            .transport(service.transport(slots as usize))
            .build()
            .expect("a client");
        // A full budget would hide a deposit too many.
        for _ in 0..3 {
            finish(client.flaky()).expect("ready").expect("the retry");
        }
        Self {
            client,
            service,
            snapshotter,
            slots,
        }
    }

    /// Checks that nothing was lost, by using all of it.
    fn assert_whole(self, story: &str) {
        assert_eq!(self.service.in_flight.now(), 0, "in flight {story}");

        // Answered only once all slots are taken together.
        let calls = (0..self.slots).map(|_| self.client.no_content());
        let calls = finish(join_all(calls)).unwrap_or_else(|| panic!("a slot is lost {story}"));

        assert!(calls.iter().all(Result::is_ok), "{calls:?} {story}");
        let counted = Counted::read(&self.snapshotter);
        let sum = |metric: Metric| counted.sum(metric.name);
        assert_eq!(sum(GIVE_UPS), 0.0, "give-ups {story}");
        assert_eq!(sum(CURSOR_LOOPS), 0.0, "loops {story}");
        assert_eq!(
            sum(CONCURRENCY_LIMIT),
            f64::from(self.slots),
            "limit {story}"
        );
        assert_eq!(
            sum(ATTEMPTS),
            f64::from(self.service.answers()),
            "attempts {story}"
        );
        // What was on the wire is paid for, and nothing else. The very first
        // deposit found the budget full.
        let (firsts, retries) = self.service.firsts_and_retries();
        let expected = 10.0 + f64::from(firsts - 1) / 10.0 - f64::from(retries);
        let tokens = sum(BUDGET_TOKENS);
        assert!(
            (tokens - expected).abs() < 1e-6,
            "{tokens} tokens rather than {expected} {story}"
        );
        assert!(sum(RETRIES) >= f64::from(retries), "retries {story}");
    }
}

/// Drops what `scenario` makes after each number of polls, until one completes.
fn drop_at_every_await<F: Future<Output = ()>>(
    slots: u32,
    scenario: impl Fn(ReliableApiClient) -> F,
) {
    for polls in 0.. {
        let observed = Observed::new(slots);
        let mut future = Box::pin(scenario(observed.client.clone()));
        let completed = (0..polls).any(|_| poll(future.as_mut()).is_ready());
        drop(future);

        observed.assert_whole(&format!("after {polls} polls"));

        if completed {
            assert!(polls > 5, "it has several awaits");
            return;
        }
    }
}

#[test]
fn a_call_that_waits_for_its_retry_can_be_dropped() {
    drop_at_every_await(2, async |client| {
        client.flaky().await.expect("the retry");
    });
}

#[test]
fn the_creation_of_a_job_can_be_dropped() {
    drop_at_every_await(2, async |client| {
        let key = IdempotencyKey::new("order-4711").expect("a key");
        let job = client.create_job(&key, &JsonObject::new()).await;
        assert_eq!(job.expect("the retry").id, "j-1");
    });
}

#[test]
fn a_listing_can_be_dropped() {
    drop_at_every_await(2, async |client| {
        let mut pages = client.items().pages();
        while let Some(page) = pages.next_page().await {
            page.expect("the retry");
        }
    });
    drop_at_every_await(2, async |client| {
        let mut items = client.items().items();
        while let Some(item) = items.next_item().await {
            item.expect("the retry");
        }
    });
}

#[test]
fn a_crawl_can_be_dropped() {
    drop_at_every_await(2, async |client| {
        let listing = client.items();
        let mut crawl = listing.crawl(SlowStore::default()).await.expect("begun");
        while let Some(page) = crawl.next_page().await.expect("the retry") {
            page.commit().await.expect("saved");
        }
    });
}

#[test]
fn calls_that_wait_for_a_slot_can_be_dropped_together() {
    drop_at_every_await(1, async |client| {
        let (flaky, later) = join(client.flaky(), client.get(Endpoint::CREATE_JOB)).await;
        flaky.expect("the retry");
        later.expect("the retry");
    });
}

#[test]
fn a_call_that_waits_for_a_slot_can_be_dropped_while_another_goes_on() {
    for polls in 0..40 {
        let observed = Observed::new(1);
        let client = observed.client.clone();
        let mut goes_on = Box::pin(client.flaky());
        let mut dropped = Box::pin(client.get(Endpoint::CREATE_JOB));
        let ended = (0..polls).find_map(|_| {
            let ended = poll(goes_on.as_mut()).is_ready();
            (poll(dropped.as_mut()).is_ready() || ended).then_some(ended)
        });
        drop(dropped);
        if ended != Some(true) {
            let answer = finish(goes_on).unwrap_or_else(|| panic!("stuck after {polls} polls"));
            answer.expect("the retry");
        }

        observed.assert_whole(&format!("after {polls} polls"));

        if ended.is_some() {
            return;
        }
    }
    panic!("neither call ended");
}

/// A store that gives way before it saves and after.
#[derive(Clone, Default)]
struct SlowStore(MemoryCheckpoints);

#[async_trait::async_trait]
impl CheckpointStore for SlowStore {
    async fn load(&self) -> Result<Option<Checkpoint>, CheckpointError> {
        give_way(2).await;
        self.0.load().await
    }

    async fn save(&self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        give_way(2).await;
        self.0.save(checkpoint).await?;
        give_way(2).await;
        Ok(())
    }
}

/// Polls what `begin` makes `polls` times and drops it; if it was not ready by
/// then, makes another and finishes that.
fn interrupted<T>(polls: usize, mut begin: impl AsyncFnMut() -> T) -> T {
    {
        let mut future = pin!(begin());
        for _ in 0..polls {
            if let Poll::Ready(output) = poll(future.as_mut()) {
                return output;
            }
        }
    }
    finish(begin()).expect("it ends")
}

/// More polls than one page takes.
const POLLS: usize = 30;

#[test]
fn pages_go_on_after_a_drop_and_dropped_requests_are_no_pages() {
    for polls in 0..POLLS {
        let observed = Observed::new(2);
        let mut pages = observed.client.items().pages();
        let mut read = Vec::new();

        while let Some(page) = interrupted(polls, async || pages.next_page().await) {
            read.push(page.expect("within three pages").items.len());
        }

        assert_eq!(read, [2, 1, 2], "after {polls} polls");
    }
}

#[test]
fn items_go_on_after_a_drop_without_losing_one() {
    for polls in 0..POLLS {
        let observed = Observed::new(2);
        let mut items = observed.client.items().items();
        let mut read = Vec::new();

        while let Some(item) = interrupted(polls, async || items.next_item().await) {
            read.push(item.expect("within three pages")["n"].as_u64());
        }

        assert_eq!(read, [1, 2, 3, 4, 5].map(Some), "after {polls} polls");
    }
}

#[test]
fn a_commit_that_is_dropped_loses_no_page() {
    for polls in 0..6 {
        let observed = Observed::new(2);
        let store = SlowStore::default();
        let client = observed.client;
        let first_page = async || {
            let listing = client.items();
            listing.crawl(store.clone()).await.expect("begun")
        };
        let mut crawl = finish(first_page()).expect("ready");
        let page = finish(crawl.next_page()).expect("ready").expect("a page");
        let mut commit = Box::pin(page.expect("the first page").commit());
        let committed = (0..polls).any(|_| poll(commit.as_mut()).is_ready());
        drop(commit);

        let next = finish(crawl.next_page()).expect("ready").expect("a page");

        let next = next.expect("not the end").items()[0]["n"].as_u64();
        assert_eq!(
            next,
            Some(if committed { 3 } else { 1 }),
            "after {polls} polls"
        );
        // A process that starts here goes on from the old checkpoint or the new.
        let mut resumed = finish(first_page()).expect("ready");
        let resumed = finish(resumed.next_page()).expect("ready").expect("a page");
        let resumed = resumed.expect("not the end").items()[0]["n"].as_u64();
        assert!(
            matches!(resumed, Some(1 | 3)),
            "{resumed:?} after {polls} polls"
        );
    }
}
