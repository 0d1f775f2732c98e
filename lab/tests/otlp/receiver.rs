//! A receiver on loopback that keeps the requests it gets.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::Bytes,
    http::{HeaderMap, StatusCode, Uri},
    response::AppendHeaders,
};
use opentelemetry_proto::tonic::{
    collector::trace::v1::ExportTraceServiceRequest,
    common::v1::{AnyValue, KeyValue, any_value::Value},
    trace::v1::Span,
};
use prost::Message;
use tokio::net::TcpListener;

/// One request that a receiver got.
#[derive(Clone, Debug)]
pub(crate) struct Arrival {
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    pub(crate) service: String,
    pub(crate) instance: String,
    pub(crate) spans: Vec<Span>,
}

/// A response: a status, a Retry-After in seconds, and a body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) retry_after: Option<u32>,
    pub(crate) body: Vec<u8>,
    /// How long the receiver takes.
    pub(crate) takes: Duration,
}

/// Responds to each request with the next reply, to all others with the last, and keeps
/// the requests.
pub(crate) struct Receiver {
    pub(crate) base: String,
    arrivals: Arc<Mutex<Vec<Arrival>>>,
}

impl Receiver {
    pub(crate) async fn responding(status: StatusCode) -> Self {
        let reply = Reply {
            status,
            ..Reply::default()
        };
        Self::replying(vec![reply]).await
    }

    pub(crate) async fn replying(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.expect("a free port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let arrivals = Arc::new(Mutex::new(Vec::new()));
        let (kept, next) = (Arc::clone(&arrivals), Arc::new(Mutex::new(replies)));
        let app = Router::new().fallback(move |uri, headers, body| {
            let arrived = read(uri, headers, body);
            kept.lock().expect("no panic").extend(arrived);
            let mut replies = next.lock().expect("no panic");
            let reply = match replies.len() {
                1 => replies[0].clone(),
                _ => replies.remove(0),
            };
            async move {
                tokio::time::sleep(reply.takes).await;
                let header = reply
                    .retry_after
                    .map(|retry_after| ("retry-after", retry_after.to_string()));
                (reply.status, AppendHeaders(header), reply.body)
            }
        });
        // It ends with the runtime of the test.
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self { base, arrivals }
    }

    /// The requests of each run, the client's before the service's: they are sent at
    /// the same time.
    pub(crate) fn arrivals(&self) -> Vec<Arrival> {
        let mut arrivals = self.arrivals.lock().expect("no panic").clone();
        for run in arrivals.chunks_mut(2) {
            run.sort_by(|one, other| one.service.cmp(&other.service));
        }
        arrivals
    }

    pub(crate) fn paths(&self) -> Vec<String> {
        let arrivals = self.arrivals();
        arrivals
            .iter()
            .map(|arrival| arrival.uri.to_string())
            .collect()
    }
}

/// The spans of a request from each service.
fn read(uri: Uri, headers: HeaderMap, body: Bytes) -> Vec<Arrival> {
    let request = ExportTraceServiceRequest::decode(body).expect("OTLP");
    let arrivals = request.resource_spans.into_iter().map(|resource_spans| {
        let resource = resource_spans.resource.expect("a resource");
        let mut attributes = resource.attributes;
        attributes.sort_by(|one, other| one.key.cmp(&other.key));
        let keys: Vec<_> = attributes.iter().map(|pair| pair.key.as_str()).collect();
        assert_eq!(
            keys,
            [
                "service.instance.id",
                "service.name",
                "service.version",
                "telemetry.sdk.language",
                "telemetry.sdk.name",
                "telemetry.sdk.version",
            ]
        );
        let schema = "https://opentelemetry.io/schemas/1.37.0";
        assert_eq!(resource_spans.schema_url, schema);
        for scope_spans in &resource_spans.scope_spans {
            assert_eq!(scope_spans.schema_url, schema);
        }
        let scopes = resource_spans.scope_spans.into_iter();
        Arrival {
            uri: uri.clone(),
            headers: headers.clone(),
            instance: text(&attributes[0]),
            service: text(&attributes[1]),
            spans: scopes.flat_map(|scope| scope.spans).collect(),
        }
    });
    arrivals.collect()
}

pub(crate) fn value(pair: &KeyValue) -> &Value {
    match &pair.value {
        Some(AnyValue { value: Some(value) }) => value,
        _ => panic!("{} has no value", pair.key),
    }
}

fn text(pair: &KeyValue) -> String {
    match value(pair) {
        Value::StringValue(text) => text.clone(),
        other => panic!("{} is no text: {other:?}", pair.key),
    }
}
