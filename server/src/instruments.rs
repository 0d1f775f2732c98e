//! The service's metric handles.
//!
//! A handle is registered once and held: looking a metric up by its name and
//! labels for every request costs ten times as much as counting with it. Series of
//! events that can be foreseen are there from the start, at zero, so that a dashboard
//! can tell "never happened" from "not measured", and a first event is a rise.

use std::borrow::{Borrow, Cow};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use http::StatusCode;
use metrics::{
    Counter, Gauge, Histogram, Key, Label, Level, Metadata, Recorder, SharedString, Unit,
};

use crate::expected_route::ExpectedRoute;
use crate::telemetry::{
    ACTIVE_REQUESTS, EARLY_RETRIES, FAULTS, JOB_RESULTS, JOBS, KnownMethod, METHODS, METRICS,
    MetricKind, MetricSpec, OTHER, REQUEST_DURATION, status_label,
};
use wire::JobResult;

const METADATA: Metadata<'static> = Metadata::new("server", Level::INFO, Some(module_path!()));

/// Every handle of one service.
pub(crate) struct Instruments {
    recorder: Arc<dyn Recorder + Send + Sync>,
    active: [Gauge; METHODS.len()],
    jobs: [Counter; JOB_RESULTS.len()],
    faults: Held<&'static str, Counter>,
    routes: Held<Box<str>, Arc<RouteInstruments>>,
}

impl Instruments {
    /// Registers what every service has, and what its lessons and these routes may be
    /// counted for.
    pub(crate) fn register(
        recorder: Arc<dyn Recorder + Send + Sync>,
        added: &[ExpectedRoute],
    ) -> Self {
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
            faults: Held::default(),
            routes: Held::default(),
            recorder,
        };

        instruments.known_route(OTHER);
        for route in added {
            instruments.expect(route);
        }
        instruments
    }

    /// Has the series of a route there before its first request.
    pub(crate) fn expect(&self, route: &ExpectedRoute) {
        for fault in &route.faults {
            drop(self.fault(fault));
        }
        let instruments = self.known_route(route.path);
        for status in &route.statuses {
            drop(instruments.duration(KnownMethod::of(&route.method), *status));
        }
        if route.has_retry_after {
            instruments.early();
        }
    }

    /// The handles of a route, by its path.
    pub(crate) fn route(&self, path: &str) -> Arc<RouteInstruments> {
        self.routes
            .get_or(path, || self.of_route(path.to_owned().into()))
    }

    fn known_route(&self, path: &'static str) -> Arc<RouteInstruments> {
        self.routes.get_or(path, || self.of_route(path.into()))
    }

    fn of_route(&self, path: Cow<'static, str>) -> Arc<RouteInstruments> {
        Arc::new(RouteInstruments {
            path,
            recorder: Arc::clone(&self.recorder),
            early: OnceLock::new(),
            durations: Held::default(),
        })
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

    pub(crate) fn count_fault(&self, fault: &'static str) {
        self.fault(fault).increment(1);
    }

    fn fault(&self, fault: &'static str) -> Counter {
        let register = || {
            self.recorder
                .register_counter(&key(&FAULTS, [fault.into()]), &METADATA)
        };
        self.faults.get_or(&fault, register)
    }
}

/// The handles of one route.
pub(crate) struct RouteInstruments {
    path: Cow<'static, str>,
    recorder: Arc<dyn Recorder + Send + Sync>,
    early: OnceLock<Counter>,
    durations: Held<(KnownMethod, &'static str), Histogram>,
}

impl RouteInstruments {
    /// The path of the route, which is its label.
    pub(crate) fn path(&self) -> &Cow<'static, str> {
        &self.path
    }

    pub(crate) fn count_early(&self) {
        self.early().increment(1);
    }

