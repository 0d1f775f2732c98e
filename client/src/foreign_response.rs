//! The response of a stack of your own, turned into this crate's errors.

use reqwest::Response;
use reqwest_middleware::Error;

use crate::{
    api_response::ApiResponse,
    error::{ApiError, RequestName},
    retry::{self, RetryAfter, RetryReport},
    time::{Clock, SystemClock},
    timeouts::Timeouts,
};

/// Passes a success on, unread, and turns everything else into the error that a
/// method of [`ApiClient`](crate::ApiClient) would return: with
/// code and request id of the problem object, the `Retry-After`, the attempts
/// and the rule that stopped them, as far as the stack below reports them.
///
/// It takes what [`http()`](crate::ApiClient::http) sent, what any stack
/// with [`RetryMiddleware`](crate::RetryMiddleware) did, or a plain response of
/// `reqwest`, which counts as one attempt.
///
/// ```
/// use reliable_api_client::{ApiClient, Endpoint, RequestName, check};
/// use http::Method;
///
/// const ORDERS: Endpoint = Endpoint::new("orders", "/orders");
///
/// # async fn orders(client: ApiClient) -> Result<(), reliable_api_client::ApiError> {
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
/// [`ApiError::Http`] for every status but 2xx, [`ApiError::Transport`] when no
/// complete response came, [`ApiError::Config`] for a setting that breaks its rule. The
/// error of a stack does not say how many attempts
/// there were: that one has 0.
pub async fn check(
    request: RequestName,
    sent: Result<Response, Error>,
) -> Result<Response, ApiError> {
    let mut response = match sent {
        Ok(response) if response.status().is_success() => return Ok(response),
        Ok(response) => response,
        Err(error) => return Err(ApiError::of_stack(request, error, &RetryReport::default())),
    };
    // In memory already, if the retry middleware is in the stack.
    let patience = retry::session_timeout(Timeouts::DEFAULT.read);
    let body = retry::read_error(&mut response, patience).await;
    let asked = RetryAfter::from_headers(response.headers(), SystemClock::new().wall());
    response.extensions_mut().get_or_insert(RetryReport {
        attempts: 1,
        stopped: None,
        retry_after: asked.and_then(RetryAfter::wait),
    });
    Err(ApiResponse::new(request, response, body).into_http_error())
}
