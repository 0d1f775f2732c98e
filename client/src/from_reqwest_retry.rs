//! From `reqwest-retry` to this layer in ten lines.
//!
//! Before, with [`RetryTransientMiddleware`]:
//!
//! ```no_run
//! use reqwest_middleware::ClientBuilder;
//! use reqwest_retry::{RetryTransientMiddleware, policies::ExponentialBackoff};
//!
//! let session = reqwest::Client::new();
//! let policy = ExponentialBackoff::builder().build_with_max_retries(2);
//! let client = ClientBuilder::new(session)
//!     .with(RetryTransientMiddleware::new_with_policy(policy))
//!     .build();
//! ```
//!
//! After, against a service that is unavailable for its first two requests:
//!
//! ```
//! # use std::time::Duration;
//! # use wiremock::{Mock, MockServer, ResponseTemplate, matchers::any};
//! use reliable_api_client::{RetryMiddleware, without_hidden_requests};
//! use reqwest_middleware::ClientBuilder;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let service = MockServer::start().await;
//! # // Asked for no wait, the example makes none.
//! # let unavailable = ResponseTemplate::new(503).insert_header("Retry-After", "0");
//! # Mock::given(any()).respond_with(unavailable).up_to_n_times(2).mount(&service).await;
//! # Mock::given(any()).respond_with(ResponseTemplate::new(200)).mount(&service).await;
//! # let url = service.uri();
//! let session = reqwest::Client::builder()
//! #   .tls_certs_only([])
//!     .connect_timeout(Duration::from_secs(3))
//!     .read_timeout(Duration::from_secs(15));
//! let session = without_hidden_requests(session).build()?;
//! let retries = RetryMiddleware::new().deadline(Duration::from_secs(60));
//! let client = ClientBuilder::new(session).with(retries).build();
//!
//! let response = client.get(url).send().await?;
//! assert_eq!(response.status(), 200);
//! # let report = response.extensions().get::<reliable_api_client::RetryReport>();
//! # assert_eq!(report.map(|report| report.attempts), Some(3));
//! # Ok(())
//! # }
//! ```
//!
//! The rest of the stack stays as it was: a middleware that is added after the
//! layer runs once for each attempt, one that is added before it once for each
//! call. So do the calls, but for a POST that may be repeated.
//!
//! # The session must not send by itself
//!
//! A default `reqwest::Client` follows redirects, and a 307 or 308 repeats a POST
//! with its body. It also retries by itself where HTTP/2 says that a request was
//! not processed. Both happen below every middleware, which can neither count nor
//! stop them. [`without_hidden_requests`] turns both off, and a redirect becomes
//! a response like any other. Timeouts are the session's too: without a
//! `read_timeout` an attempt may last for ever, unless the call has a deadline.
//!
//! # What changes for the caller
//!
//! | | `reqwest-retry` 0.9 | here |
//! |---|---|---|
//! | POST, PATCH | repeated like any other | one attempt. A [`RepeatPermission`] on the request permits more; an `Idempotency-Key` does not |
//! | `Retry-After` | not read | waited for in full; one that is longer than [`max_retry_after`], 30 s by default, ends the call at once |
//! | statuses that are retried | 408, 429, every 5xx | 429, 500, 502, 503, 504. A 501 or a 505 will be the same in a second; [`Classifier::new`] takes other statuses |
//! | a failed TLS handshake | retried as a connection that was not made | one attempt |
//! | a time limit | looked at before each wait, and so overrun by the wait and the attempt after it | [`deadline`] counts both: a wait that would reach it is not begun, and an attempt is cut off there |
//! | a success whose body breaks off | delivered; its reader gets the error | a failed attempt, since the body is read inside of it, up to [`max_body_bytes`]; so a download that is to be streamed does not belong on this stack |
//! | an error response whose body breaks off | delivered, or retried, by its status | the same: status and `Retry-After` decide, whatever becomes of the body |
//! | a request whose body is a stream | an error, and nothing is sent | one attempt |
//! | an error of the transport | wrapped in a [`RetryError`] | as it came, but without its URL |
//! | how it went | the number of retries, if it ended in an error | a [`RetryReport`] among the extensions of request and response |
//!
//! # Old setting, new setting
//!
//! | `reqwest-retry` | here |
//! |---|---|
//! | `reqwest::Client::new()` | [`without_hidden_requests`]`(reqwest::Client::builder()).build()` |
//! | `RetryTransientMiddleware::new_with_policy(policy)` | [`RetryMiddleware::new`]`()` |
//! | `build_with_max_retries(n)` | [`max_attempts`]`(n + 1)`: the first attempt counts. The default is 3 |
//! | `build_with_total_retry_duration(d)` | [`deadline`]`(d)`, for one call [`CallSettings::deadline`]; and [`max_attempts`], which is always finite |
//! | `retry_bounds(min, max)`: 1 s to 30 min by default | [`Backoff::new`]`(min, max, clock, random)`, handed to [`with_policy`]: 200 ms to 5 s by default |
//! | `jitter(Jitter::Full)`, `base(2)` | always. For another jitter or base keep the policy |
//! | `new_with_policy_and_strategy(policy, strategy)` | [`with_policy`]`(policy, strategy, clock)` |
//! | `DefaultRetryableStrategy` | [`Classifier`] |
//! | `with_retry_log_level(level)` | none: [`telemetry`] has a span for each attempt and each wait, and metrics. An [`Endpoint`] among the extensions of a request names it there |
//!
//! # Keeping a policy or a strategy
//!
//! The layer takes any [`RetryPolicy`] and any [`RetryableStrategy`]:
//!
//! ```
//! # use std::sync::Arc;
//! # use wiremock::{Mock, MockServer, ResponseTemplate, matchers::any};
//! use reliable_api_client::{RetryMiddleware, SystemClock, without_hidden_requests};
//! use reqwest_retry::{DefaultRetryableStrategy, policies::ExponentialBackoff};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let policy = ExponentialBackoff::builder().build_with_max_retries(4);
//! let clock = Arc::new(SystemClock::new());
//! let retries = RetryMiddleware::with_policy(policy, DefaultRetryableStrategy, clock)
//!     .max_attempts(5);
//! # let service = MockServer::start().await;
//! # let late = ResponseTemplate::new(408).insert_header("Retry-After", "0");
//! # Mock::given(any()).respond_with(late).expect(5).mount(&service).await;
//! # let session = without_hidden_requests(reqwest::Client::builder().tls_certs_only([]));
//! # let client = reqwest_middleware::ClientBuilder::new(session.build()?).with(retries).build();
//! # assert_eq!(client.get(service.uri()).send().await?.status(), 408);
//! # Ok(())
//! # }
//! ```
//!
//! * Either may end a call: the policy when it declines, the layer when its
//!   `max_attempts` are used. These are 3 unless they are set, however many
//!   retries a policy allows.
//! * The policy is asked where another attempt is open, at most once for each, and
//!   never after a success. A valid `Retry-After` takes the place of its wait.
//! * The strategy sees what it saw before, and the failures of bodies as well: one
//!   that broke off is a [`reqwest::Error`], which `DefaultRetryableStrategy` takes
//!   for fatal, and one that is too large a [`Failure`].
//! * The strategy has no say about methods, `Retry-After` and failed handshakes.
//!
//! [`RetryTransientMiddleware`]: reqwest_retry::RetryTransientMiddleware
//! [`RetryError`]: reqwest_retry::RetryError
//! [`RetryPolicy`]: reqwest_retry::RetryPolicy
//! [`RetryableStrategy`]: reqwest_retry::RetryableStrategy
//! [`without_hidden_requests`]: crate::without_hidden_requests
//! [`max_attempts`]: crate::RetryMiddleware::max_attempts
//! [`max_retry_after`]: crate::RetryMiddleware::max_retry_after
//! [`max_body_bytes`]: crate::RetryMiddleware::max_body_bytes
//! [`deadline`]: crate::RetryMiddleware::deadline
//! [`with_policy`]: crate::RetryMiddleware::with_policy
//! [`telemetry`]: crate::telemetry
//! [`Backoff::new`]: crate::Backoff::new
//! [`CallSettings::deadline`]: crate::CallSettings::deadline
//! [`Classifier`]: crate::Classifier
//! [`Classifier::new`]: crate::Classifier::new
//! [`Endpoint`]: crate::Endpoint
//! [`Failure`]: crate::Failure
//! [`RepeatPermission`]: crate::RepeatPermission
//! [`RetryMiddleware::new`]: crate::RetryMiddleware::new
//! [`RetryReport`]: crate::RetryReport
