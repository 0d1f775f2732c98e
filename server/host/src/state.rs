//! The state that the layers of one service share.

use std::ops::Deref;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant, SystemTime};

use crate::accept::ConnectionObserver;
use crate::config::{ServiceConfig, SpanHook};
use crate::instruments::Instruments;
use crate::ledger::Ledger;
use crate::metrics_sink::Metrics;
use crate::request_ids::SeededIds;
use crate::router::ExpectedRoute;
use crate::seed_key::SeedKey;
use wire::{Clock, ClosedBy, ConnectionEnd};

/// The state of one service. Clones share it.
#[derive(Clone)]
pub(crate) struct HostState(Arc<Shared>);

/// The content of a state.
pub(crate) struct Shared {
    pub(crate) key: SeedKey,
    pub(crate) request_ids: SeededIds,
    clock: Arc<dyn Clock>,
    started: Duration,
    /// The moment from which its time counts.
    pub(crate) begun: Instant,
    pub(crate) record_exchanges: bool,
    pub(crate) ledger: Ledger,
    pub(crate) instruments: Instruments,
    pub(crate) metrics: Metrics,
    pub(crate) on_request_span: Option<SpanHook>,
}

impl Deref for HostState {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
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
            begun: Instant::now(),
            record_exchanges: config.record_exchanges,
            ledger: Ledger::new(config.ledger_capacity.get(), config.one_call),
            instruments: Instruments::register(Arc::clone(config.metrics.recorder()), expected),
            metrics: config.metrics.clone(),
            on_request_span: config.on_request_span.clone(),
        }))
    }

    /// Tells whether anything still holds the state.
    pub(crate) fn downgrade(&self) -> Weak<Shared> {
        Arc::downgrade(&self.0)
    }

    /// The time since the service started.
    pub(crate) fn now(&self) -> Duration {
        self.clock.monotonic().saturating_sub(self.started)
    }

    pub(crate) fn wall(&self) -> SystemTime {
        self.clock.wall()
    }
}

impl ConnectionObserver for HostState {
    fn opened(&self, connection: u64) {
        let now = self.now();
        self.ledger.lock().opened(connection, now);
    }

    fn closed(&self, connection: u64, by: ClosedBy, requests: u64) {
        let end = ConnectionEnd { at: self.now(), by };
        self.ledger.lock().closed(connection, requests, end);
    }
}
