//! What the routes and layers of one service share.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, SystemTime};

use axum::Router;

use crate::accept::ConnectionObserver;
use crate::canonical_json::JsonDigest;
use crate::config::{ServiceConfig, SpanHook};
use crate::idempotency::{IdempotencyKey, Records, Submission};
use crate::instruments::Instruments;
use crate::ledger::Ledger;
use crate::metrics_sink::Metrics;
use crate::request_ids::SeededIds;
use crate::routes::flaky::Calls;
use crate::seed_key::SeedKey;
use wire::{Clock, ClosedBy};

/// The state of one service, as [`router`](crate::router) takes it. Clones share it.
#[derive(Clone)]
pub struct ServiceState(Arc<Shared>);

struct Shared {
    key: SeedKey,
    request_ids: SeededIds,
    clock: Arc<dyn Clock>,
    started: Duration,
    record_exchanges: bool,
    calls: Calls,
    records: Mutex<Records>,
    ledger: Ledger,
    instruments: Instruments,
    metrics: Metrics,
    on_request_span: Option<SpanHook>,
    lessons: bool,
    routes: Router,
}

/// Tells whether anything still holds the state of a service.
#[derive(Debug)]
pub(crate) struct Liveness(Weak<Shared>);

impl Liveness {
    pub(crate) fn is_alive(&self) -> bool {
        self.0.strong_count() > 0
    }
}

impl ServiceState {
    /// A fresh state: no calls, no jobs, an empty ledger. Its time starts now.
    #[must_use]
    pub fn new(config: &ServiceConfig) -> Self {
        let key = SeedKey::new(config.seed);
        Self(Arc::new(Shared {
            request_ids: SeededIds::new(&key),
            key,
            clock: Arc::clone(&config.clock),
            started: config.clock.monotonic(),
            record_exchanges: config.record_exchanges,
            calls: Calls::default(),
            records: Mutex::new(Records::new(config.max_jobs)),
            ledger: Ledger::new(config.ledger_capacity, config.one_caller),
            instruments: Instruments::register(
                Arc::clone(config.metrics.recorder()),
                &config.expected_routes,
            ),
            metrics: config.metrics.clone(),
            on_request_span: config.on_request_span.clone(),
            lessons: config.lessons,
            routes: config.routes.clone(),
        }))
    }

    /// A handle to the ledger of this state.
    #[must_use]
    pub fn ledger(&self) -> Ledger {
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

    pub(crate) fn calls(&self) -> &Calls {
        &self.0.calls
    }

    pub(crate) fn submit(&self, key: IdempotencyKey, body: JsonDigest) -> Submission {
        self.0
            .records
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .submit(key, body)
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

    pub(crate) fn has_lessons(&self) -> bool {
        self.0.lessons
    }

    pub(crate) fn routes(&self) -> Router {
        self.0.routes.clone()
    }
}

impl ConnectionObserver for ServiceState {
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

impl fmt::Debug for ServiceState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServiceState")
            .field("ledger", &self.0.ledger)
            .finish_non_exhaustive()
    }
}
