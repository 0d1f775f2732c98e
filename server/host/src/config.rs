//! The configuration of a service: defaults, rules, and the seams for others.

use std::sync::Arc;
use std::time::Duration;

use http::HeaderMap;
use tracing::Span;

use crate::accept::{ConnectionBounds, HeaderCase};
use crate::metrics_sink::Metrics;
use wire::{Clock, SystemClock};

/// How many requests the ledger keeps.
pub const DEFAULT_LEDGER_CAPACITY: usize = 10_000;
/// How long `stop` lets requests in flight finish.
pub const DEFAULT_DRAIN_DEADLINE: Duration = Duration::from_secs(5);

/// The largest `ledger_capacity`: the record lives in memory.
pub const MAX_CAPACITY: usize = 1_000_000;
/// The longest drain deadline.
pub const MAX_DRAIN_DEADLINE: Duration = Duration::from_secs(60);

/// A rule of the configuration that was broken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// `ledger_capacity` is out of range.
    #[error("ledger_capacity must be from 1 to {MAX_CAPACITY}, got {got}")]
    LedgerCapacity {
        /// The value that was refused.
        got: usize,
    },
    /// `drain_deadline` is out of range.
    #[error("drain_deadline must be above 0s and at most {MAX_DRAIN_DEADLINE:?}, got {got:?}")]
    DrainDeadline {
        /// The value that was refused.
        got: Duration,
    },
    /// One of the connection bounds is zero: no client could keep to it.
    #[error("connection_bounds must be above 0s, got {got:?}")]
    ConnectionBounds {
        /// The bounds that were refused.
        got: ConnectionBounds,
    },
}

/// A function that is called with a request's span before it is entered.
pub(crate) type SpanHook = Arc<dyn Fn(&Span, &HeaderMap) + Send + Sync>;

/// The configuration of a service. Every value of this type is a legal one.
#[derive(Clone)]
pub struct ServiceConfig {
    pub(crate) port: u16,
    pub(crate) seed: u64,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ledger_capacity: usize,
    pub(crate) drain_deadline: Duration,
    pub(crate) connection_bounds: ConnectionBounds,
    pub(crate) header_case: HeaderCase,
    pub(crate) metrics: Metrics,
    pub(crate) on_request_span: Option<SpanHook>,
    pub(crate) one_call: bool,
    pub(crate) record_exchanges: bool,
}

impl ServiceConfig {
    /// Starts from the defaults.
    pub fn builder() -> ServiceConfigBuilder {
        ServiceConfigBuilder(Self {
            port: 0,
            seed: rand::random(),
            clock: Arc::new(SystemClock::default()),
            ledger_capacity: DEFAULT_LEDGER_CAPACITY,
            drain_deadline: DEFAULT_DRAIN_DEADLINE,
            connection_bounds: ConnectionBounds::default(),
            header_case: HeaderCase::default(),
            metrics: Metrics::private(),
            on_request_span: None,
            one_call: false,
            record_exchanges: false,
        })
    }

    /// The seed of cursors, hashes and ids.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }
}

/// Collects a [`ServiceConfig`] and checks it.
#[must_use = "a builder does nothing until it is built"]
pub struct ServiceConfigBuilder(
    /// A draft: its values may yet break a rule, so only `build` hands it out.
    ServiceConfig,
);

impl ServiceConfigBuilder {
    /// The port on 127.0.0.1; 0, the default, stands for a free one.
    pub fn port(mut self, port: u16) -> Self {
        self.0.port = port;
        self
    }

    /// The seed of cursors, hashes, job ids and request ids: two
    /// services with one seed make the same ones. Default: random.
    pub fn seed(mut self, seed: u64) -> Self {
        self.0.seed = seed;
        self
    }

    /// The clock of the ledger, of durations and of Retry-After dates. Default:
    /// [`SystemClock`].
    pub fn clock(mut self, clock: impl Clock) -> Self {
        self.0.clock = Arc::new(clock);
        self
    }

    /// How many requests the ledger keeps: 1 to [`MAX_CAPACITY`]. Default:
    /// [`DEFAULT_LEDGER_CAPACITY`].
    pub fn ledger_capacity(mut self, ledger_capacity: usize) -> Self {
        self.0.ledger_capacity = ledger_capacity;
        self
    }

    /// How long `stop` lets requests in flight finish before it cuts them off:
    /// above zero, at most [`MAX_DRAIN_DEADLINE`]. Default:
    /// [`DEFAULT_DRAIN_DEADLINE`].
    pub fn drain_deadline(mut self, drain_deadline: Duration) -> Self {
        self.0.drain_deadline = drain_deadline;
        self
    }

