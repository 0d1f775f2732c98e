//! Progress on a terminal over a long listing.
//!
//! ```sh
//! cargo run -p reliable-api-client --example progress
//! ```
//!
//! A cursor does not say how far it is to the end, so the bar shows how many records
//! have arrived, and in what time. It is drawn on stderr and only if that is a terminal;
//! the result goes to stdout, where a pipe finds it alone.

#![expect(clippy::print_stdout, reason = "an example talks to a person")]

use std::{error::Error, time::Duration};

use indicatif::{ProgressBar, ProgressStyle};
use reliable_api_client::{ApiClient, Endpoint};
use serde::Deserialize;
use serde_json::{Value, json};
use wiremock::{Mock, MockServer, Request, ResponseTemplate, matchers::path};

const ITEMS: Endpoint = Endpoint::new("items", "/items");
const COUNT: u64 = 600;

#[derive(Deserialize)]
struct Record {
    id: u64,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let service = MockServer::start().await;
    Mock::given(path("/items"))
        .respond_with(many_pages)
        .mount(&service)
        .await;
    let client = ApiClient::builder(&service.uri()).build()?;

    let progress = ProgressBar::no_length().with_style(ProgressStyle::with_template(
        "{spinner} {pos} records in {elapsed}",
    )?);
    let mut items = client.listing(ITEMS).items();
    let mut sum = 0;
    while let Some(item) = items.next_item().await {
        // An error ends the bar on its way out, and is printed by `main`.
        sum += item?.parse::<Record>()?.id;
        progress.inc(1);
    }
    progress.finish_and_clear();

    println!("{} records, their ids add up to {sum}", progress.position());
    Ok(())
}

/// Records 1 to [`COUNT`], as many at once as the client asks for, and slow
/// enough to be watched.
fn many_pages(request: &Request) -> ResponseTemplate {
    let number = |name: &str| {
        let mut query = request.url.query_pairs();
        let value = query.find(|(key, _)| key == name)?.1;
        value.parse::<u64>().ok()
    };
    let first = number("cursor").unwrap_or(1);
    let end = (first + number("limit").unwrap_or(50)).min(COUNT + 1);
    let items: Vec<Value> = (first..end).map(|id| json!({"id": id})).collect();
    let next = (end <= COUNT).then(|| end.to_string());
    ResponseTemplate::new(200)
        .set_delay(Duration::from_millis(20))
        .set_body_json(json!({"items": items, "next_cursor": next}))
}
