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
//! # // `Retry-After: 0`, so the example does not wait.
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
//! The rest of the stack stays the same: a middleware that is added after the layer
//! runs once for each attempt, and one that is added before it runs once for each call.
//! Your calls stay the same too, except a POST that may be repeated.
//!
//! # The `reqwest::Client` must not send extra requests
//!
//! A default `reqwest::Client` follows redirects, and a 307 or 308 repeats a POST with
//! its body. It also retries when HTTP/2 reports that a request was not processed. Both
//! happen below every middleware, so no middleware can count or stop them.
//! [`without_hidden_requests`] turns both off, and a redirect becomes a response like
//! any other. Timeouts also belong to the `reqwest::Client`: without a `read_timeout`
//! an attempt may last forever, unless the call has a deadline.
//!
//! # What changes for the caller
//!
//! | | `reqwest-retry` 0.9 | here |
//! |---|---|---|
//! | POST, PATCH | repeated like any other method | one attempt. A [`RepeatPermission`] on the request permits more; an `Idempotency-Key` does not |
//! | `Retry-After` | not read | the client waits in full; a wait longer than [`max_retry_after`], 30 s by default, ends the call immediately |
//! | statuses that are retried | 408, 429, every 5xx | 429, 500, 502, 503, 504. A 501 or a 505 is not temporary; [`Classifier::new`] takes other statuses |
//! | a failed TLS handshake | retried as a connection error | one attempt |
//! | a time limit | checked only before each wait, so the wait and the next attempt can exceed it | [`deadline`] includes both: a wait that would reach it is not started, and an attempt is cut off when it passes |
//! | a success whose body is cut off | delivered; reading the body fails | a failed attempt, since the attempt includes reading the body, up to [`max_body_bytes`]; so do not use this stack for a streamed download |
//! | an error response whose body is cut off | delivered or retried, depending on its status | the same: only status and `Retry-After` decide |
//! | a request whose body is a stream | an error, and nothing is sent | one attempt |
//! | an error of the transport | wrapped in a [`RetryError`] | unchanged, but without its URL |
//! | information about the call | the number of retries, if the call ended in an error | a [`RetryReport`] among the extensions of the response, or of the request if there is none |
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
//! | `jitter(Jitter::Full)`, `base(2)` | always. Keep the policy for another jitter or base |
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
//! * Both the policy and the layer can end a call: the policy when it declines, the
//!   layer when `max_attempts` is reached. `max_attempts` is 3 by default, even if the
//!   policy allows more retries.
//! * The policy is asked at most once per attempt, only if another attempt is possible,
//!   and never after a success. A valid `Retry-After` replaces its wait.
//! * The strategy also sees failures of the body. A body that was cut off is a
//!   [`reqwest::Error`], which `DefaultRetryableStrategy` treats as fatal. A body that
//!   is too large is a [`Failure`].
//! * The strategy does not decide about methods, `Retry-After` and failed handshakes.
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
