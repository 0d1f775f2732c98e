//! A future of the client may be dropped at any await: no slot, no token and no
//! gauge is lost with it, and nothing is counted as a failure.
//!
//! The futures are polled by hand and outside any runtime, so "at any await"
//! means each of them in turn.

use client::{
    IdempotencyKey, JsonObject,
    teaching::{ReliableApiClient, endpoint},
};
use futures_util::future::join;

use crate::bench::read;
use crate::support::{
    drive::{finish, poll},
    observed::Observed,
    slow_store::SlowStore,
};

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
    drop_at_every_await(2, async |client| {
        let key = IdempotencyKey::new("order-4711").expect("a key");
        let job = client.create_job(&key, &JsonObject::new()).await;
        assert_eq!(job.expect("the retry").id, "j-1");
    });
}

#[test]
fn a_listing_can_be_dropped() {
    drop_at_every_await(2, async |client| {
        read(client.items()).await.expect("the retries");
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
        while let Some(page) = crawl.next_page().await {
            page.expect("the retry").commit().await.expect("saved");
        }
    });
}

#[test]
fn calls_that_wait_for_a_slot_can_be_dropped_together() {
    drop_at_every_await(1, async |client| {
        let (flaky, later) = join(client.flaky(), client.get(endpoint::CREATE_JOB)).await;
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
        let mut dropped = Box::pin(client.get(endpoint::CREATE_JOB));
        let ended = (0..polls).find_map(|_| {
            let ended = poll(goes_on.as_mut()).is_ready();
            (poll(dropped.as_mut()).is_ready() || ended).then_some(ended)
        });
        drop(dropped);
        if ended != Some(true) {
            let response = finish(goes_on).unwrap_or_else(|| panic!("stuck after {polls} polls"));
            response.expect("the retry");
        }

        observed.assert_whole(&format!("after {polls} polls"));

        if ended.is_some() {
            return;
        }
    }
    panic!("neither call ended");
}
