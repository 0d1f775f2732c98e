//! The service's metric handles.
//!
//! A handle is registered once and held: looking metrics up by their names and labels for
//! every request costs more than the bound on the requests per second of the service
//! allows. Series of
//! events that can be foreseen are there from the start, at zero, so that a dashboard
//! can tell "never happened" from "not measured", and a first event is a rise.

use std::borrow::{Borrow, Cow};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use http::StatusCode;
use metrics::{
    Counter, Gauge, Histogram, Key, Label, Level, Metadata, Recorder, SharedString, Unit,
};

use crate::problem::Problem;
use crate::router::ExpectedRoute;
use crate::telemetry::{
    ACTIVE_REQUESTS, EARLY_RETRIES, FAULTS, JOB_RESULTS, JOBS, KnownMethod, METHODS, METRICS,
    MetricKind, MetricSpec, OTHER, REFUSED, REQUEST_DURATION, status_label,
};
use wire::{FaultLabel, JobResult};

type SharedRecorder = Arc<dyn Recorder + Send + Sync>;

const METADATA: Metadata<'static> = Metadata::new("server", Level::INFO, Some(module_path!()));

/// Every handle of one service.
pub(crate) struct Instruments {
    recorder: SharedRecorder,
    active: [Gauge; METHODS.len()],
    jobs: [Counter; JOB_RESULTS.len()],
    faults: Handles<FaultLabel, Counter>,
    routes: Handles<Box<str>, Arc<RouteInstruments>>,
    /// For responses that no route gave.
    unserved: Arc<RouteInstruments>,
    /// For requests that were not admitted.
    refused: Arc<RouteInstruments>,
}

impl Instruments {
    /// Registers what every service has, and what these routes may be counted for.
    pub(crate) fn register(recorder: SharedRecorder, expected: &[ExpectedRoute]) -> Self {
        METRICS.iter().for_each(|spec| describe(&*recorder, spec));
        let gauge = |method| {
            recorder.register_gauge(
                &key(&ACTIVE_REQUESTS, [SharedString::from(method)]),
                &METADATA,
            )
        };
        let job = |result| recorder.register_counter(&key(&JOBS, [result]), &METADATA);
        let instruments = Self {
            active: METHODS.map(gauge),
            jobs: JOB_RESULTS.map(|result| job(SharedString::from(result))),
            faults: Handles::default(),
            routes: Handles::default(),
            unserved: RouteInstruments::new(OTHER.into(), &recorder),
            refused: RouteInstruments::new(REFUSED.into(), &recorder),
            recorder,
        };

        for method in KnownMethod::all() {
            for problem in [Problem::NOT_FOUND, Problem::METHOD_NOT_ALLOWED] {
                drop(instruments.unserved.duration(method, problem.status));
            }
        }
        for problem in Problem::REFUSALS {
            let method = KnownMethod::OTHER;
            drop(instruments.refused.duration(method, problem.status));
        }
        for route in expected {
            instruments.expect(route);
        }
        instruments
    }

    /// Has the series of a route there before its first request.
    fn expect(&self, route: &ExpectedRoute) {
        for fault in &route.faults {
            drop(self.fault(*fault));
        }
        let instruments = self.known_route(route.path);
        for status in &route.statuses {
            drop(instruments.duration(KnownMethod::of(&route.method), *status));
        }
        if route.has_retry_after {
            instruments.early();
        }
    }

    /// The handles of a route, by its path; without one, those of [`OTHER`].
    pub(crate) fn route(&self, path: Option<&str>) -> Arc<RouteInstruments> {
        let Some(path) = path else {
            return Arc::clone(&self.unserved);
        };
        self.routes.get_or(path, || {
            RouteInstruments::new(path.to_owned().into(), &self.recorder)
        })
    }

    fn known_route(&self, path: &'static str) -> Arc<RouteInstruments> {
        let register = || RouteInstruments::new(path.into(), &self.recorder);
        self.routes.get_or(path, register)
    }

    /// Counts a response. A 405 is the host's own, and not that of the route.
    pub(crate) fn observe(
        &self,
        route: &RouteInstruments,
        method: KnownMethod,
        status: StatusCode,
        took: Duration,
    ) {
        let route = match status {
            StatusCode::METHOD_NOT_ALLOWED => &self.unserved,
            _ => route,
        };
        route.duration(method, status).record(took.as_secs_f64());
    }

    /// Counts a request that was not admitted.
    pub(crate) fn count_refused(&self, status: StatusCode, took: Duration) {
        let duration = self.refused.duration(KnownMethod::OTHER, status);
        duration.record(took.as_secs_f64());
    }

