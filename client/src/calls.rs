//! The calls of a client: a GET, a POST, and a POST that may be repeated.

use crate::{
    api_client::ApiClient,
    api_response::ApiResponse,
    error::ApiError,
    idempotency_key::IdempotencyKey,
    raw_object::{JsonObject, ObjectText, RawObject},
    request::Call,
    retry::RepeatPermission,
    target::Target,
};

impl ApiClient {
    /// GETs an endpoint whose success is a JSON object.
    ///
    /// # Errors
    ///
    /// Any class of [`ApiError`] but `Contract`.
    pub async fn get(&self, target: impl Into<Target>) -> Result<RawObject, ApiError> {
        let target = target.into();
        self.exchange(Call::get(&target), read_object).await
    }

    /// POSTs to an endpoint, in one attempt.
    ///
    /// A key is sent as `Idempotency-Key`. It permits no repetition, since any caller
    /// can send one to a service that ignores it: see
    /// [`post_repeatable`](Self::post_repeatable).
    ///
    /// # Errors
    ///
    /// Any class of [`ApiError`] but `Contract`.
    pub async fn post(
        &self,
        target: impl Into<Target>,
        key: Option<&IdempotencyKey>,
        body: &JsonObject,
    ) -> Result<RawObject, ApiError> {
        let target = target.into();
        let call = Call::post(&target, key, body);
        self.exchange(call, read_object).await
    }

    /// POSTs to an endpoint that recognises a repetition by its key, with as many
    /// attempts as a GET has. Every attempt carries the same key.
    ///
    /// Calling this is the promise that the endpoint creates one thing for one key,
    /// however often it is sent: it gives the [`RepeatPermission`].
    ///
    /// # Errors
    ///
    /// Any class of [`ApiError`] but `Contract`.
    pub async fn post_repeatable(
        &self,
        target: impl Into<Target>,
        key: &IdempotencyKey,
        body: &JsonObject,
    ) -> Result<RawObject, ApiError> {
        let target = target.into();
        let call = Call {
            permission: Some(RepeatPermission),
            ..Call::post(&target, Some(key), body)
        };
        self.exchange(call, read_object).await
    }
}

/// Reads an object whatever is in it.
fn read_object(response: ApiResponse) -> Result<RawObject, ApiError> {
    response.json(|object| Ok(ObjectText::keep(object)))
}
