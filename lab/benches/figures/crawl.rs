//! A crawl of a million items by the reference client, compared with a loop by hand.

use std::{hint::black_box, num::NonZeroU32, time::Instant};

use client::{Endpoint, Listing, ListingLimits, teaching::ReliableApiClient};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::runtime::Runtime;

use crate::{
    bare_service,
    client::session,
    memory,
    process::{self, Core, Service},
    spread::Spread,
    table::{Bound, Line, Row},
};

/// A worker that crawls both ways in turns, and prints the seconds of each.
pub(crate) const TIMES: &str = "crawl-times";

/// A worker that crawls, and prints the memory of each page.
pub(crate) const PAGES: &str = "crawl-pages";

const RATIO: Row = Row(
    "crawl of a million items / loop by hand",
    "",
    Bound::AtLeast(0.95),
);
const MEMORY: Row = Row("  memory a page", " B", Bound::AtMost(64.0));

/// A listing of a million items, a hundred a page, and one that never ends, with one.
const LONG: Endpoint = Endpoint::new("long", bare_service::LONG_PAGES);
const SINGLE: Endpoint = Endpoint::new("endless", bare_service::ENDLESS_PAGES);

/// The items of a crawl, and the turns of each way.
const ITEMS: u32 = 1_000_000;
const ROUNDS: usize = 5;

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

pub(crate) fn measure() -> Vec<Line> {
    let worker = |worker| {
        let service = process::worker_on(Core::Second, bare_service::WORKER, &[]);
        let service = Service::start(service);
        let worker = process::worker_on(Core::First, worker, &[&service.base_url]);
        process::output(worker)
    };
    let rounds: Vec<[f64; 2]> = serde_json::from_str(&worker(TIMES)).expect("it prints times");
    let ratios = rounds.iter().map(|[loops, crawl]| loops / crawl);
    let bytes = worker(PAGES).trim().parse().expect("a number");
    vec![
        RATIO.measured(Spread::of(ratios)),
        MEMORY.measured(Spread::of([bytes])),
    ]
}

/// Crawls both ways in turns, and prints the seconds of each.
pub(crate) fn time(arguments: &[String]) {
    let crawler = Crawler::new(arguments);
    let rounds = [(); ROUNDS].map(|()| {
        [
            timed(|| crawler.loop_by_hand()),
            timed(|| crawler.by_client()),
        ]
    });
    println!("{}", serde_json::to_string(&rounds).expect("numbers"));
}

/// Reads pages, and prints the bytes that each of them leaves in memory.
pub(crate) fn remember(arguments: &[String]) {
    let crawler = Crawler::new(arguments);
    let held = crawler.runtime.block_on(async {
        let mut pages = crawler.listing(SINGLE).pages();
        let mut read = async |count| {
            for _ in 0..count {
                let page = pages.next_page().await.expect("it goes on");
                black_box(page.expect("a page"));
            }
            memory::resident("self")
        };
        let before = read(FIRST_PAGES).await;
        read(MORE_PAGES).await - before
    });
    println!("{}", held / f64::from(MORE_PAGES));
}

/// The seconds of this.
fn timed(act: impl FnOnce()) -> f64 {
    let begun = Instant::now();
    act();
    begun.elapsed().as_secs_f64()
}

struct Crawler {
    runtime: Runtime,
    base_url: String,
    bare: reqwest::Client,
    client: ReliableApiClient,
}

impl Crawler {
    fn new(arguments: &[String]) -> Self {
        let [base_url] = arguments else {
            unreachable!("a worker that crawls has one argument")
        };
        client::install_tls_provider();
        Self {
            runtime: process::runtime(),
            base_url: base_url.clone(),
            bare: session(),
            client: ReliableApiClient::builder(base_url).build().expect("legal"),
        }
    }

    /// The loop of a user of `reqwest`.
    fn loop_by_hand(&self) {
        let first = format!("{}{}?limit=100", self.base_url, LONG.template());
        self.runtime.block_on(async {
            let mut items = 0;
            let mut url = first.clone();
            loop {
                let response = self.bare.get(url).send().await.expect("a response");
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
        });
    }

    /// The same by the client, item by item.
    fn by_client(&self) {
        self.runtime.block_on(async {
            let mut listing = self.listing(LONG).items();
            let mut items = 0;
            while let Some(item) = listing.next_item().await {
                black_box(item.expect("an item"));
                items += 1;
            }
            assert_eq!(items, ITEMS);
        });
    }

    fn listing(&self, endpoint: Endpoint) -> Listing {
        let mut limits = ListingLimits::DEFAULT;
        limits.max_pages = NonZeroU32::MAX;
        limits.max_items = NonZeroU32::MAX;
        limits.page_size = NonZeroU32::new(100).expect("it is not zero");
        self.client.listing(endpoint).limits(limits)
    }
}
