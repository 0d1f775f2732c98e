//! Sends recorded traces to an OpenTelemetry receiver, such as Tempo or a Collector, over
//! OTLP/HTTP.
//!
//! The export holds exactly what the [recorder](scenario::trace) recorded: the same
//! spans, the same tree and the same closed list of fields. It adds the version of the lab
//! and of the exporter, and nothing else, not even the name of this machine. Of
//! `OTEL_RESOURCE_ATTRIBUTES` only `service.instance.id` is used.
//!
//! **Resources.** There are two: the spans of the client and of the run around them come
//! from the service [`CLIENT_SERVICE`], those of the teaching API from
//! [`SERVER_SERVICE`]. So a viewer draws two services connected by an edge.
//!
//! **Times.** A recorded time is an offset from the start of its run, on a clock that may
//! be virtual and may start on any date. Viewers show the last hour. So the *end* of the
//! run is placed at the moment of the export, and all other times are relative to it: a
//! wait of two minutes is shown as two minutes, in virtual time too.
//!
//! **Ids.** Span ids come from the seed. Trace ids come from the seed and from
//! `service.instance.id`, so one seed on two machines gives two traces. A lab that
//! exports the same seed twice sends the same trace twice, and a receiver may draw it as
//! one.

mod convert;
mod endpoint;
mod instance;
mod watched;

use std::time::{Duration, SystemTime};

use futures_util::future::join_all;
use opentelemetry::KeyValue;
use opentelemetry_otlp::{
    ExporterBuildError, Protocol, RetryPolicy, SpanExporter, WithExportConfig, WithHttpConfig,
};
use opentelemetry_sdk::{
    Resource,
    error::OTelSdkError,
    resource::TelemetryResourceDetector,
    trace::{SpanData, SpanExporter as _},
};
use reqwest::Client;
use scenario::trace::Trace;
use tokio::time::timeout;

use crate::http_client;
use instance::Instance;
use watched::{PartialSuccess, Watched};

pub use convert::{CLIENT_SERVICE, SERVER_SERVICE};
pub use endpoint::{Endpoint, InvalidEndpoint};

/// How long a receiver may take for one attempt.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(3);

/// The version of OpenTelemetry's conventions that name the attributes.
const SCHEMA_URL: &str = "https://opentelemetry.io/schemas/1.37.0";

/// Some or all traces did not arrive.
#[derive(Debug, thiserror::Error)]
#[error("the run was not exported to {endpoint}")]
pub struct ExportError {
    endpoint: Endpoint,
    #[source]
    why: Why,
}

