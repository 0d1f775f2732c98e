//! A crawl of a million items by the reference client, compared with a loop by hand.

use std::{hint::black_box, num::NonZeroU32, time::Instant};

use client::{Endpoint, ListingLimits, teaching::ReliableApiClient};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{
    bare,
    client::session,
    process::{FIRST, SECOND, Worker, runtime, take_turns},
    table::{Bound, show},
};

const LONG: Endpoint = Endpoint::new("long", bare::LONG_PAGES);

const ITEMS: u32 = 1_000_000;

/// A page, as the loop by hand reads it.
#[derive(Deserialize)]
struct Page {
    items: Vec<Box<RawValue>>,
    next_cursor: Option<String>,
}

pub(crate) fn measure() {
    let service = Worker::start(SECOND, &["bare-service"]);
    let mut crawls = Worker::start(FIRST, &["crawls", &service.base_url]);
    let label = "crawl of a million items / loop by hand";
    let rounds = (0..5).map(|_| crawls.ask()).collect();
    show(label, "", Bound::AtLeast(0.90), rounds);
}

/// Crawls both ways in each turn, whose number is how many items the client reads for each
/// that the loop by hand reads.
pub(crate) fn crawl(base_url: &str) {
    let (runtime, http) = (runtime(), session());
    let client = ReliableApiClient::builder(base_url).build().expect("legal");
    take_turns(|| {
        let begun = Instant::now();
        assert_eq!(runtime.block_on(loop_by_hand(&http, base_url)), ITEMS);
        let by_hand = begun.elapsed();
        let begun = Instant::now();
        assert_eq!(runtime.block_on(by_client(&client)), ITEMS);
        by_hand.as_secs_f64() / begun.elapsed().as_secs_f64()
    });
}

/// The loop of a user of `reqwest`.
async fn loop_by_hand(http: &reqwest::Client, base_url: &str) -> u32 {
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
            return items;
        };
        url = format!("{first}&cursor={cursor}");
    }
}

/// The same by the client, item by item.
async fn by_client(client: &ReliableApiClient) -> u32 {
    let mut limits = ListingLimits::DEFAULT;
    limits.max_pages = NonZeroU32::MAX;
    limits.max_items = NonZeroU32::MAX;
    limits.page_size = NonZeroU32::new(100).expect("it is not zero");
    let mut listing = client.listing(LONG).limits(limits).items();
    let mut items = 0;
    while let Some(item) = listing.next_item().await {
        black_box(item.expect("an item"));
        items += 1;
    }
    items
}
