//! A future of the client may be dropped at any await: no slot and no token is lost with it,
//! nothing is counted as a failure, and a listing goes on.
//!
//! The futures are polled by hand and outside any runtime, so "at any await"
//! means each of them in turn.

use std::{pin::pin, task::Poll};

use client::{Checkpoint, CheckpointError, CheckpointStore, MemoryCheckpoints, teaching::endpoint};
use futures_util::future::join;

use crate::support::{
    drive::{finish, give_way, poll},
    observed::Observed,
    scripted::number,
};

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

#[test]
fn calls_that_wait_for_a_slot_and_for_their_retry_can_be_dropped_at_every_await() {
    for polls in 0.. {
        let observed = Observed::new(1);
        let client = observed.client.clone();
        let mut calls = Box::pin(async {
            let other = client.get(endpoint::CREATE_JOB).send();
            let (flaky, other) = join(client.flaky(), other).await;
            flaky.expect("the retry");
            other.expect("the retry");
        });
        let completed = (0..polls).any(|_| poll(calls.as_mut()).is_ready());
        drop(calls);

        observed.assert_whole(&format!("after {polls} polls"));

        if completed {
            assert!(polls > 5, "it has several awaits");
            return;
        }
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
fn pages_and_items_go_on_after_a_drop_and_dropped_requests_are_no_pages() {
    for polls in 0..POLLS {
        let (of_pages, of_items) = (Observed::new(2), Observed::new(2));
        let mut pages = of_pages.client.items().pages();
        let mut items = of_items.client.items().items();
        let (mut lengths, mut numbers) = (Vec::new(), Vec::new());

        while let Some(page) = interrupted(polls, async || pages.next_page().await) {
            lengths.push(page.expect("within three pages").items.len());
        }
        while let Some(item) = interrupted(polls, async || items.next_item().await) {
            numbers.push(number(&item.expect("within three pages")));
        }

        assert_eq!(lengths, [2, 1, 2], "after {polls} polls");
        assert_eq!(numbers, [1, 2, 3, 4, 5], "after {polls} polls");
    }
}

#[test]
fn a_commit_that_is_dropped_loses_no_page() {
    for polls in 1..6 {
        let observed = Observed::new(2);
        let store = SlowStore::default();
        let listing = observed.client.items();
        let begin = || {
            let crawl = finish(listing.clone().crawl(store.clone())).expect("ready");
            crawl.expect("begun").pages().expect("not finished")
        };
        let mut crawl = begin();
        let page = finish(crawl.next_page()).expect("ready").expect("a page");
        let mut commit = Box::pin(page.expect("the first page").commit());
        let committed = (0..polls).any(|_| poll(commit.as_mut()).is_ready());
        drop(commit);

        let next = finish(crawl.next_page()).expect("ready").expect("a page");

        let next = number(&next.expect("not the end").items()[0]);
        assert_eq!(next, if committed { 3 } else { 1 }, "after {polls} polls");
        // A process that starts here goes on from the old checkpoint or the new.
        let mut resumed = begin();
        let resumed = finish(resumed.next_page()).expect("ready").expect("a page");
        let resumed = number(&resumed.expect("not the end").items()[0]);
        assert!(matches!(resumed, 1 | 3), "{resumed:?} after {polls} polls");
    }
}
