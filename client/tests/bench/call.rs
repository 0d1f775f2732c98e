//! The calls of a client, each by the endpoint that it calls, and the errors that a test
//! expects of them.

use std::fmt::Debug;

use client::{
    ApiError, ApiHttpError, ApiTransportError, ContractError, Endpoint, IdempotencyKey, JsonObject,
    Listing, ResponseProblem,
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

macro_rules! expect_class {
    ($(#[$doc:meta])* $name:ident: $variant:ident($error:ident) => $take:expr, $kind:ty) => {
        $(#[$doc])*
        #[track_caller]
        pub fn $name<T: Debug>(result: Result<T, ApiError>) -> $kind {
            match result {
                Err(ApiError::$variant($error)) => $take,
                other => panic!("{} was expected, not {other:?}", stringify!($variant)),
            }
        }
    };
}

expect_class! {
    /// The error of a response without a success status.
    http_error: Http(error) => error, ApiHttpError
}
expect_class! {
    /// The problem of a success.
    response_problem: Response(error) => error.problem, ResponseProblem
}
expect_class! {
    /// The error of a request without a complete response.
    transport_error: Transport(error) => error, ApiTransportError
}
expect_class! {
    /// The error of a listing.
    contract_error: Contract(error) => error, ContractError
}
