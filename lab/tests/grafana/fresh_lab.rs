//! A lab without any runs, as `lab serve` starts it.

use std::{
    future::pending,
    net::{SocketAddr, TcpListener},
};

use host::{RunningService, ServiceConfig};
use scenario::{
    ClientUnderTest, Exposition, Overrides, Pace, Run, Session, Settings,
    catalogue::{self, CATALOGUE},
};
use server::TeachingApi;
use tracing_subscriber::layer::Identity;

use crate::prometheus;

/// A service whose `/metrics` includes the runs beside it.
pub(crate) struct FreshLab {
    exposition: Exposition,
    service: RunningService,
}

impl FreshLab {
    pub(crate) fn start() -> Self {
        let exposition = Exposition::new();
        exposition.register(CATALOGUE);
        let config = ServiceConfig::builder()
            .port(0)
            .metrics(exposition.service())
            .build()
            .expect("legal");
        let service = TeachingApi::start(config).expect("a service");
        Self {
            exposition,
            service,
        }
    }

    /// Runs a scenario once, with the seed of the README.
    pub(crate) async fn run_scenario(
        &self,
        scenario: &str,
        client: &'static dyn ClientUnderTest,
        pace: Pace,
    ) -> Run {
        let settings = Settings {
            seed: 1,
            client,
            pace,
            overrides: Overrides::NONE,
        };
        let scenario = catalogue::find(scenario).expect("a scenario");
        let session = Session::new(scenario, &settings, &self.exposition);
        let run = session.run_until(pending(), Identity::new()).await;
        run.expect("a run")
    }

    /// Its address for Prometheus, which is its label `instance`.
    pub(crate) fn instance(&self) -> String {
        self.service.local_addr().to_string()
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.service.local_addr()
    }

    /// The text of `/metrics`.
    pub(crate) async fn scrape(&self) -> String {
        let url = format!("{}/metrics", self.service.base_url());
        let response = prometheus::http().get(url).send().await;
        let text = response.expect("a response").text().await;
        text.expect("text")
    }
}

/// An address without a lab.
pub(crate) fn no_lab() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("an address").to_string()
}
