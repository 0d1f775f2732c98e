//! A crawl that is interrupted and goes on where it stood.
//!
//! ```sh
//! cargo run -p reliable-api-client --example crawl
//! ```
//!
//! The first run stops between processing a page and committing it, as a crash
//! would. The second one finds the checkpoint in the file: that one page comes
//! again, and nothing is lost.

#![expect(clippy::print_stdout, reason = "an example talks to a person")]

use std::{collections::BTreeSet, env, error::Error, fs, io, path::Path, process};

use reliable_api_client::{ApiClient, CrawlStart, Endpoint, FileCheckpoints};
use serde::Deserialize;
use serde_json::json;
use wiremock::{Mock, MockServer, Request, ResponseTemplate, matchers::path};

const ITEMS: Endpoint = Endpoint::new("items", "/items");

/// The part of an item that this program reads. The item itself is kept as it came.
#[derive(Deserialize)]
struct Record {
    id: u64,
}

/// The destination of the records. Taking the same one twice changes nothing, as a
/// crawl demands of its destination.
type Sink = BTreeSet<u64>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let service = MockServer::start().await;
    Mock::given(path("/items"))
        .respond_with(four_pages)
        .mount(&service)
        .await;
    let file = env::temp_dir().join(format!("crawl-example-{}.json", process::id()));
    let mut sink = Sink::new();

    println!("First run, interrupted after it has processed page 3:");
    crawl(&service.uri(), &file, &mut sink, Some(3)).await?;
    println!("  the file:\n  {}", member_by_member(&file)?);

    println!("Second run, from the file:");
    crawl(&service.uri(), &file, &mut sink, None).await?;
    println!("  the file:\n  {}", member_by_member(&file)?);

    println!("All {} records are there: {sink:?}", sink.len());
    fs::remove_file(&file)?;
    Ok(())
}

/// Crawls on from where `file` says, up to the end or to an interruption.
async fn crawl(
    base_url: &str,
    file: &Path,
    sink: &mut Sink,
    interrupted_at: Option<usize>,
) -> Result<(), Box<dyn Error>> {
    let client = ApiClient::builder(base_url).build()?;
    let checkpoints = FileCheckpoints::new(file);
    let CrawlStart::Pages(mut crawl) = client.listing(ITEMS).crawl(checkpoints).await? else {
        println!("  an earlier run has processed every page");
        return Ok(());
    };
    let mut pages = 0;
    while let Some(page) = crawl.next_page().await {
        let page = page?;
        pages += 1;
        for item in page.items() {
            let Record { id } = item.parse()?;
            let new = if sink.insert(id) {
                "new"
            } else {
                "seen before"
            };
            println!("  page {pages}, record {id}: {new}");
        }
        if interrupted_at == Some(pages) {
            return Ok(());
        }
        // Only now is the page behind us.
        page.commit().await?;
    }
    Ok(())
}

/// The content of the file, with a line for each member.
fn member_by_member(file: &Path) -> io::Result<String> {
    Ok(fs::read_to_string(file)?.replace(",\"", ",\n   \""))
}

/// Records 1 to 8 on four pages.
fn four_pages(request: &Request) -> ResponseTemplate {
    let mut query = request.url.query_pairs();
    let cursor = query.find(|(name, _)| name == "cursor");
    let page = cursor.and_then(|(_, value)| value.strip_prefix("page-")?.parse().ok());
    let page: u64 = page.unwrap_or(1);
    let next = (page < 4).then(|| format!("page-{}", page + 1));
    ResponseTemplate::new(200).set_body_json(json!({
        "items": [{"id": 2 * page - 1}, {"id": 2 * page}],
        "next_cursor": next,
    }))
}