#[derive(Debug, thiserror::Error)]
enum Why {
    #[error("the HTTP client could not be set up")]
    Client(#[from] reqwest::Error),
    /// An environment variable requests an unsupported feature.
    #[error(transparent)]
    Configuration(#[from] ExporterBuildError),
    /// The receiver could not be reached, or responded with an error.
    #[error("{reason} ({attempts} attempts within {deadline:?})")]
    Refused {
        reason: String,
        attempts: u32,
        deadline: Duration,
    },
    /// It was sent, and the receiver kept only a part of it.
    #[error("{0}")]
    Partial(PartialSuccess),
}

/// Sends traces to a receiver, placed so that they end at `now`.
///
/// The spans of the client and those of the service are one request each, at the same
/// time. One that fails for a while (429, 502, 503, 504, or no response) is sent again
/// by OpenTelemetry's exporter, after the receiver's Retry-After if it sends one, until
/// the deadline of the endpoint. The headers in `OTEL_EXPORTER_OTLP_HEADERS` are sent
/// along.
///
/// # Errors
///
/// [`ExportError`] if a request did not succeed before the deadline, or if the receiver
/// rejected spans. The spans of one service may have arrived even so.
pub async fn export(
    traces: &[Trace],
    endpoint: &Endpoint,
    now: SystemTime,
) -> Result<(), ExportError> {
    let sent = send(traces, endpoint, now).await;
    sent.map_err(|why| ExportError {
        endpoint: endpoint.clone(),
        why,
    })
}

async fn send(traces: &[Trace], endpoint: &Endpoint, now: SystemTime) -> Result<(), Why> {
    let http = http_client(endpoint)?;
    let instance = Instance::of_this_process();
    let halves = convert::by_service(traces, now, instance).into_iter();
    let halves = halves.filter(|(_, spans)| !spans.is_empty());
    let sent = halves.map(|(service, spans)| send_half(&http, endpoint, service, spans));
    // Neither half waits for the other, and each is tried whatever becomes of the other.
    join_all(sent).await.into_iter().collect()
}

async fn send_half(
    http: &Client,
    endpoint: &Endpoint,
    service: &'static str,
    spans: Vec<SpanData>,
) -> Result<(), Why> {
    let deadline = endpoint.deadline;
    let watched = Watched::new(http.clone());
    let mut exporter = SpanExporter::builder()
        .with_http()
        .with_endpoint(endpoint.url.as_str())
        .with_protocol(Protocol::HttpBinary)
        .with_timeout(deadline)
        // The deadline ends the attempts, and not their number.
        .with_retry_policy(RetryPolicy::recommended().with_max_retries(usize::MAX))
        .with_http_client(watched.clone())
        .build()?;
    exporter.set_resource(&resource(service));
    let refused = |reason| Why::Refused {
        reason,
        attempts: watched.attempts(),
        deadline,
    };
    match timeout(deadline, exporter.export(spans)).await {
        Err(_) => Err(refused("it took too long".to_owned())),
        Ok(Err(OTelSdkError::InternalFailure(reason))) => Err(refused(reason)),
        Ok(Err(other)) => Err(refused(other.to_string())),
        Ok(Ok(())) => watched
            .partial_success()
            .map_or(Ok(()), |reason| Err(Why::Partial(reason))),
    }
}

/// The default resource would read the environment.
fn resource(service: &'static str) -> Resource {
    let instance = Instance::of_this_process().as_str();
    Resource::builder_empty()
        .with_detector(Box::new(TelemetryResourceDetector))
        .with_service_name(service)
        .with_schema_url(
            [
                KeyValue::new("service.instance.id", instance),
                KeyValue::new("service.version", env!("CARGO_PKG_VERSION")),
            ],
            SCHEMA_URL,
        )
        .build()
}

fn http_client(endpoint: &Endpoint) -> reqwest::Result<Client> {
    let builder = if endpoint.is_https() {
        http_client::builder()
    } else {
        http_client::plain_builder()
    };
    let timeout = ATTEMPT_TIMEOUT.min(endpoint.deadline);
    builder.timeout(timeout).build()
}

#[cfg(test)]
mod tests {
    use std::{net::TcpListener, sync::Arc};

    use scenario::recorder::{Recorder, RecorderLimits};
    use tracing::{info_span, subscriber::with_default};
    use tracing_subscriber::{Registry, layer::SubscriberExt};

    use super::*;

    #[tokio::test]
    async fn the_export_to_a_silent_receiver_times_out() {
        let recorder = Recorder::new(Arc::new(|| Duration::ZERO), 7, RecorderLimits::default());
        with_default(Registry::default().with(recorder.layer()), || {
            info_span!(target: "lab", "run");
        });
        let silent = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let base = format!("http://{}", silent.local_addr().expect("an address"));
        let short = |name| (name == "OTEL_EXPORTER_OTLP_TIMEOUT").then(|| "20".to_owned());
        let endpoint = Endpoint::choose(Some(&base), short);
        let endpoint = endpoint.expect("valid").expect("chosen");

        let sent = send(&recorder.snapshot(), &endpoint, SystemTime::now()).await;

        assert!(matches!(sent, Err(Why::Refused { .. })), "{sent:?}");
    }
}
