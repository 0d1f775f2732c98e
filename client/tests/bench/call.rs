//! The methods of the client, each by the endpoint that it calls.

use client::{
    ApiError, Endpoint, IdempotencyKey, JsonObject, Listing,
    teaching::{ReliableApiClient, endpoint},
};

/// Calls the method of an endpoint; a listing is read to its end, page by page.
pub async fn call(client: &ReliableApiClient, endpoint: Endpoint) -> Result<(), ApiError> {
    let key = IdempotencyKey::new("order-4711").expect("a key");
    match endpoint {
        endpoint::ITEMS => read(client.items()).await,
        endpoint::LOOPING_ITEMS => read(client.looping_items()).await,
        endpoint::ENDLESS_ITEMS => read(client.endless_items()).await,
        endpoint::BAD_ITEMS => read(client.bad_items()).await,
        endpoint::BAD_CURSOR => read(client.bad_cursor()).await,
        endpoint::FLAKY => client.flaky().await.map(drop),
        endpoint::RETRY_LATER => client.retry_later().await.map(drop),
        endpoint::BAD_JSON => client.bad_json().await.map(drop),
        endpoint::TEXT_JSON => client.text_json().await.map(drop),
        endpoint::NO_CONTENT => client.no_content().await,
        endpoint::REDIRECT => client.redirect().await.map(drop),
        endpoint::CREATE_JOB => {
            let job = client.create_job(&key, &JsonObject::new()).await;
            job.map(drop)
        }
        other => client.get(other).send().await.map(drop),
    }
}

/// Reads a listing to its end, page by page.
pub async fn read(listing: Listing) -> Result<(), ApiError> {
    let mut pages = listing.pages();
    while let Some(page) = pages.next_page().await {
        page?;
    }
    Ok(())
}
