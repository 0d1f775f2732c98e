//! A client that a test drives as a user does: made by the public builder, over a
//! wiremock server of its own. Only its clock and its random source are the test's.
//!
//! The package `tests` compiles this folder as well.

mod call;
mod reply;
mod silence;
mod spans;
mod tally;

use std::{
    error::Error,
    iter,
    sync::Arc,
    time::{Duration, SystemTime},
};

use client::{
    Random, VirtualClock,
    teaching::{Builder, ReliableApiClient},
};
use reqwest::Url;
use wiremock::{MockServer, Request};

pub use call::{call, contract_error, http_error, read, response_problem, transport_error};
pub use reply::{Reply, Script, json, page, retry_after, status, typed};
pub use silence::{NOWHERE, never_resolving, silently};
pub use spans::{SpanRecord, Spans, Watch};
pub use tally::{Series, Tally, sum};

/// The time of day at which every bench begins, since the Unix epoch: Sunday,
/// 6 November 1994, 08:49:37 GMT, the moment that RFC 9110 uses in its examples.
pub const NOW: Duration = Duration::from_secs(784_111_777);

/// A client, the server that it calls, and the clock that it waits on.
#[derive(Debug)]
pub struct Bench {
    /// The client.
    pub client: ReliableApiClient,
    /// The server.
    pub server: MockServer,
    /// The client's clock, which begins at [`NOW`].
    pub clock: VirtualClock,
}

impl Bench {
    /// A client with the default rules.
    pub async fn new(script: Script) -> Self {
        Self::with(script, |builder| builder).await
    }

    /// A client with rules of the test's own.
    pub async fn with(script: Script, configure: impl FnOnce(Builder) -> Builder) -> Self {
        Self::below("", script, configure).await
    }

    /// The same with a base URL that ends in this path.
    pub async fn below(
        path: &str,
        script: Script,
        configure: impl FnOnce(Builder) -> Builder,
    ) -> Self {
        let server = MockServer::start().await;
        script.mount(&server).await;
        let (client, clock) = client_of(&(server.uri() + path), configure);
        Self {
            client,
            server,
            clock,
        }
    }

    /// The requests so far.
    pub async fn sent(&self) -> Vec<Request> {
        let received = self.server.received_requests().await;
        received.expect("wiremock records by default")
    }

    /// The request lines so far.
    pub async fn lines(&self) -> Vec<String> {
        self.sent().await.iter().map(line).collect()
    }
}

/// A client of the service at `base_url` on a new clock, whose jitter draws 0.5.
pub fn client_of(
    base_url: &str,
    configure: impl FnOnce(Builder) -> Builder,
) -> (ReliableApiClient, VirtualClock) {
    let clock = clock();
    let builder = ReliableApiClient::builder(base_url)
        .clock(Arc::new(clock.clone()))
        .random(Arc::new(Draw(0.5)));
    let client = configure(builder).build().expect("a legal configuration");
    (client, clock)
}

/// A clock that begins at [`NOW`].
pub fn clock() -> VirtualClock {
    VirtualClock::starting_at(SystemTime::UNIX_EPOCH + NOW)
}

/// Method, path and query of a request, as its first line has them.
pub fn line(request: &Request) -> String {
    let query = request.url.query().map(|query| format!("?{query}"));
    let query = query.unwrap_or_default();
    format!("{} {}{query}", request.method, request.url.path())
}

/// The cursor that the URL of a request carries, decoded.
pub fn cursor(url: &Url) -> Option<String> {
    let mut query = url.query_pairs();
    query.find_map(|(name, value)| (name == "cursor").then(|| value.into_owned()))
}

/// A random source that always draws the same.
#[derive(Debug, Clone, Copy)]
pub struct Draw(pub f64);

impl Random for Draw {
    fn unit(&self) -> f64 {
        self.0
    }
}

/// Everything that an error could put into a log: `Display` and `Debug` of it
/// and of all its causes.
pub fn every_text(error: &(dyn Error + 'static)) -> String {
    iter::successors(Some(error), |&error| error.source())
        .map(|error| format!("{error}\n{error:?}\n{error:#?}\n"))
        .collect()
}
