//! The teaching service: its speed beside a bare axum handler with the same body.

use std::{sync::Arc, thread, time::Duration, time::Instant};

use host::ServiceConfig;
use scenario::{Exposition, Recorder};
use server::TeachingApi;
use tracing::dispatcher;
use tracing_subscriber::{Registry, layer::SubscriberExt};

use crate::{
    process::{FIRST, SECOND, Worker, serve_at},
    table::{Bound, ratios, show},
};

pub(crate) fn measure() {
    let mut rates = [const { Vec::new() }; 3];
    // The addresses of its memory make a process faster or slower, so there are five of each.
    for _ in 0..5 {
        let services = ["bare-service", "lab-service", "lab-service-with-spans"];
        let services = services.map(|worker| Worker::start(FIRST, &[worker]));
        for _ in 0..3 {
            for (service, rates) in services.iter().zip(&mut rates) {
                let load = ["load", &service.base_url, "16", "100000"];
                rates.push(Worker::start(SECOND, &load).ask());
            }
        }
    }
    let [bare, off, on] = rates;
    let (off, on) = (ratios(&off, &bare), ratios(&on, &bare));
    let label = "service / axum, requests a second";
    show(label, "", Bound::AtLeast(0.75), off);
    show("  with spans recorded", "", Bound::AtLeast(0.65), on);
}

/// Serves with metrics, and records spans as the lab does if they are wanted.
pub(crate) fn serve(with_spans: bool) {
    let exposition = Exposition::new();
    let service = if with_spans {
        let origin = Instant::now();
        let now = Arc::new(move || origin.elapsed());
        let spans = Recorder::new(now, 1, 100_000);
        let recorded = Registry::default().with(spans);
        // The serving thread takes over the subscriber that is current here.
        dispatcher::with_default(&recorded.into(), || start(&exposition))
    } else {
        start(&exposition)
    };
    // As `lab serve` does.
    thread::spawn(move || {
        loop {
            drop(exposition.text());
            thread::sleep(Duration::from_secs(1));
        }
    });
    serve_at(&service.base_url());
}

fn start(exposition: &Exposition) -> host::RunningService {
    let config = ServiceConfig {
        metrics: exposition.service(),
        ..ServiceConfig::default()
    };
    TeachingApi::start(config).expect("a service")
}
