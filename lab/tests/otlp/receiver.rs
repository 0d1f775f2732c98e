//! A receiver on loopback that reads what it gets as a collector does, and keeps it.

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
use serde::{Deserialize, Deserializer, de::Error};
use tokio::net::TcpListener;

/// The names and the forms of OTLP/JSON: ids are hexadecimal, numbers of 64 bits are texts, and
/// enums are numbers. Any other member or form is refused.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ExportTraceServiceRequest {
    resource_spans: Vec<ResourceSpans>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ResourceSpans {
    resource: Resource,
    scope_spans: Vec<ScopeSpans>,
    schema_url: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Resource {
    attributes: Vec<KeyValue>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ScopeSpans {
    scope: Scope,
    spans: Vec<Span>,
    schema_url: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Scope {
    name: String,
    version: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Span {
    #[serde(deserialize_with = "id::<_, 32>")]
    pub(crate) trace_id: String,
    #[serde(deserialize_with = "id::<_, 16>")]
    pub(crate) span_id: String,
    #[serde(deserialize_with = "id_or_none")]
    pub(crate) parent_span_id: String,
    pub(crate) flags: u32,
    pub(crate) name: String,
    pub(crate) kind: u8,
    #[serde(deserialize_with = "number")]
    pub(crate) start_time_unix_nano: u64,
    #[serde(deserialize_with = "number")]
    pub(crate) end_time_unix_nano: u64,
    pub(crate) attributes: Vec<KeyValue>,
    pub(crate) status: Status,
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Status {
    pub(crate) code: u8,
    message: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeyValue {
    pub(crate) key: String,
    pub(crate) value: AnyValue,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) enum AnyValue {
    #[serde(rename = "stringValue")]
    String(String),
    #[serde(rename = "intValue")]
    Int(#[serde(deserialize_with = "number")] i64),
    #[serde(rename = "doubleValue")]
    Double(f64),
    #[serde(rename = "boolValue")]
    Bool(bool),
}

/// Lower-case hexadecimal digits, as many as the id has, and not all zeros.
fn id<'de, D: Deserializer<'de>, const DIGITS: usize>(json: D) -> Result<String, D::Error> {
    let text = String::deserialize(json)?;
    let digits = text.bytes().all(|byte| b"0123456789abcdef".contains(&byte));
    let is_id = text.len() == DIGITS && digits && text.bytes().any(|byte| byte != b'0');
    is_id.then_some(text).ok_or(D::Error::custom("no id"))
}

fn id_or_none<'de, D: Deserializer<'de>>(json: D) -> Result<String, D::Error> {
    let value = serde_json::Value::deserialize(json)?;
    match value.as_str() {
        Some("") => Ok(String::new()),
        _ => id::<_, 16>(value).map_err(D::Error::custom),
    }
}

fn number<'de, D: Deserializer<'de>, T: std::str::FromStr>(json: D) -> Result<T, D::Error> {
    let text = String::deserialize(json)?;
    text.parse().map_err(|_| D::Error::custom("no number"))
}

/// The spans of one service in a request that a receiver got.
#[derive(Clone, Debug)]
pub(crate) struct Arrival {
    pub(crate) service: String,
    pub(crate) instance: String,
    pub(crate) spans: Vec<Span>,
}

/// A request that a receiver got.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    /// The client's before the service's.
    pub(crate) arrivals: [Arrival; 2],
}

/// A response: a status, a Retry-After in seconds, and a body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) retry_after: Option<u32>,
    pub(crate) body: String,
    /// How long the receiver takes.
    pub(crate) takes: Duration,
}

/// Responds to each request with the next reply, to all others with the last, and keeps
/// the requests.
pub(crate) struct Receiver {
    pub(crate) base: String,
    received: Arc<Mutex<Vec<Received>>>,
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
        let received = Arc::new(Mutex::new(Vec::new()));
        let (kept, next) = (Arc::clone(&received), Arc::new(Mutex::new(replies)));
        let app = Router::new().fallback(move |uri, headers, body| {
            kept.lock()
                .expect("no panic")
                .push(read(uri, headers, &body));
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
        Self { base, received }
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().expect("no panic").clone()
    }

    pub(crate) fn paths(&self) -> Vec<String> {
        let received = self.received();
        received
            .iter()
            .map(|request| request.uri.to_string())
            .collect()
    }
}

fn read(uri: Uri, headers: HeaderMap, body: &Bytes) -> Received {
    assert_eq!(headers["content-type"], "application/json");
    let request: ExportTraceServiceRequest = serde_json::from_slice(body).expect("OTLP/JSON");
    let arrivals = request.resource_spans.into_iter().map(|resource_spans| {
        let attributes = resource_spans.resource.attributes;
        let keys: Vec<_> = attributes.iter().map(|pair| pair.key.as_str()).collect();
        let expected = ["service.name", "service.instance.id", "service.version"];
        assert_eq!(keys, expected);
        let schema = "https://opentelemetry.io/schemas/1.37.0";
        assert_eq!(resource_spans.schema_url, schema);
        for scope_spans in &resource_spans.scope_spans {
            assert_eq!(scope_spans.schema_url, schema);
            let scope = [&*scope_spans.scope.name, &*scope_spans.scope.version];
            assert_eq!(scope, ["lab", env!("CARGO_PKG_VERSION")]);
        }
        let scopes = resource_spans.scope_spans.into_iter();
        Arrival {
            service: text(&attributes[0]),
            instance: text(&attributes[1]),
            spans: scopes.flat_map(|scope| scope.spans).collect(),
        }
    });
    let arrivals: Vec<_> = arrivals.collect();
    Received {
        uri,
        headers,
        arrivals: arrivals.try_into().expect("two services"),
    }
}

fn text(pair: &KeyValue) -> String {
    match &pair.value {
        AnyValue::String(text) => text.clone(),
        other => panic!("{} is no text: {other:?}", pair.key),
    }
}
