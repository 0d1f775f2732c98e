//! A crawl of a million items by the reference client, beside a loop by hand.

use std::{
    hint::black_box,
    num::NonZeroU32,
    time::{Duration, Instant},
};

use client::{Endpoint, Listing, ListingLimits, Timeouts, teaching::ReliableApiClient};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::runtime::Runtime;

use crate::{
    bare_service, memory,
    process::{self, Core, Service},
    spread::Spread,
    table::{Bound, Line},
};

/// A worker that crawls both ways in turns, and says how long each took.
pub(crate) const TIMES: &str = "crawl-times";

/// A worker that crawls, and says what it holds in memory for each page.
pub(crate) const PAGES: &str = "crawl-pages";

/// A listing of a million items, a hundred a page, and one that never ends, with one.
const LONG: Endpoint = Endpoint::new("long", bare_service::LONG_PAGES);
const SINGLE: Endpoint = Endpoint::new("endless", bare_service::ENDLESS_PAGES);

/// How long a crawl is, and how often each way has its turn.
const ITEMS: u32 = 1_000_000;
const ROUNDS: usize = 5;

/// Pages before memory is looked at, and those whose memory is: in between a table of
/// cursors has doubled a few times.
const FIRST_PAGES: u32 = 2_000;
const MORE_PAGES: u32 = 200_000;

/// What a loop by hand reads a page as.
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
        Line::measured(
            "crawl of a million items / loop by hand",
            Spread::of(ratios),
            "",
            Bound::AtLeast(0.95),
        ),
        Line::measured(
            "  memory a page",
            Spread::of([bytes]),
            " B",
            Bound::AtMost(64.0),
        ),
    ]
}

/// Crawls both ways in turns, and prints the seconds of each.
pub(crate) fn time(arguments: &[String]) {
    let crawler = Crawler::new(arguments);
    let rounds: Vec<_> = (0..ROUNDS)
        .map(|_| {
            [
                timed(|| crawler.loop_by_hand()),
                timed(|| crawler.by_client()),
            ]
            .map(|taken| taken.as_secs_f64())
        })
        .collect();
    println!("{}", serde_json::to_string(&rounds).expect("numbers"));
}

/// Reads pages, and prints the bytes that each of them has left behind.
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

fn timed<T>(act: impl FnOnce() -> T) -> Duration {
    let begun = Instant::now();
    act();
    begun.elapsed()
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
        let bare = reqwest::Client::builder()
            .no_proxy()
            .tls_certs_only([])
            .connect_timeout(Timeouts::DEFAULT.connect)
            .read_timeout(Timeouts::DEFAULT.read);
        Self {
            runtime: tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime"),
            base_url: base_url.clone(),
            bare: bare.build().expect("legal"),
            client: ReliableApiClient::builder(base_url).build().expect("legal"),
        }
    }

    /// What somebody writes who has no client but `reqwest`.
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

    /// The same by the client, item for item.
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
        self.client.listing(endpoint).limits(ListingLimits {
            max_pages: NonZeroU32::MAX,
            max_items: NonZeroU32::MAX,
            page_size: NonZeroU32::new(100).expect("it is not zero"),
        })
    }
}