    pub(crate) fn active(&self, method: KnownMethod) -> &Gauge {
        method.in_table(&self.active)
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "JOB_RESULTS has a label for each result"
    )]
    pub(crate) fn count_job(&self, result: JobResult) {
        self.jobs[result as usize].increment(1);
    }

    pub(crate) fn count_fault(&self, fault: FaultLabel) {
        self.fault(fault).increment(1);
    }

    fn fault(&self, fault: FaultLabel) -> Counter {
        let register = || {
            self.recorder
                .register_counter(&key(&FAULTS, [fault.0.into()]), &METADATA)
        };
        self.faults.get_or(&fault, register)
    }
}

/// The handles of one route.
pub(crate) struct RouteInstruments {
    path: Cow<'static, str>,
    /// The names of its spans, by method.
    span_names: [OnceLock<String>; METHODS.len()],
    recorder: SharedRecorder,
    early: OnceLock<Counter>,
    durations: Handles<(KnownMethod, &'static str), Histogram>,
}

impl RouteInstruments {
    fn new(path: Cow<'static, str>, recorder: &SharedRecorder) -> Arc<Self> {
        Arc::new(Self {
            path,
            span_names: [const { OnceLock::new() }; METHODS.len()],
            recorder: Arc::clone(recorder),
            early: OnceLock::new(),
            durations: Handles::default(),
        })
    }

    /// The path of the route, which is its label.
    pub(crate) fn path(&self) -> &Cow<'static, str> {
        &self.path
    }

    /// OpenTelemetry names a span by method and route, or by the method alone where no
    /// route gave the response, and never by the raw path.
    pub(crate) fn span_name(&self, method: KnownMethod) -> &str {
        method.in_table(&self.span_names).get_or_init(|| {
            let name = match method {
                KnownMethod::OTHER => "HTTP",
                known => known.as_str(),
            };
            match &*self.path {
                OTHER => name.to_owned(),
                path => [name, " ", path].concat(),
            }
        })
    }

    pub(crate) fn count_early(&self) {
        self.early().increment(1);
    }

    fn early(&self) -> &Counter {
        self.early.get_or_init(|| {
            let labels = [SharedString::from(self.path.clone())];
            self.recorder
                .register_counter(&key(&EARLY_RETRIES, labels), &METADATA)
        })
    }

    fn duration(&self, method: KnownMethod, status: StatusCode) -> Histogram {
        let status = status_label(status);
        self.durations.get_or(&(method, status), || {
            let labels = [
                method.as_str().into(),
                self.path.clone().into(),
                status.into(),
            ];
            self.recorder
                .register_histogram(&key(&REQUEST_DURATION, labels), &METADATA)
        })
    }
}

fn describe(recorder: &(dyn Recorder + Send + Sync), spec: &MetricSpec) {
    let (name, question) = (spec.name.into(), spec.question.into());
    match spec.kind {
        MetricKind::Counter => recorder.describe_counter(name, Some(Unit::Count), question),
        MetricKind::Gauge => recorder.describe_gauge(name, Some(Unit::Count), question),
        MetricKind::Histogram => recorder.describe_histogram(name, Some(Unit::Seconds), question),
    }
}

fn key<const N: usize>(spec: &MetricSpec, values: [SharedString; N]) -> Key {
    debug_assert_eq!(spec.labels.len(), N, "{} has other labels", spec.name);
    let labels: Vec<Label> = spec
        .labels
        .iter()
        .zip(values)
        .map(|(name, value)| Label::new(*name, value))
        .collect();
    Key::from_parts(spec.name, labels)
}

/// Handles by label values, each registered when it is first asked for. There are a few
/// dozen at most: to compare them takes less time than to hash what is looked for.
struct Handles<K, H>(RwLock<Vec<(K, H)>>);

impl<K, H> Default for Handles<K, H> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<K, H: Clone> Handles<K, H> {
    fn get_or<Q>(&self, labels: &Q, register: impl FnOnce() -> H) -> H
    where
        K: Borrow<Q>,
        Q: Eq + ToOwned + ?Sized,
        Q::Owned: Into<K>,
    {
        let find = |held: &[(K, H)]| {
            let mut held = held.iter();
            let found = held.find(|(known, _)| known.borrow() == labels);
            found.map(|(_, handle)| handle.clone())
        };
        if let Some(handle) = find(&self.0.read().unwrap_or_else(PoisonError::into_inner)) {
            return handle;
        }
        let mut held = self.0.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have been faster.
        find(&held).unwrap_or_else(|| {
            let handle = register();
            held.push((labels.to_owned().into(), handle.clone()));
            handle
        })
    }
}
