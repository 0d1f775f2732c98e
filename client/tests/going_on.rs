//! A listing goes on after one of its futures was dropped: nothing is lost, and
//! what was dropped does not count.

use std::{pin::pin, task::Poll};

use crate::support::{
    drive::{finish, poll},
    observed::Observed,
    scripted::number,
    slow_store::SlowStore,
};

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

        let next = number(&next.expect("not the end").items()[0]);
        assert_eq!(next, if committed { 3 } else { 1 }, "after {polls} polls");
        // A process that starts here goes on from the old checkpoint or the new.
        let mut resumed = finish(first_page()).expect("ready");
        let resumed = finish(resumed.next_page()).expect("ready").expect("a page");
        let resumed = number(&resumed.expect("not the end").items()[0]);
        assert!(matches!(resumed, 1 | 3), "{resumed:?} after {polls} polls");
    }
}
