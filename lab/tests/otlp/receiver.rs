//! A receiver on loopback that keeps the requests it gets.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode, Uri},
    response::{IntoResponse, Response},
};
use opentelemetry_proto::tonic::{
    collector::trace::v1::ExportTraceServiceRequest,
    common::v1::{AnyValue, KeyValue, any_value::Value},
    trace::v1::Span,
};
use prost::Message;
use tokio::{net::TcpListener, task::JoinHandle};

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
    serving: JoinHandle<()>,
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
        let next = Arc::new(Mutex::new(replies));
        let app = Router::new()
            .fallback(move |State(arrivals), uri, headers, body| {
                let reply = {
                    let mut replies = next.lock().expect("no panic");
                    match replies.len() {
                        1 => replies[0].clone(),
                        _ => replies.remove(0),
                    }
                };
                receive(arrivals, uri, headers, body, reply)
            })
            .with_state(Arc::clone(&arrivals));
        let serving = tokio::spawn(async move {
            axum::serve(listener, app).await.expect("it serves");
        });
        Self {
            base,
            arrivals,
            serving,
        }
    }

    /// The requests of each run, the client's before the service's: they are sent at
    /// the same time.
    pub(crate) fn arrivals(&self) -> Vec<Arrival> {
        let arrivals = self.arrivals.lock();
        let mut arrivals = arrivals.unwrap_or_else(PoisonError::into_inner).clone();
        for run in arrivals.chunks_mut(2) {
            run.sort_by(|one, other| one.service.cmp(&other.service));
        }
        arrivals
    }

    pub(crate) fn paths(&self) -> Vec<String> {
        let arrivals = self.arrivals();
        arrivals.iter().map(|it| it.uri.to_string()).collect()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn receive(
    arrivals: Arc<Mutex<Vec<Arrival>>>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
    reply: Reply,
) -> Response {
    let request = ExportTraceServiceRequest::decode(body).expect("OTLP");
    for resource_spans in request.resource_spans {
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
        assert_eq!(
            resource_spans.schema_url,
            "https://opentelemetry.io/schemas/1.37.0"
        );
        let scopes = resource_spans.scope_spans.into_iter();
        let arrival = Arrival {
            uri: uri.clone(),
            headers: headers.clone(),
            instance: text(&attributes[0]),
            service: text(&attributes[1]),
            spans: scopes.flat_map(|scope| scope.spans).collect(),
        };
        let mut arrivals = arrivals.lock().unwrap_or_else(PoisonError::into_inner);
        arrivals.push(arrival);
    }
    tokio::time::sleep(reply.takes).await;
    let retry_after = reply
        .retry_after
        .map(|it| [("retry-after", it.to_string())]);
    match retry_after {
        Some(header) => (reply.status, header, reply.body).into_response(),
        None => (reply.status, reply.body).into_response(),
    }
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
