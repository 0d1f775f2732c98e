//! The methods of a `ReliableApiClient`: one for each endpoint.

use http::Method;

use crate::{
    api_response::ApiResponse,
    builder::Builder,
    endpoint::Endpoint,
    error::ApiError,
    flaky::Flaky,
    idempotency_key::IdempotencyKey,
    job::Job,
    pagination::Listing,
    raw_object::{JsonObject, ObjectText, RawObject},
    redirect::Redirect,
    reliable_client::ReliableApiClient,
    request::Call,
    retry::RepeatPermission,
};

impl ReliableApiClient {
    /// Starts the configuration of a client for the service at `base_url`.
    pub fn builder(base_url: &str) -> Builder {
        Builder::new(base_url)
    }

    /// `GET /items`: three records on two pages.
    pub fn items(&self) -> Listing {
        self.listing(Endpoint::ITEMS)
    }

    /// `GET /looping-items`: a listing whose cursors go round in a circle.
    pub fn looping_items(&self) -> Listing {
        self.listing(Endpoint::LOOPING_ITEMS)
    }

    /// `GET /endless-items`: a listing without a last page.
    pub fn endless_items(&self) -> Listing {
        self.listing(Endpoint::ENDLESS_ITEMS)
    }

    /// `GET /bad-items`: a page whose items break the contract.
    pub fn bad_items(&self) -> Listing {
        self.listing(Endpoint::BAD_ITEMS)
    }

    /// `GET /bad-cursor`: a page whose cursor breaks the contract.
    pub fn bad_cursor(&self) -> Listing {
        self.listing(Endpoint::BAD_CURSOR)
    }

    /// A listing of your own, with the same contract.
    pub fn listing(&self, endpoint: Endpoint) -> Listing {
        Listing::new(self.clone(), endpoint)
    }

    /// `GET /flaky`: fails twice, then succeeds.
    ///
    /// # Errors
    ///
    /// [`ApiError::Http`] with status 503 if the attempts run out first.
    pub async fn flaky(&self) -> Result<Flaky, ApiError> {
        let call = Call::get(Endpoint::FLAKY);
        self.exchange(call, |response| response.json(Flaky::read))
            .await
    }

    /// `GET /retry-later`: asks for a wait of two minutes.
    ///
    /// # Errors
    ///
    /// [`ApiError::Http`] at once, with `retry_after` set, unless the budget
    /// [`max_retry_after`](Builder::max_retry_after) allows the wait.
    pub async fn retry_later(&self) -> Result<RawObject, ApiError> {
        self.get(Endpoint::RETRY_LATER).await
    }

    /// `GET /bad-json`: says JSON and sends something else.
    ///
    /// # Errors
    ///
    /// [`ApiError::Response`] with [`ResponseProblem::InvalidJson`](crate::ResponseProblem::InvalidJson).
    pub async fn bad_json(&self) -> Result<RawObject, ApiError> {
        self.get(Endpoint::BAD_JSON).await
    }

    /// `GET /text-json`: sends JSON and says something else.
    ///
    /// # Errors
    ///
    /// [`ApiError::Response`] with [`ResponseProblem::NotJson`](crate::ResponseProblem::NotJson).
    pub async fn text_json(&self) -> Result<RawObject, ApiError> {
        self.get(Endpoint::TEXT_JSON).await
    }

    /// `GET /no-content`: a success without a body, which is never parsed.
    ///
    /// # Errors
    ///
    /// [`ApiError::Response`] if another success comes in place of a 204.
    pub async fn no_content(&self) -> Result<(), ApiError> {
        let call = Call::get(Endpoint::NO_CONTENT);
        self.exchange(call, ApiResponse::no_content).await
    }

    /// `GET /redirect`: the redirection itself, which is not followed.
    ///
    /// # Errors
    ///
    /// [`ApiError::Response`] if a success comes in place of a 3xx.
    pub async fn redirect(&self) -> Result<Redirect, ApiError> {
        self.exchange(Call::get(Endpoint::REDIRECT), Redirect::read)
            .await
    }

    /// `POST /jobs`: creates a job, once per key however often it is sent.
    ///
    /// The one POST that may be retried: the service recognises the key, and
    /// every attempt carries the same one.
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
        let call = Call {
            method: Method::POST,
            key: Some(key),
            body: Some(body),
            permission: Some(RepeatPermission),
            ..Call::get(Endpoint::CREATE_JOB)
        };
        self.exchange(call, |response| response.json(Job::read))
            .await
    }

    /// GETs an endpoint of your own whose success is a JSON object.
    ///
    /// # Errors
    ///
    /// Any class of [`ApiError`] but `Contract` and `Config`.
    pub async fn get(&self, endpoint: Endpoint) -> Result<RawObject, ApiError> {
        self.exchange(Call::get(endpoint), read_object).await
    }

    /// POSTs to an endpoint of your own, in one attempt.
    ///
    /// Nothing is known here of what the endpoint does with a repetition, so it
    /// is not repeated: an idempotency key in the request does not change that.
    /// An endpoint that supports one deserves a method of its own, as
    /// [`create_job`](Self::create_job) is one for `/jobs`.
    ///
    /// # Errors
    ///
    /// Any class of [`ApiError`] but `Contract` and `Config`.
    pub async fn post(
        &self,
        endpoint: Endpoint,
        key: Option<&IdempotencyKey>,
        body: &JsonObject,
    ) -> Result<RawObject, ApiError> {
        let call = Call {
            method: Method::POST,
            key,
            body: Some(body),
            ..Call::get(endpoint)
        };
        self.exchange(call, read_object).await
    }
}

/// Reads an object whatever is in it.
fn read_object(response: ApiResponse) -> Result<RawObject, ApiError> {
    response.json(|object| Ok(ObjectText::keep(object)))
}
