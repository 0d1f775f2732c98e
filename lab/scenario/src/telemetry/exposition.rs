//! The counters of one run, apart from those of the process.
//!
//! Client and service register with a recorder of their run, so its numbers are those of
//! this run alone. The recorder also feeds an [`Exposition`], which shows both sides
//! together: that of the run, or that of a process with many runs.

use std::sync::Arc;

use client::{
    Clock, SystemClock,
    telemetry::{
        CALL_ATTEMPTS, CALL_ATTEMPTS_BUCKETS, CALL_DURATION, CALL_DURATION_BUCKETS,
        DURATION_BUCKETS, REQUEST_DURATION, RETRY_WAIT, SharedRecorder, WAIT_BUCKETS,
    },
};
use host::{Metrics, ServiceConfig};
use metrics_exporter_prometheus::{
    Matcher, PrometheusBuilder, PrometheusHandle, PrometheusRecorder,
};

use super::run_recorder::{RunCounters, RunRecorder};
use crate::{
    Client, Counters, Pace,
    catalogue::Scenario,
    clients::{RELIABLE, register},
};

/// The series of client and service side by side, in Prometheus's text format.
/// Clones share them.
#[derive(Clone, Debug)]
pub struct Exposition {
    recorder: Arc<PrometheusRecorder>,
    handle: PrometheusHandle,
}

impl Default for Exposition {
    fn default() -> Self {
        Self::new()
    }
}

impl Exposition {
    /// No series yet.
    #[must_use]
    pub fn new() -> Self {
        let recorder = prometheus_recorder();
        Self {
            handle: recorder.handle(),
            recorder: Arc::new(recorder),
        }
    }

    /// Where a service of this process registers, and what its `/metrics`
    /// shows.
    #[must_use]
    pub fn service(&self) -> Metrics {
        self.show(Arc::<PrometheusRecorder>::clone(&self.recorder))
    }

    /// Registers, at zero, every counter that a run of these scenarios can move.
    /// Prometheus sees no increase in a series that starts at 1.
    pub fn register(&self, scenarios: &[Scenario]) {
        let recorder: SharedRecorder = Arc::<PrometheusRecorder>::clone(&self.recorder);
        let tasks: Vec<_> = scenarios.iter().map(|scenario| scenario.task).collect();
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let added = scenarios
            .iter()
            .flat_map(|scenario| scenario.added(Arc::clone(&clock)).expected);
        let config = ServiceConfig {
            metrics: self.service(),
            ..ServiceConfig::default()
        };
        let mut served = server::lessons(config.seed);
        served.expected.extend(added);
        register(&recorder, &tasks, &served.expected);
        // A router registers what is expected when it is made.
        drop(host::router(&config, served));
    }

    /// The text of `/metrics`. It also folds observations into buckets. A long-lived process must
    /// do so every few seconds, because each observation takes memory until then.
    #[must_use]
    pub fn text(&self) -> String {
        self.handle.render()
    }

    /// These series at `/metrics`, for a service that registers elsewhere.
    fn show(&self, recorder: SharedRecorder) -> Metrics {
        let handle = self.handle.clone();
        Metrics::new(recorder, move || handle.render())
    }
}

/// A recorder with the buckets of both vocabularies. A histogram without
/// buckets would render as a summary, which cannot be added up over instances.
///
/// A client and a service register with it when they are built, and what its
/// handle renders is what Prometheus scrapes. It must be rendered every few seconds, or
/// observations pile up.
#[must_use]
#[expect(clippy::expect_used, reason = "the buckets are constants")]
pub fn prometheus_recorder() -> PrometheusRecorder {
    let service = &host::telemetry::REQUEST_DURATION;
    let buckets: [(&str, &[f64]); 5] = [
        (CALL_DURATION.name, &CALL_DURATION_BUCKETS),
        (CALL_ATTEMPTS.name, &CALL_ATTEMPTS_BUCKETS),
        (RETRY_WAIT.name, &WAIT_BUCKETS),
        (REQUEST_DURATION.name, &DURATION_BUCKETS),
        (service.name, &host::telemetry::DURATION_BUCKETS),
    ];
    let mut builder = PrometheusBuilder::new();
    for (metric, bounds) in buckets {
        builder = builder
            .set_buckets_for_metric(Matcher::Full(metric.to_owned()), bounds)
            .expect("no list of buckets is empty");
    }
    builder.build_recorder()
}

/// The metrics of one run.
pub(crate) struct RunMetrics {
    client: SharedRecorder,
    counters: RunCounters,
    service: Metrics,
}

impl RunMetrics {
    /// Counts a run on its own and towards `exposition`. Any client but the reference client
    /// counts only on its own: a dashboard would take its failures for those of the
    /// reference client. In virtual time nobody waits, so no duration is observed.
    pub(crate) fn new(exposition: &Exposition, client: Client, pace: Pace) -> Self {
        let counters = RunCounters::default();
        let both: SharedRecorder = Arc::new(RunRecorder {
            counters: counters.clone(),
            process: Some(Arc::clone(&exposition.recorder)),
            observes_durations: pace == Pace::Real,
        });
        Self {
            service: exposition.show(Arc::clone(&both)),
            client: if client == RELIABLE {
                both
            } else {
                counters.recorder()
            },
            counters,
        }
    }