    pub(crate) fn observe(&self, method: KnownMethod, status: StatusCode, took: Duration) {
        self.duration(method, status).record(took.as_secs_f64());
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
struct Held<K, H>(RwLock<Vec<(K, H)>>);

impl<K, H> Default for Held<K, H> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<K, H: Clone> Held<K, H> {
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use http::{Method, StatusCode};
    use metrics::{Key, Level, Metadata, Recorder};
    use metrics_exporter_prometheus::PrometheusBuilder;

    use crate::config::ServiceConfig;
    use crate::expected_route::ExpectedRoute;
    use crate::metrics_sink::Metrics;
    use crate::router::LESSONS;
    use crate::telemetry::{DURATION_BUCKETS, JOB_RESULTS, METHODS, METRICS, MetricKind};
    use crate::testing::{Service, get};

    #[tokio::test]
    async fn every_series_that_can_be_foreseen_is_there_at_zero() {
        let scrape = get("/metrics").await.text();

        let mut expected = Vec::new();
        for method in METHODS {
            expected.push(format!(
                "http_server_active_requests{{http_request_method=\"{method}\"}} 0"
            ));
        }
        for result in JOB_RESULTS {
            expected.push(format!("service_jobs_total{{result=\"{result}\"}} 0"));
        }
        for lesson in LESSONS {
            let path = lesson.path;
            expected.extend(
                lesson
                    .fault
                    .map(|fault| format!("service_faults_total{{fault=\"{fault}\"}} 0")),
            );
            expected.extend(lesson.responses.iter().map(|response| {
                let (method, status) = (&lesson.method, response.status.as_u16());
                format!("http_server_request_duration_seconds_count{{http_request_method=\"{method}\",http_route=\"{path}\",http_response_status_code=\"{status}\"}} 0")
            }));
        }
        for line in expected {
            assert!(
                scrape.lines().any(|scraped| scraped == line),
                "{line} is not in\n{scrape}"
            );
        }
    }

    /// The series of counters in a scrape, without their values.
    fn counters(scrape: &str) -> BTreeSet<&str> {
        let series = scrape.lines().filter_map(|line| line.rsplit_once(' '));
        let is_counter = |series: &&str| {
            let counters = METRICS.iter().filter(|it| it.kind == MetricKind::Counter);
            counters.into_iter().any(|it| series.starts_with(it.name))
        };
        series
            .map(|(series, _)| series)
            .filter(is_counter)
            .collect()
    }

    #[tokio::test]
    async fn no_counter_is_born_with_its_first_event_and_none_is_there_in_vain() {
        let service = Service::with(ServiceConfig::builder().one_caller(true).max_jobs(1));
        let before = service.get("/metrics").await.text();

        for lesson in LESSONS {
            for _ in 0..2 {
                service
                    .request(lesson.method.as_str(), lesson.path, &[], "")
                    .await;
                service.get("/nowhere").await;
            }
        }
        let headers = [
            ("content-type", "application/json"),
            ("idempotency-key", "k"),
        ];
        for body in ["{}", "{}", r#"{"a":1}"#] {
            service.post("/jobs", &headers, body).await;
        }

        let after = service.get("/metrics").await.text();
        assert_eq!(counters(&after), counters(&before));
        let unmoved: Vec<_> = after
            .lines()
            .filter(|line| line.ends_with(" 0") && !counters(line).is_empty())
            .collect();
        assert_eq!(unmoved, [""; 0], "what cannot happen is not registered");
    }

    #[tokio::test]
    async fn an_expected_route_is_there_at_zero() {
        let expected = ExpectedRoute {
            path: "/added",
            method: Method::GET,
            statuses: vec![StatusCode::TOO_MANY_REQUESTS],
            faults: vec!["of_the_lab"],
            has_retry_after: true,
        };
        let service = Service::with(ServiceConfig::builder().expected_routes([expected]));

        let scrape = service.get("/metrics").await.text();

        for line in [
            "service_faults_total{fault=\"of_the_lab\"} 0",
            "service_early_retries_total{route=\"/added\"} 0",
            "http_server_request_duration_seconds_count{http_request_method=\"GET\",http_route=\"/added\",http_response_status_code=\"429\"} 0",
        ] {
            assert!(
                scrape.lines().any(|it| it == line),
                "{line} is not in\n{scrape}"
            );
        }
    }

    #[tokio::test]
    async fn metrics_have_the_type_the_labels_and_the_buckets_of_the_vocabulary() {
        let scrape = get("/metrics").await.text();

        for metric in METRICS {
            let kind = match metric.kind {
                MetricKind::Counter => "counter",
                MetricKind::Gauge => "gauge",
                MetricKind::Histogram => "histogram",
            };
            assert!(
                scrape.contains(&format!("# TYPE {} {kind}\n", metric.name)),
                "{scrape}"
            );
            let series = scrape.lines().filter(|line| line.starts_with(metric.name));
            for line in series {
                let labels = metric
                    .labels
                    .iter()
                    .filter(|label| line.contains(&format!("{label}=\"")));
                assert_eq!(labels.count(), metric.labels.len(), "{line}");
            }
        }
        for bucket in DURATION_BUCKETS {
            assert!(
                scrape.contains(&format!(",le=\"{bucket}\"}}")),
                "no bucket {bucket}"
            );
        }
    }

    #[tokio::test]
    async fn two_services_never_mix() {
        let (one, other) = (Service::new(), Service::new());

        one.get("/flaky").await;

        let fault = "service_faults_total{fault=\"flaky\"}";
        assert!(
            one.get("/metrics")
                .await
                .text()
                .contains(&format!("{fault} 1"))
        );
        assert!(
            other
                .get("/metrics")
                .await
                .text()
                .contains(&format!("{fault} 0"))
        );
    }

    #[tokio::test]
    async fn a_callers_recorder_holds_the_callers_series_as_well() {
        let recorder = Arc::new(PrometheusBuilder::new().build_recorder());
        let handle = recorder.handle();
        let metadata = Metadata::new("test", Level::INFO, None);
        recorder
            .register_counter(&Key::from_name("of_the_caller"), &metadata)
            .increment(7);
        let metrics = Metrics::new(recorder, move || handle.render());
        let service = Service::with(ServiceConfig::builder().metrics(metrics));

        service.get("/flaky").await;

        let scrape = service.get("/metrics").await.text();
        assert!(scrape.contains("of_the_caller 7"), "{scrape}");
        assert!(
            scrape.contains("service_faults_total{fault=\"flaky\"} 1"),
            "{scrape}"
        );
    }
}
