//! A client and a service on one recorder, and a scraper.

use std::{net::SocketAddr, sync::Arc, time::SystemTime};

use client::{
    IdempotencyKey, JsonObject, Listing, VirtualClock, teaching::ReliableApiClient,
    telemetry::SharedRecorder,
};
use host::{Metrics, RunningService, ServiceConfig};
use scenario::prometheus_recorder;
use server::TeachingApi;

/// Both sides of the wire, as one process that Prometheus scrapes.
pub(crate) struct BothSides {
    client: ReliableApiClient,
    service: RunningService,
}

impl BothSides {
    pub(crate) fn start() -> Self {
        let recorder = prometheus_recorder();
        let exposition = recorder.handle();
        let recorder: SharedRecorder = Arc::new(recorder);
        let metrics = Metrics::new(Arc::clone(&recorder), move || exposition.render());
        let config = ServiceConfig {
            metrics,
            ..ServiceConfig::default()
        };
        let service = TeachingApi::start(config).expect("a service");
        let client = ReliableApiClient::builder(&service.base_url())
            .recorder(recorder)
            .clock(Arc::new(VirtualClock::starting_at(SystemTime::now())))
            .build()
            .expect("legal");
        Self { client, service }
    }

    /// Calls every method of the client, and ignores the results.
    pub(crate) async fn meet_every_endpoint(&self) {
        let client = &self.client;
        self.go_as_hoped().await;
        drop(client.flaky().await);
        drop(client.retry_later().await);
        drop(client.bad_json().await);
        drop(client.text_json().await);
        for listing in [
            client.looping_items(),
            client.endless_items(),
            client.bad_items(),
            client.bad_cursor(),
        ] {
            read(listing).await;
        }
        let key = IdempotencyKey::new("conflict").expect("a key");
        for name in ["one", "one", "other"] {
            let body = JsonObject::from_iter([(name.to_owned(), true.into())]);
            drop(client.create_job(&key, &body).await);
        }
    }

    /// Calls the methods that succeed, each on the endpoint that it needs.
    pub(crate) async fn go_as_hoped(&self) {
        let client = &self.client;
        read(client.items()).await;
        client.no_content().await.expect("a success");
        client.redirect().await.expect("a redirect");
        let key = client.new_idempotency_key();
        let job = client.create_job(&key, &JsonObject::new()).await;
        job.expect("a job");
    }

    /// Where the service listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.service.local_addr()
    }

    /// The response to a scraper.
    pub(crate) async fn scrape(&self) -> String {
        let text = crate::metrics::scrape(&self.service, "identity").await;
        String::from_utf8(text).expect("Prometheus text")
    }

    pub(crate) async fn stop(self) {
        self.service.stop().await.expect("nothing left behind");
    }
}

async fn read(listing: Listing) {
    let mut items = listing.items();
    while items.next_item().await.is_some() {}
}
