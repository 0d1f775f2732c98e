//! Where the service's numbers go, and where `/metrics` reads them.

use std::sync::Arc;

use metrics::Recorder;
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

use crate::exposition;
use crate::telemetry::{DURATION_BUCKETS, REQUEST_DURATION};

type SharedRecorder = Arc<dyn Recorder + Send + Sync>;

/// The path of the scrape endpoint.
pub(crate) const METRICS_PATH: &str = "/metrics";

/// The media type of Prometheus's text format.
pub const METRICS_MEDIA_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// A recorder, and the Prometheus text that `/metrics` responds with.
///
/// The service registers with this recorder and never with the global one. Give
/// several parts of a process the same recorder to see them side by side; let each
/// service make its own (the default) to keep them apart.
#[derive(Clone)]
#[expect(missing_debug_implementations, reason = "its parts have none")]
pub struct Metrics {
    recorder: SharedRecorder,
    exposition: Arc<dyn Fn() -> String + Send + Sync>,
    upkeep: Arc<dyn Fn() + Send + Sync>,
}

impl Metrics {
    /// A recorder of the caller's, and how to render it in Prometheus's text format.
    /// `/metrics` adds the series of the process.
    ///
    /// Buckets and upkeep stay the caller's business; see
    /// [`DURATION_BUCKETS`].
    pub fn new(
        recorder: Arc<dyn Recorder + Send + Sync>,
        exposition: impl Fn() -> String + Send + Sync + 'static,
    ) -> Self {
        Self {
            recorder,
            exposition: Arc::new(exposition),
            upkeep: Arc::new(|| {}),
        }
    }

    /// A Prometheus recorder of the service's own.
    #[must_use]
    pub fn private() -> Self {
        #[expect(clippy::expect_used, reason = "the buckets are a constant")]
        let recorder = PrometheusBuilder::new()
            .set_buckets_for_metric(
                Matcher::Full(REQUEST_DURATION.name.to_owned()),
                &DURATION_BUCKETS,
            )
            .expect("the list of buckets is not empty")
            .build_recorder();
        let (rendered, kept_up) = (recorder.handle(), KeptUp(recorder.handle()));
        Self {
            recorder: Arc::new(recorder),
            exposition: Arc::new(move || rendered.render()),
            upkeep: Arc::new(move || kept_up.0.run_upkeep()),
        }
    }

    pub(crate) fn recorder(&self) -> &SharedRecorder {
        &self.recorder
    }

    /// The response of `/metrics`: the series, and those of the process.
    pub(crate) fn render(&self) -> String {
        [(self.exposition)(), exposition::of_process()].concat()
    }

    /// Folds observations into buckets. Unless it runs every few seconds, each
    /// observation since the last scrape takes up memory.
    pub(crate) fn keep_up(&self) {
        (self.upkeep)();
    }
}

/// A recorder that is folded once more before it goes: a bucket of the exporter's frees
/// its observations when they are folded, and never when it is dropped.
struct KeptUp(PrometheusHandle);

impl Drop for KeptUp {
    fn drop(&mut self) {
        self.0.run_upkeep();
    }
}