    /// The recorder of the client.
    pub(crate) fn recorder(&self) -> SharedRecorder {
        Arc::clone(&self.client)
    }

    /// The metrics of the service, and its `/metrics`.
    pub(crate) fn service(&self) -> Metrics {
        self.service.clone()
    }

    /// The counters that moved.
    pub(crate) fn counters(&self) -> Counters {
        self.counters.read()
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, future::pending};

    use tracing_subscriber::layer::Identity;

    use super::*;
    use crate::{
        CLIENTS, ClientUnderTest, Naive, Overrides, Session, Settings, WITHOUT,
        catalogue::{self, CATALOGUE},
    };

    /// The series of all counters in Prometheus's text format, with their values.
    fn counters(text: &str) -> impl Iterator<Item = (&str, u64)> {
        let names: BTreeSet<_> = text
            .lines()
            .filter_map(|line| line.strip_prefix("# TYPE ")?.strip_suffix(" counter"))
            .collect();
        let samples = text.lines().filter_map(|line| line.rsplit_once(' '));
        samples.filter_map(move |(series, value)| {
            let is_counter = names.contains(name(series));
            Some((series, value.parse().ok().filter(|_| is_counter)?))
        })
    }

    /// The name of a series without its labels.
    fn name(series: &str) -> &str {
        series.split_once('{').map_or(series, |(name, _)| name)
    }

    #[tokio::test]
    async fn every_counter_of_the_course_exists_before_its_first_event() {
        let exposition = Exposition::new();
        exposition.register(CATALOGUE);
        let before = exposition.handle.render();

        for scenario in CATALOGUE {
            for client in CLIENTS {
                let settings = Settings::in_virtual_time(*client, 7);
                let session = Session::new(scenario, &settings, &exposition);
                let run = session.run_until(pending(), Identity::new()).await;
                run.expect("a run");
            }
        }

        let known: BTreeSet<_> = counters(&before).map(|(series, _)| series).collect();
        let after = exposition.handle.render();
        let born: Vec<_> = counters(&after)
            .map(|(series, _)| series)
            .filter(|series| !known.contains(series))
            .collect();
        assert!(born.is_empty(), "{born:#?}");
        assert!(counters(&before).all(|(_, value)| value == 0), "{before}");
        let moved = counters(&after).filter(|(_, value)| *value > 0).count();
        assert!(moved > CATALOGUE.len(), "only {moved} counters moved");
    }

    /// A dashboard would take these for failures of the reference client.
    #[tokio::test]
    async fn only_the_reference_client_counts_towards_a_process() {
        let exposition = Exposition::new();
        let scenario = catalogue::find("flaky").expect("known");
        let without = WITHOUT
            .iter()
            .map(|without| *without as &dyn ClientUnderTest);
        let others: Vec<_> = without.chain([&Naive as &dyn ClientUnderTest]).collect();
        for client in &others {
            let settings = Settings::in_virtual_time(*client, 7);

            let session = Session::new(scenario, &settings, &exposition);
            let run = session.run_until(pending(), Identity::new());

            assert_eq!(run.await.expect("a run").counted(), 3, "{client:?}");
        }

        let text = exposition.handle.render();
        let total = |start: &str| -> u64 {
            let series = counters(&text).filter(|(series, _)| series.starts_with(start));
            series.map(|(_, value)| value).sum()
        };
        assert_eq!(total("client_"), 0);
        assert_eq!(total("service_faults_total{"), 2 * others.len() as u64);
    }

    #[tokio::test]
    async fn only_a_run_in_real_time_observes_durations() {
        let counts = async |pace| {
            let exposition = Exposition::new();
            exposition.register(CATALOGUE);
            let settings = Settings {
                seed: 7,
                client: &crate::Reliable,
                pace,
                overrides: Overrides::default(),
            };
            let flaky = catalogue::find("flaky").expect("a scenario");
            let session = Session::new(flaky, &settings, &exposition);
            let run = session.run_until(pending(), Identity::new()).await;
            let run = run.expect("a run");
            let text = exposition.handle.render();
            let of = |family: &str| -> u64 {
                let name = format!("{family}_count{{");
                let series = text.lines().filter(|line| line.starts_with(&name));
                let values = series.filter_map(|line| line.rsplit_once(' ')?.1.parse::<u64>().ok());
                values.sum()
            };
            assert_eq!(run.counters.total("client_attempts_total"), 3);
            [
                "http_client_request_duration_seconds",
                "http_server_request_duration_seconds",
                "client_retry_wait_seconds",
                "client_call_duration_seconds",
                "client_call_attempts",
            ]
            .map(of)
        };

        assert_eq!(counts(Pace::Real).await, [3, 3, 2, 1, 1]);
        assert_eq!(counts(Pace::Virtual).await, [0, 0, 0, 0, 1]);
    }
}
