//! A receiver on loopback that keeps the requests it gets.

use std::sync::{Arc, Mutex, PoisonError};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode, Uri},
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

/// Responds to every request with one status, and keeps it.
pub(crate) struct Receiver {
    pub(crate) base: String,
    arrivals: Arc<Mutex<Vec<Arrival>>>,
    serving: JoinHandle<()>,
}

impl Receiver {
    pub(crate) async fn responding(status: StatusCode) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.expect("a free port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let arrivals = Arc::new(Mutex::new(Vec::new()));
        let app = Router::new()
            .fallback(move |State(arrivals), uri, headers, body| {
                receive(arrivals, uri, headers, body, status)
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

    pub(crate) fn arrivals(&self) -> Vec<Arrival> {
        let arrivals = self.arrivals.lock();
        arrivals.unwrap_or_else(PoisonError::into_inner).clone()
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
    status: StatusCode,
) -> StatusCode {
    let request = ExportTraceServiceRequest::decode(body).expect("OTLP");
    for resource_spans in request.resource_spans {
        let resource = resource_spans.resource.expect("a resource");
        let mut attributes = resource.attributes;
        attributes.sort_by(|one, other| one.key.cmp(&other.key));
        let keys: Vec<_> = attributes.iter().map(|pair| pair.key.as_str()).collect();
        assert_eq!(keys, ["service.instance.id", "service.name"]);
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
    status
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
