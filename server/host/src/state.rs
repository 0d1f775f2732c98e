//! What the layers of one service share.

use std::fmt;
use std::sync::{Arc, Weak};
use std::time::{Duration, SystemTime};

use crate::accept::ConnectionObserver;
use crate::config::{ServiceConfig, SpanHook};
use crate::instruments::Instruments;
use crate::ledger::Ledger;
use crate::metrics_sink::Metrics;
use crate::request_ids::SeededIds;
use crate::seed_key::SeedKey;
use crate::served::ExpectedRoute;
use wire::{Clock, ClosedBy};

/// The state of one service. Clones share it.
#[derive(Clone)]
pub(crate) struct HostState(Arc<Shared>);

struct Shared {
    key: SeedKey,
    request_ids: SeededIds,
    clock: Arc<dyn Clock>,
    started: Duration,
    record_exchanges: bool,
    ledger: Ledger,
    instruments: Instruments,
    metrics: Metrics,
    on_request_span: Option<SpanHook>,
}

/// Tells whether anything still holds the state of a service.
#[derive(Debug)]
pub(crate) struct Liveness(Weak<Shared>);

impl Liveness {
    pub(crate) fn is_alive(&self) -> bool {
        self.0.strong_count() > 0
    }
}

impl HostState {
    /// A fresh state with an empty ledger. Its time starts now.
    pub(crate) fn new(config: &ServiceConfig, expected: &[ExpectedRoute]) -> Self {
        let key = SeedKey::new(config.seed);
        Self(Arc::new(Shared {
            request_ids: SeededIds::new(&key),
            key,
            clock: Arc::clone(&config.clock),
            started: config.clock.monotonic(),
            record_exchanges: config.record_exchanges,
            ledger: Ledger::new(config.ledger_capacity, config.one_caller),
            instruments: Instruments::register(Arc::clone(config.metrics.recorder()), expected),
            metrics: config.metrics.clone(),
            on_request_span: config.on_request_span.clone(),
        }))
    }

    /// A handle to the ledger of this state.
    pub(crate) fn ledger(&self) -> Ledger {
        self.0.ledger.clone()
    }

    /// The ledger, without another handle to it.
    pub(crate) fn ledger_ref(&self) -> &Ledger {
        &self.0.ledger
    }

    pub(crate) fn records_exchanges(&self) -> bool {
        self.0.record_exchanges
    }

    pub(crate) fn liveness(&self) -> Liveness {
        Liveness(Arc::downgrade(&self.0))
    }

    pub(crate) fn key(&self) -> &SeedKey {
        &self.0.key
    }

    pub(crate) fn request_ids(&self) -> &SeededIds {
        &self.0.request_ids
    }

    /// The time since the service started.
    pub(crate) fn now(&self) -> Duration {
        self.0.clock.monotonic().saturating_sub(self.0.started)
    }

    pub(crate) fn wall(&self) -> SystemTime {
        self.0.clock.wall()
    }

    pub(crate) fn instruments(&self) -> &Instruments {
        &self.0.instruments
    }

    pub(crate) fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    pub(crate) fn on_request_span(&self) -> Option<&SpanHook> {
        self.0.on_request_span.as_ref()
    }
}

impl ConnectionObserver for HostState {
    fn opened(&self, connection: u64) {
        self.0.ledger.connection_opened(connection, self.now());
    }

    fn closed(&self, connection: u64, by: ClosedBy, requests: u64) {
        let now = self.now();
        self.0
            .ledger
            .connection_closed(connection, requests, now, by);
    }
}

impl fmt::Debug for HostState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostState")
            .field("ledger", &self.0.ledger)
            .finish_non_exhaustive()
    }
}
