//! The teaching service, with its metrics.

use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use host::ServiceConfig;
use scenario::{
    Exposition,
    recorder::{Limits, Recorder},
};
use server::TeachingApi;
use tracing::dispatcher;
use tracing_subscriber::{Registry, layer::SubscriberExt};

use crate::process;

pub(crate) const WORKER: &str = "lab-service";

/// The argument that has the spans of all requests recorded, as the lab does.
pub(crate) const SPANS: &str = "spans";

/// How often observations are added to the buckets.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(1);

pub(crate) fn serve(arguments: &[String]) {
    let exposition = Exposition::new();
    let start = || {
        let config = ServiceConfig::builder()
            .port(0)
            .metrics(exposition.service())
            .build()
            .expect("legal");
        TeachingApi::start(config).expect("a service")
    };
    let service = match arguments {
        [spans] if spans == SPANS => {
            let origin = Instant::now();
            let spans = Recorder::new(Arc::new(move || origin.elapsed()), 1, Limits::default());
            let recorded = Registry::default().with(spans.layer());
            // The serving thread takes over the subscriber that is current here.
            dispatcher::with_default(&recorded.into(), start)
        }
        _ => start(),
    };
    // As `lab serve` does.
    thread::spawn(move || {
        loop {
            exposition.keep_up();
            thread::sleep(UPKEEP_INTERVAL);
        }
    });
    process::serve_at(&service.base_url());
}
