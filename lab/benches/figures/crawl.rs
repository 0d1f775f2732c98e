//! A crawl of a million items by the reference client, compared with a loop by hand.

use std::{hint::black_box, num::NonZeroU32, time::Instant};

use client::{Endpoint, Listing, ListingLimits, teaching::ReliableApiClient};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{
    bare,
    client::session,
    process::{self, SECOND, Worker},
    service::resident,
    table::{Bound, show},
};

/// A worker that crawls both ways in turns, and prints how many items a second the client
/// reads for each that the loop by hand reads.
pub(crate) const TIMES: &str = "crawl-times";

/// A worker that crawls, and prints the memory of each page.
pub(crate) const PAGES: &str = "crawl-pages";

/// A listing of a million items, a hundred a page, and one that never ends, with one.
const LONG: Endpoint = Endpoint::new("long", bare::LONG_PAGES);
const SINGLE: Endpoint = Endpoint::new("endless", bare::ENDLESS_PAGES);

const ITEMS: u32 = 1_000_000;

/// The pages before memory is measured, and those whose memory is measured. In between, a
/// table of cursors doubles a few times.
const FIRST_PAGES: u32 = 2_000;
const MORE_PAGES: u32 = 200_000;

/// A page, as the loop by hand reads it.
#[derive(Deserialize)]
struct Page {
    items: Vec<Box<RawValue>>,
    next_cursor: Option<String>,
}

pub(crate) fn measure() {
    let numbers = |worker| -> Vec<f64> {
        let service = Worker::start(SECOND, bare::SERVICE, &[]);
        let printed = process::output(worker, &[&service.base_url]);
        let numbers = printed.lines().map(|line| line.parse().expect("a number"));
        numbers.collect()
    };
    let label = "crawl of a million items / loop by hand";
    show(label, "", Bound::AtLeast(0.95), numbers(TIMES));
    show("  memory a page", " B", Bound::AtMost(64.0), numbers(PAGES));
}

pub(crate) fn time(base_url: &str) {
    let (runtime, http) = (process::runtime(), session());
    let client = ReliableApiClient::builder(base_url).build().expect("legal");
    for _ in 0..5 {
        let begun = Instant::now();
        runtime.block_on(loop_by_hand(&http, base_url));
        let by_hand = begun.elapsed();
        let begun = Instant::now();
        runtime.block_on(by_client(&client));
        println!("{}", by_hand.as_secs_f64() / begun.elapsed().as_secs_f64());
    }
}

/// Reads pages, and prints the bytes that each of them leaves in memory.
pub(crate) fn remember(base_url: &str) {
    let client = ReliableApiClient::builder(base_url).build().expect("legal");
    let held = process::runtime().block_on(async {
        let mut pages = listing(&client, SINGLE).pages();
        let mut read = async |count| {
            for _ in 0..count {
                let page = pages.next_page().await.expect("it goes on");
                black_box(page.expect("a page"));
            }
            resident("self")
        };
        let before = read(FIRST_PAGES).await;
        read(MORE_PAGES).await - before
    });
    println!("{}", held / f64::from(MORE_PAGES));
}

/// The loop of a user of `reqwest`.
async fn loop_by_hand(http: &reqwest::Client, base_url: &str) {
    let first = format!("{base_url}{}?limit=100", LONG.template());
    let mut url = first.clone();
    let mut items = 0;
    loop {
        let response = http.get(url).send().await.expect("a response");
        let response = response.error_for_status().expect("a success");
        let body = response.bytes().await.expect("a body");
        let page: Page = serde_json::from_slice(&body).expect("a page");
        for item in page.items {
            black_box(item);
            items += 1;
        }
        let Some(cursor) = page.next_cursor else {
            break;
        };
        url = format!("{first}&cursor={cursor}");
    }
    assert_eq!(items, ITEMS);
}

/// The same by the client, item by item.
async fn by_client(client: &ReliableApiClient) {
    let mut listing = listing(client, LONG).items();
    let mut items = 0;
    while let Some(item) = listing.next_item().await {
        black_box(item.expect("an item"));
        items += 1;
    }
    assert_eq!(items, ITEMS);
}

fn listing(client: &ReliableApiClient, endpoint: Endpoint) -> Listing {
    let mut limits = ListingLimits::DEFAULT;
    limits.max_pages = NonZeroU32::MAX;
    limits.max_items = NonZeroU32::MAX;
    limits.page_size = NonZeroU32::new(100).expect("it is not zero");
    client.listing(endpoint).limits(limits)
}
