//! From what a stack of your own sent to this crate's errors.

use reqwest::Response;
use reqwest_middleware::Error;

use crate::{
    answer::Answer,
    error::{ApiError, ApiTransportError, RequestName},
    retry::{self, RetryReport},
    timeouts::Timeouts,
};

/// Passes a success on, unread, and turns everything else into the error that a
/// method of [`ReliableApiClient`](crate::ReliableApiClient) would return: with
/// code and request id of the problem object, the `Retry-After`, the attempts
/// and the rule that stopped them, as far as the stack below reports them.
///
/// It takes what [`http()`](crate::ReliableApiClient::http) sent, what any stack
/// with [`RetryMiddleware`](crate::RetryMiddleware) did, or a plain response of
/// `reqwest`, which counts as one attempt.
///
/// ```
/// use client::{Endpoint, ReliableApiClient, RequestName, check};
/// use http::Method;
///
/// const ORDERS: Endpoint = Endpoint::new("orders", "/orders");
///
/// # async fn orders(client: ReliableApiClient) -> Result<(), client::ApiError> {
/// let sent = client
///     .http()
///     .get("http://127.0.0.1:8765/orders?open=true")
///     .with_extension(ORDERS)
///     .send()
///     .await;
/// let orders = check(RequestName::new(&Method::GET, ORDERS), sent).await?;
/// # drop(orders);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`ApiError::Http`] for every status from 300 on, [`ApiError::Transport`] when
/// no complete response came.
pub async fn check(
    request: RequestName,
    sent: Result<Response, Error>,
) -> Result<Response, ApiError> {
    let response = match sent {
        Ok(response) if response.status().as_u16() < 300 => return Ok(response),
        Ok(response) => response,
        Err(error) => return Err(ApiTransportError::of(request, error).into()),
    };
    // In memory already, if the retry middleware is in the stack.
    let response = retry::read_error(response, Timeouts::DEFAULT.read).await;
    let plain = RetryReport {
        attempts: 1,
        ..RetryReport::default()
    };
    let report = response.extensions().get().copied().unwrap_or(plain);
    Err(Answer::read(request, response, &report)
        .await
        .into_http_error())
}
