//! A scrape of `/metrics` after the whole course, run by every client.

use std::{future::pending, time::Instant};

use host::ServiceConfig;
use scenario::{CLIENTS, Exposition, Session, Settings, catalogue::CATALOGUE};
use server::TeachingApi;
use tracing_subscriber::layer::Identity;

use crate::{
    process::{self, Core, Service},
    spread::Spread,
    table::{Bound, Line, Row},
};

/// A service at which the course was run.
pub(crate) const WORKER: &str = "course";

const SCRAPES: usize = 101;

const TIME: Row = Row("/metrics after the whole course", " ms", Bound::AtMost(5.0));
const SIZE: Row = Row("  compressed", " KB", Bound::AtMost(18.0));

pub(crate) fn measure() -> Vec<Line> {
    let service = Service::start(process::worker_on(Core::First, WORKER, &[]));
    client::install_tls_provider();
    let http = reqwest::Client::builder().no_proxy().tls_certs_only([]);
    let http = http.build().expect("legal");
    let scrapes = process::runtime().block_on(async {
        let mut scrapes = Vec::new();
        for _ in 0..SCRAPES {
            let begun = Instant::now();
            let request = http.get(service.url("/metrics"));
            let request = request.header("accept-encoding", "gzip");
            let response = request.send().await.expect("a response");
            let body = response.bytes().await.expect("a body");
            scrapes.push((begun.elapsed().as_secs_f64() * 1e3, body.len()));
        }
        scrapes
    });
    vec![
        TIME.measured(Spread::of(scrapes.iter().map(|(millis, _)| *millis))),
        SIZE.measured(Spread::of(
            scrapes.iter().map(|(_, size)| *size as f64 / 1e3),
        )),
    ]
}

/// Runs the course, and serves its metrics.
pub(crate) fn serve() {
    client::install_tls_provider();
    let exposition = Exposition::new();
    exposition.register(CATALOGUE);
    process::runtime().block_on(async {
        for scenario in CATALOGUE {
            for client in CLIENTS {
                let settings = Settings::in_virtual_time(*client, 7);
                let session = Session::new(scenario, &settings, &exposition);
                let run = session.run_until(pending(), Identity::new()).await;
                run.expect("a run");
            }
        }
    });
    exposition.keep_up();
    let config = ServiceConfig::builder()
        .port(0)
        .metrics(exposition.service())
        .build()
        .expect("legal");
    let service = TeachingApi::start(config).expect("a service");
    process::serve_at(&service.base_url());
}
