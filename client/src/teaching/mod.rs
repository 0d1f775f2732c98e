//! The client of the teaching service, with one method for each of its endpoints.
//!
//! [`ReliableApiClient`] is an [`ApiClient`] that knows this service: each method here
//! is a lesson. For a service of your own use the [`ApiClient`] alone.

pub mod endpoint;
mod responses;

pub use responses::{Flaky, Job, Redirect};

use std::ops::Deref;

use http::StatusCode;

use self::endpoint::{
    BAD_CURSOR, BAD_ITEMS, BAD_JSON, CREATE_JOB, ENDLESS_ITEMS, FLAKY, ITEMS, LOOPING_ITEMS,
    NO_CONTENT, REDIRECT, RETRY_LATER, TEXT_JSON,
};
use crate::{
    api_client::ApiClient, api_response::ApiResponse, builder, error::ApiError,
    idempotency_key::IdempotencyKey, pagination::Listing, raw_object::JsonObject,
    retry::RepeatPermission, telemetry::Operation,
};

/// Configures a [`ReliableApiClient`].
pub type Builder = builder::Builder<ReliableApiClient>;

/// The calls of the methods here.
const OPERATIONS: [Operation; 12] = [
    Operation::listing(ITEMS),
    Operation::listing(LOOPING_ITEMS),
    Operation::listing(ENDLESS_ITEMS),
    Operation::listing(BAD_ITEMS),
    Operation::listing(BAD_CURSOR),
    Operation::get(FLAKY),
    Operation::get(RETRY_LATER),
    Operation::get(BAD_JSON),
    Operation::get(TEXT_JSON),
    Operation::get(NO_CONTENT).success(StatusCode::NO_CONTENT),
    Operation::get(REDIRECT).success(StatusCode::FOUND),
    Operation::post_repeatable(CREATE_JOB).success(StatusCode::CREATED),
];

/// The client of the teaching service. It has every method of an [`ApiClient`], too.
///
/// Cheap to clone; clones share the connections, the retry budget and the
/// concurrency limit. Made by [`ReliableApiClient::builder`].
#[derive(Debug, Clone)]
pub struct ReliableApiClient(ApiClient);

impl Deref for ReliableApiClient {
    type Target = ApiClient;

    fn deref(&self) -> &ApiClient {
        &self.0
    }
}

impl From<ApiClient> for ReliableApiClient {
    fn from(client: ApiClient) -> Self {
        Self(client)
    }
}

impl ReliableApiClient {
    /// Starts the configuration of a client for the service at `base_url`.
    pub fn builder(base_url: &str) -> Builder {
        Builder::new(base_url).operations(OPERATIONS)
    }

    /// `GET /items`: three records on two pages.
    pub fn items(&self) -> Listing {
        self.listing(ITEMS)
    }

    /// `GET /looping-items`: a listing whose cursors go round in a circle.
    pub fn looping_items(&self) -> Listing {
        self.listing(LOOPING_ITEMS)
    }

    /// `GET /endless-items`: a listing without a last page.
    pub fn endless_items(&self) -> Listing {
        self.listing(ENDLESS_ITEMS)
    }

    /// `GET /bad-items`: a page whose items break the contract.
    pub fn bad_items(&self) -> Listing {
        self.listing(BAD_ITEMS)
    }

    /// `GET /bad-cursor`: a page whose cursor breaks the contract.
    pub fn bad_cursor(&self) -> Listing {
        self.listing(BAD_CURSOR)
    }

    /// `GET /flaky`: fails twice, then succeeds.
    ///
    /// # Errors
    ///
    /// [`ApiError::Http`] with status 503 if the attempts run out first.
    pub async fn flaky(&self) -> Result<Flaky, ApiError> {
        self.get(FLAKY)
            .receive(|response| response.success()?.read(["attempt"], Flaky::read))
            .await
    }

    /// `GET /retry-later`: asks for a wait of two minutes.
    ///
    /// # Errors
    ///
    /// [`ApiError::Http`] at once, with `retry_after` set, unless the budget
    /// [`max_retry_after`](Builder::max_retry_after) allows the wait.
    pub async fn retry_later(&self) -> Result<ApiResponse, ApiError> {
        self.get(RETRY_LATER).send().await
    }

    /// `GET /bad-json`: says JSON and sends something else.
    ///
    /// # Errors
    ///
    /// [`ApiError::Response`] with [`ResponseProblem::InvalidJson`](crate::ResponseProblem::InvalidJson).
    pub async fn bad_json(&self) -> Result<ApiResponse, ApiError> {
        self.get(BAD_JSON).send().await
    }

    /// `GET /text-json`: sends JSON and says something else.
    ///
    /// # Errors
    ///
    /// [`ApiError::Response`] with [`ResponseProblem::NotJson`](crate::ResponseProblem::NotJson).
    pub async fn text_json(&self) -> Result<ApiResponse, ApiError> {
        self.get(TEXT_JSON).send().await
    }

    /// `GET /no-content`: a success without a body, which is never parsed.
    ///
    /// # Errors
    ///
    /// [`ApiError::Response`] if another success comes in place of a 204.
    pub async fn no_content(&self) -> Result<(), ApiError> {
        self.get(NO_CONTENT).receive(ApiResponse::no_content).await
    }

    /// `GET /redirect`: the redirection itself, which is not followed.
    ///
    /// # Errors
    ///
    /// [`ApiError::Response`] if a success comes in place of a 3xx.
    pub async fn redirect(&self) -> Result<Redirect, ApiError> {
        self.get(REDIRECT).receive(Redirect::read).await
    }

    /// `POST /jobs`: creates a job, once per key however often it is sent.
    ///
    /// The one POST of this service that may be retried: the service recognises the
    /// key, and every attempt carries the same one.
    ///
    /// # Errors
    ///
    /// [`ApiError::Http`] with status 409 and the code `idempotency_conflict`
    /// if the key was used for another body.
    pub async fn create_job(
        &self,
        key: &IdempotencyKey,
        body: &JsonObject,
    ) -> Result<Job, ApiError> {
        self.post(CREATE_JOB)
            .idempotency_key(key)
            .permit_repetition(RepeatPermission)
            .json(body)
            .receive(|response| response.success()?.read(["id"], Job::read))
            .await
    }
}
