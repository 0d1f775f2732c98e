//! The configuration of a service.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use http::HeaderMap;
use tracing::Span;

use crate::accept::{ConnectionBounds, HeaderCase};
use crate::metrics_sink::Metrics;
use wire::{Clock, SystemClock};

/// How long requests in flight may go on after a service was told to stop. A signal ends a
/// program within three seconds, so this leaves it time for the rest.
pub const DRAIN_DEADLINE: Duration = Duration::from_secs(2);

/// A function that is called with the span of a request and its headers.
pub type SpanHook = Arc<dyn Fn(&Span, &HeaderMap) + Send + Sync>;

/// The configuration of a service.
///
/// ```
/// use host::ServiceConfig;
///
/// let config = ServiceConfig {
///     port: 8765,
///     ..ServiceConfig::default()
/// };
/// ```
#[derive(Clone)]
#[expect(
    missing_debug_implementations,
    reason = "the seed is a secret: with it one can forge a cursor"
)]
pub struct ServiceConfig {
    /// The port on 127.0.0.1; 0, the default, stands for a free one.
    pub port: u16,
    /// The seed of cursors, hashes, job ids and request ids: two services with one seed
    /// make the same ones. Default: random.
    pub seed: u64,
    /// The clock of the ledger, of durations and of Retry-After dates. Default:
    /// [`SystemClock`].
    pub clock: Arc<dyn Clock>,
    /// How many requests the ledger keeps. Default: 10 000.
    pub ledger_capacity: NonZeroUsize,
    /// How long `stop` lets requests in flight finish before it cuts them off. Default:
    /// [`DRAIN_DEADLINE`].
    pub drain_deadline: Duration,
    /// How long clients may leave their connections waiting, and how many there may be.
    /// [`Host::start`](crate::Host::start) refuses a time of zero, since no client could
    /// keep to it.
    pub connection_bounds: ConnectionBounds,
    /// How the names of the headers of responses are written. Default: in lower case.
    pub header_case: HeaderCase,
    /// Where the numbers go. Default: [`Metrics::private`].
    pub metrics: Metrics,
    /// Called for each request once its span is made and before it is entered: the
    /// position to set an OpenTelemetry parent from the headers.
    pub on_request_span: Option<SpanHook>,
    /// Whether all requests belong to one call. Then a request is early if it comes before
    /// the newest response on its route allowed. Default: false, and only an equal trace or
    /// idempotency key ties requests, since others may be another client's.
    pub one_call: bool,
    /// Whether the service keeps, beside the ledger and bounded like it, what it itself
    /// sent and the shape of what it received: see [`RecordedExchange`](crate::RecordedExchange). Default:
    /// false, and nothing is copied.
    pub record_exchanges: bool,
}

impl Default for ServiceConfig {
    fn default() -> Self {
        Self {
            port: 0,
            seed: rand::random(),
            clock: Arc::new(SystemClock::default()),
            ledger_capacity: const { NonZeroUsize::new(10_000).unwrap() },
            drain_deadline: DRAIN_DEADLINE,
            connection_bounds: ConnectionBounds::default(),
            header_case: HeaderCase::default(),
            metrics: Metrics::private(),
            on_request_span: None,
            one_call: false,
            record_exchanges: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ServiceConfig;

    #[test]
    fn without_a_seed_two_services_differ() {
        let seeds = [(); 2].map(|()| ServiceConfig::default().seed);

        assert_ne!(seeds[0], seeds[1]);
    }
}
