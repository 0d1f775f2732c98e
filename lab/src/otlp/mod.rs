//! Sends recorded traces to an OpenTelemetry receiver, such as Tempo or a Collector, over
//! OTLP/HTTP.
//!
//! The export holds exactly what the [recorder](evidence::trace) recorded: the same
//! spans, the same tree and the same closed list of fields. It adds nothing, not even the
//! name of this machine. Of `OTEL_RESOURCE_ATTRIBUTES` only `service.instance.id` is
//! used.
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

use std::time::{Duration, SystemTime};

use opentelemetry::KeyValue;
use opentelemetry_otlp::{
    ExporterBuildError, Protocol, RetryPolicy, SpanExporter, WithExportConfig, WithHttpConfig,
};
use opentelemetry_sdk::{Resource, error::OTelSdkError, trace::SpanExporter as _};
use reqwest::Client;

pub use convert::{CLIENT_SERVICE, SERVER_SERVICE};
pub use endpoint::{ENDPOINT_VARIABLE, Endpoint, InvalidEndpoint, TRACES_ENDPOINT_VARIABLE};

use crate::http_client;
use evidence::trace::Trace;
use instance::Instance;

/// How long a receiver may take for one request.
pub const TIMEOUT: Duration = Duration::from_secs(3);

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
    /// An environment variable requests an unsupported feature, such as compression.
    #[error(transparent)]
    Configuration(#[from] ExporterBuildError),
    /// The receiver could not be reached, was too slow, or responded with an error.
    #[error("{0}")]
    Refused(String),
}

/// Sends traces to a receiver, placed so that they end at `now`.
///
/// Each service's spans are one request with one attempt, which may take [`TIMEOUT`]. The
/// headers in `OTEL_EXPORTER_OTLP_HEADERS` are sent along.
///
/// # Errors
///
/// [`ExportError`] if the receiver cannot be reached, is too slow or responds with an
/// error. The spans of one service may have arrived even so.
pub async fn export(
    traces: &[Trace],
    endpoint: &Endpoint,
    now: SystemTime,
) -> Result<(), ExportError> {
    let sent = send(traces, endpoint, now, TIMEOUT).await;
    sent.map_err(|why| ExportError {
        endpoint: endpoint.clone(),
        why,
    })
}

async fn send(
    traces: &[Trace],
    endpoint: &Endpoint,
    now: SystemTime,
    timeout: Duration,
) -> Result<(), Why> {
    let http = http_client(endpoint, timeout)?;
    let instance = Instance::of_this_process();
    for (service, spans) in convert::by_service(traces, now, instance) {
        if spans.is_empty() {
            continue;
        }
        let mut exporter = SpanExporter::builder()
            .with_http()
            .with_endpoint(endpoint.as_str())
            .with_protocol(Protocol::HttpBinary)
            .with_timeout(timeout)
            .with_retry_policy(RetryPolicy::disabled())
            .with_http_client(http.clone())
            .build()?;
        // The default resource would read the environment.
        let id = KeyValue::new("service.instance.id", instance.as_str());
        let resource = Resource::builder_empty()
            .with_service_name(service)
            .with_attribute(id);
        exporter.set_resource(&resource.build());
        exporter.export(spans).await.map_err(refused)?;
    }
    Ok(())
}

fn http_client(endpoint: &Endpoint, timeout: Duration) -> reqwest::Result<Client> {
    let builder = match endpoint.is_https() {
        true => http_client::builder(),
        false => http_client::plain_builder(),
    };
    builder.timeout(timeout).build()
}

fn refused(error: OTelSdkError) -> Why {
    Why::Refused(match error {
        OTelSdkError::InternalFailure(reason) => reason,
        other => other.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use std::{net::TcpListener, sync::Arc};

    use tracing::{info_span, subscriber::with_default};
    use tracing_subscriber::{Registry, layer::SubscriberExt};

    use super::*;
    use runner::{recorder::Limits, recorder::Recorder};

    #[tokio::test]
    async fn the_export_to_a_silent_receiver_times_out() {
        let recorder = Recorder::new(Arc::new(|| Duration::ZERO), 7, Limits::default());
        with_default(Registry::default().with(recorder.layer()), || {
            info_span!(target: "lab", "run");
        });
        let silent = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let base = format!("http://{}", silent.local_addr().expect("an address"));
        let endpoint = Endpoint::choose(Some(&base), |_| None);
        let endpoint = endpoint.expect("valid").expect("chosen");
        let short = Duration::from_millis(20);

        let sent = send(&recorder.snapshot(), &endpoint, SystemTime::now(), short).await;

        assert!(matches!(sent, Err(Why::Refused(_))), "{sent:?}");
    }
}
