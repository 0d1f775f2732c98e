//! Sends recorded traces to an OpenTelemetry receiver, such as Tempo or a Collector, as
//! OTLP/JSON over HTTP (<https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding>).
//!
//! The export holds exactly what the [recorder](scenario::trace) recorded: the same spans, the
//! same tree and the same closed list of fields. It adds the version of the lab and a random
//! `service.instance.id`, and nothing else, not even the name of this machine.
//!
//! **Resources.** There are two: the spans of the client and of the run around them come from
//! the service [`CLIENT_SERVICE`], those of the teaching API from [`SERVER_SERVICE`]. So a
//! viewer draws two services connected by an edge.
//!
//! **Times.** A recorded time is an offset from the start of its run, on a clock that may be
//! virtual. Viewers show the last hour. So the *end* of the run is placed at the moment of the
//! export: a wait of two minutes is shown as two minutes, in virtual time too.
//!
//! **Ids.** Span ids come from the seed. Trace ids come from the seed and from the instance, so
//! one seed on two machines gives two traces. A lab that exports the same seed twice sends the
//! same trace twice, and a receiver may draw it as one.

mod endpoint;

use std::{
    sync::LazyLock,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use http::{Extensions, header::CONTENT_TYPE};
use reqwest::Response;
use scenario::trace::{FieldValue, Span, SpanKind, SpanName, Trace, TraceId, field};
use serde::Deserialize;
use serde_json::{Value, json};
use tracing::{instrument::WithSubscriber, subscriber::NoSubscriber};

use crate::causes::causes;

pub use endpoint::{Endpoint, InvalidEndpoint};

/// The service name for the spans of the client and of the run around them.
pub const CLIENT_SERVICE: &str = "lab-client";
/// The service name for the spans of the service.
pub const SERVER_SERVICE: &str = "teaching-api";

/// The version of OpenTelemetry's conventions that name the attributes.
const SCHEMA_URL: &str = "https://opentelemetry.io/schemas/1.37.0";

/// The fields that become a span's name, kind and status instead of attributes.
const SPECIAL: [&str; 3] = [field::OTEL_NAME, field::OTEL_KIND, field::OTEL_STATUS_CODE];

/// The id of this process, which distinguishes labs that run the same seed.
static INSTANCE: LazyLock<u128> = LazyLock::new(rand::random);

/// The longest message of a receiver that is shown, in characters.
const LONGEST: usize = 200;

/// Some or all traces did not arrive.
#[derive(Debug, thiserror::Error)]
#[error("the run was not exported to {endpoint}: {why}")]
pub struct ExportError {
    endpoint: Endpoint,
    why: String,
}

/// Sends a trace to a receiver, placed so that it ends at `now`.
///
/// A request that fails for a while is sent again by the retry rules of the reference client:
/// after the receiver's Retry-After if it sends one, and within one deadline for all attempts.
/// The receiver may get the same spans twice, which it can tell by their ids.
///
/// # Errors
///
/// [`ExportError`] if no request succeeded before the deadline, or if the receiver rejected
/// spans.
pub async fn export(
    trace: &Trace,
    endpoint: &Endpoint,
    now: SystemTime,
) -> Result<(), ExportError> {
    // An export is not part of what is observed.
    let sent = send(trace, endpoint, now).with_subscriber(NoSubscriber::default());
    sent.await.map_err(|why| ExportError {
        endpoint: endpoint.clone(),
        why,
    })
}

async fn send(trace: &Trace, endpoint: &Endpoint, now: SystemTime) -> Result<(), String> {
    let request = endpoint
        .http
        .post(endpoint.url.clone())
        .headers(endpoint.headers.clone())
        .header(CONTENT_TYPE, "application/json")
        .body(request(trace, now).to_string())
        .build()
        .map_err(|error| error.to_string())?;
    let mut extensions = Extensions::new();
    extensions.insert(client::RepeatPermission);
    let sent = endpoint
        .http
        .execute_with_extensions(request, &mut extensions);
    let attempts = |found: &Extensions| {
        let report = found.get::<client::RetryReport>();
        let attempts = report.map_or(0, |report| u64::from(report.attempts));
        wire::counted(attempts, "attempt")
    };
    match sent.await {
        Ok(response) if response.status().is_success() => partial_success(response).await,
        Ok(response) => {
            let attempts = attempts(response.extensions());
            Err(format!("{} ({attempts})", response.status()))
        }
        Err(error) => {
            let why = causes(&error.without_url());
            Err(format!("{why} ({})", attempts(&extensions)))
        }
    }
}

/// The export of this trace, as OTLP writes it.
fn request(trace: &Trace, now: SystemTime) -> Value {
    let start = now
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .saturating_sub(trace.taken_at);
    let of_service = |service: &str, is_server: bool| {
        let spans = trace.spans.iter();
        let own = spans.filter(|span| (span.name == SpanName::Request) == is_server);
        let spans = own.map(|span| self::span(span, trace, start));
        let version = env!("CARGO_PKG_VERSION");
        json!({
            "resource": { "attributes": [
                attribute("service.name", &json!({ "stringValue": service })),
                attribute("service.instance.id", &json!({ "stringValue": hex(*INSTANCE) })),
                attribute("service.version", &json!({ "stringValue": version })),
            ] },
            "scopeSpans": [{
                "scope": { "name": env!("CARGO_PKG_NAME"), "version": version },
                "spans": spans.collect::<Vec<_>>(),
                "schemaUrl": SCHEMA_URL,
            }],
            "schemaUrl": SCHEMA_URL,
        })
    };
    json!({ "resourceSpans": [of_service(CLIENT_SERVICE, false), of_service(SERVER_SERVICE, true)] })
}

/// A span. Numbers of 64 bits are texts, since JSON readers lose their last digits.
fn span(span: &Span, trace: &Trace, start: Duration) -> Value {
    let at = |moment: Duration| (start + moment).as_nanos().to_string();
    let attributes = span
        .fields
        .iter()
        .filter(|(name, _)| !SPECIAL.contains(name))
        .map(|(name, value)| attribute(name, &any_value(value)));
    // The parent of a request reached the service in a header.
    let is_remote = span.parent.is_some() && span.name == SpanName::Request;
    json!({
        "traceId": salted(trace.id),
        "spanId": span.id.to_string(),
        "parentSpanId": span.parent.map(|id| id.to_string()).unwrap_or_default(),
        // Bit 0: the lab records every run. Bit 8: bit 9 says whether the parent is remote.
        "flags": if is_remote { 0x301 } else { 0x101 },
        "name": span.title(),
        "kind": match span.kind() {
            SpanKind::Internal => 1,
            SpanKind::Server => 2,
            SpanKind::Client => 3,
        },
        "startTimeUnixNano": at(span.start),
        // OTLP cannot express open spans: an open span ends with the snapshot.
        "endTimeUnixNano": at(span.end.unwrap_or(trace.taken_at)),
        "attributes": attributes.collect::<Vec<_>>(),
        "status": if span.failed() { json!({ "code": 2 }) } else { json!({}) },
    })
}

fn attribute(key: &str, value: &Value) -> Value {
    json!({ "key": key, "value": value })
}

fn any_value(value: &FieldValue) -> Value {
    match value {
        FieldValue::Str(text) => json!({ "stringValue": text.as_str() }),
        FieldValue::I64(number) => json!({ "intValue": number.to_string() }),
        // OTLP has no unsigned numbers.
        FieldValue::U64(number) if i64::try_from(*number).is_err() => {
            json!({ "stringValue": number.to_string() })
        }
        FieldValue::U64(number) => json!({ "intValue": number.to_string() }),
        FieldValue::F64(number) => json!({ "doubleValue": number }),
        FieldValue::Bool(yes) => json!({ "boolValue": yes }),
    }
}

/// The trace id that this lab sends. W3C Trace Context calls all zeros invalid.
fn salted(id: TraceId) -> String {
    let salted = u128::from_be_bytes(id.to_bytes()) ^ *INSTANCE;
    hex(salted.max(1))
}

fn hex(number: u128) -> String {
    format!("{number:032x}")
}

/// The part of a successful response that may say that not all spans were kept.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Accepted {
    partial_success: PartialSuccess,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct PartialSuccess {
    /// A text or a number.
    rejected_spans: Value,
    error_message: String,
}

/// An error if the receiver did not keep all spans. A message alone is only a hint, and a body
/// that is not OTLP says nothing, because the status says that they were kept.
async fn partial_success(response: Response) -> Result<(), String> {
    let body = response.bytes().await.unwrap_or_default();
    let accepted: Accepted = serde_json::from_slice(&body).unwrap_or_default();
    let PartialSuccess {
        rejected_spans,
        error_message,
    } = accepted.partial_success;
    let text = rejected_spans.as_str().and_then(|text| text.parse().ok());
    let rejected = text.or(rejected_spans.as_u64()).unwrap_or(0);
    if rejected == 0 {
        return Ok(());
    }
    // The text is a stranger's, and is printed in one line of a terminal.
    let said = error_message.chars().take(LONGEST);
    let said: String = said
        .map(|sign| if sign.is_control() { ' ' } else { sign })
        .collect();
    let rejected = wire::counted(rejected, "span");
    Err(format!("the receiver rejected {rejected}: {said}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_labs_give_a_trace_two_ids_and_one_lab_always_the_same() {
        let [one, other] = ["1", "2"].map(|digit| TraceId::from_hex(&digit.repeat(32)));
        let (one, other) = (one.expect("an id"), other.expect("an id"));

        assert_eq!(salted(one), salted(one));
        assert_ne!(salted(one), salted(other));
        assert_ne!(salted(one), one.to_string());
    }

    #[test]
    fn a_number_that_does_not_fit_is_sent_as_text() {
        let large = any_value(&FieldValue::U64(u64::MAX));
        let small = any_value(&FieldValue::U64(7));

        assert_eq!(large, json!({ "stringValue": u64::MAX.to_string() }));
        assert_eq!(small, json!({ "intValue": "7" }));
    }
}