    /// How long clients may leave their connections waiting, and how many there may
    /// be; no time of it is zero. Default: that of [`ConnectionBounds`].
    pub fn connection_bounds(mut self, bounds: ConnectionBounds) -> Self {
        self.0.connection_bounds = bounds;
        self
    }

    /// How the names of the headers of responses are written. Default: in lower case.
    pub fn header_case(mut self, header_case: HeaderCase) -> Self {
        self.0.header_case = header_case;
        self
    }

    /// Where the numbers go. Default: [`Metrics::private`].
    pub fn metrics(mut self, metrics: Metrics) -> Self {
        self.0.metrics = metrics;
        self
    }

    /// Called for each request once its span is made and before it is entered: the
    /// position to set an OpenTelemetry parent from the headers.
    pub fn on_request_span(
        mut self,
        hook: impl Fn(&Span, &HeaderMap) + Send + Sync + 'static,
    ) -> Self {
        self.0.on_request_span = Some(Arc::new(hook));
        self
    }

    /// Whether all requests belong to one call. Then a request is early if it comes before
    /// the newest response on its route allowed. Default: false, and only an equal trace or
    /// idempotency key ties requests, since others may be somebody else's.
    pub fn one_call(mut self, one_call: bool) -> Self {
        self.0.one_call = one_call;
        self
    }

    /// Whether the service keeps, beside the ledger and bounded like it, what it itself
    /// sent and the shape of what it received: see [`Exchange`](crate::Exchange). Default:
    /// false, and nothing is copied.
    pub fn record_exchanges(mut self, record_exchanges: bool) -> Self {
        self.0.record_exchanges = record_exchanges;
        self
    }

    /// Checks the rules.
    ///
    /// # Errors
    ///
    /// The first rule that is broken, with the value that broke it.
    pub fn build(self) -> Result<ServiceConfig, ConfigError> {
        let Self(config) = self;
        let got = config.ledger_capacity;
        if !(1..=MAX_CAPACITY).contains(&got) {
            return Err(ConfigError::LedgerCapacity { got });
        }
        let got = config.drain_deadline;
        if got.is_zero() || got > MAX_DRAIN_DEADLINE {
            return Err(ConfigError::DrainDeadline { got });
        }
        let got = config.connection_bounds;
        let times = [got.head, got.body, got.idle, got.stalled];
        if times.iter().any(Duration::is_zero) {
            return Err(ConfigError::ConnectionBounds { got });
        }
        Ok(config)
    }
}

// The seed is a secret of a kind: with it one can forge a cursor.
wire::unprinted! {
    ServiceConfig { port ledger_capacity drain_deadline }
    ServiceConfigBuilder {}
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{ConfigError, ConnectionBounds, MAX_CAPACITY, MAX_DRAIN_DEADLINE, ServiceConfig};

    #[test]
    fn without_a_seed_two_services_differ() {
        let seeds = [(); 2].map(|()| ServiceConfig::builder().build().unwrap().seed());

        assert_ne!(seeds[0], seeds[1]);
    }

    #[test]
    fn each_rule_names_the_value_that_broke_it() {
        use ConfigError::{ConnectionBounds as Bounds, DrainDeadline, LedgerCapacity};
        let builder = ServiceConfig::builder;
        let mut table = Vec::new();
        for got in [0, MAX_CAPACITY + 1] {
            table.push((builder().ledger_capacity(got), LedgerCapacity { got }));
        }
        for got in [Duration::ZERO, MAX_DRAIN_DEADLINE + Duration::from_nanos(1)] {
            table.push((builder().drain_deadline(got), DrainDeadline { got }));
        }
        let bounds: [fn(&mut ConnectionBounds) -> &mut Duration; 4] = [
            |bounds| &mut bounds.head,
            |bounds| &mut bounds.body,
            |bounds| &mut bounds.idle,
            |bounds| &mut bounds.stalled,
        ];
        for bound in bounds {
            let mut got = ConnectionBounds::default();
            *bound(&mut got) = Duration::ZERO;
            table.push((builder().connection_bounds(got), Bounds { got }));
        }

        for (builder, error) in table {
            assert_eq!(builder.build().expect_err("a rule is broken"), error);
        }
        let words = "ledger_capacity must be from 1 to 1000000, got 0";
        assert_eq!(LedgerCapacity { got: 0 }.to_string(), words);
    }
}
