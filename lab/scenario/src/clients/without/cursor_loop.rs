//! Remembers only the last cursor of a listing.

use std::ops::ControlFlow;

use client::{
    Endpoint, IdempotencyKey, JsonObject, MemoryCheckpoints,
    teaching::{Redirect, ReliableApiClient},
};
use judge::rules::cursor_loop;

use super::{
    super::reliable::{self, crawl_failure},
    ScenarioClient, Without,
};
use crate::{Defence, Ending, Outcome};

pub(super) const WITHOUT: Without = Without {
    name: "without-cursor-loop",
    defence: &Defence {
        id: cursor_loop::RULE.id,
        instead: "It compares each cursor only with the previous one, so it misses the loop A, B, A \
                  and reads on up to its page limit.",
        file: "client/src/pagination/cursor_history.rs",
        breaks: &[cursor_loop::RULE.id],
        shows_in: &["looping-items"],
    },
    allowed: |policy| policy,
    connect: |connection| {
        let max_items = connection.policy.max_items.into();
        let client = reliable::client(connection, |builder| builder)?;
        Ok(Box::new(Forgetful { client, max_items }))
    },
};

/// The reference client with its own way to read a listing: it starts a new crawl at
/// every page. A crawl remembers the cursors since its start, but counts its pages from
/// the first one, so the limit of pages remains.
struct Forgetful {
    client: ReliableApiClient,
    max_items: u64,
}

#[async_trait::async_trait]
impl ScenarioClient for Forgetful {
    async fn flaky(&self) -> Result<u64, Outcome> {
        ScenarioClient::flaky(&self.client).await
    }

    async fn get(&self, endpoint: Endpoint) -> Result<(), Outcome> {
        ScenarioClient::get(&self.client, endpoint).await
    }

    async fn no_content(&self) -> Result<(), Outcome> {
        ScenarioClient::no_content(&self.client).await
    }

    async fn redirect(&self) -> Result<Option<Redirect>, Outcome> {
        ScenarioClient::redirect(&self.client).await
    }

    fn new_key(&self) -> Option<IdempotencyKey> {
        self.client.new_key()
    }

    async fn post(
        &self,
        endpoint: Endpoint,
        key: Option<&IdempotencyKey>,
        body: &JsonObject,
    ) -> Result<(), Outcome> {
        ScenarioClient::post(&self.client, endpoint, key, body).await
    }

    async fn create_job(
        &self,
        key: Option<&IdempotencyKey>,
        body: &JsonObject,
    ) -> Result<String, Outcome> {
        ScenarioClient::create_job(&self.client, key, body).await
    }

    async fn read(
        &self,
        endpoint: Endpoint,
        each_item: &mut (dyn FnMut(String) + Send),
    ) -> Result<(), Outcome> {
        let mut left = self.max_items;
        let mut more = false;
        let mut each_page = |page: Vec<String>| {
            for item in page {
                match left.checked_sub(1) {
                    Some(fewer) => left = fewer,
                    None => {
                        more = true;
                        return ControlFlow::Break(());
                    }
                }
                each_item(item);
            }
            ControlFlow::Continue(())
        };
        let checkpoints = MemoryCheckpoints::default();
        self.crawl(endpoint, &checkpoints, &mut each_page).await?;
        if more {
            Err(item_limit(self.max_items))
        } else {
            Ok(())
        }
    }

    #[expect(clippy::expect_used, reason = "memory does not fail")]
    async fn crawl(
        &self,
        endpoint: Endpoint,
        checkpoints: &MemoryCheckpoints,
        each_page: &mut (dyn FnMut(Vec<String>) -> ControlFlow<()> + Send),
    ) -> Result<(), Outcome> {
        loop {
            let listing = self.client.listing(endpoint);
            let crawl = listing.crawl(checkpoints.clone()).await;
            let Some(mut crawl) = crawl.expect("memory can be read").pages() else {
                return Ok(());
            };
            let Some(page) = crawl.next_page().await else {
                return Ok(());
            };
            let page = page.map_err(crawl_failure)?;
            let items = page.items().iter().map(|item| item.text().to_owned());
            if each_page(items.collect()).is_break() {
                return Ok(());
            }
            page.commit().await.expect("memory can be written");
        }
    }
}

/// The same outcome as the reference client's.
fn item_limit(limit: u64) -> Outcome {
    let text = format!("the listing has more than the {limit} items allowed");
    Outcome::ended(Ending::ContractError, text).with("problem", "item_limit")
}
