//! Makes the recorded exchanges of a run from the service's records.

mod curl;

use std::collections::HashMap;

use host::{RequestShape, SentBody, SentResponse};
use http::StatusCode;
use judge::Names;
use wire::{Exchange, Header, IssuedCursor, Message, Secret, WireRequest};

/// The address of the service in commands, unless it is known to listen elsewhere.
pub(crate) fn base_url() -> String {
    format!("http://127.0.0.1:{}", server::DEFAULT_PORT)
}

/// The exchanges of these requests in their order.
pub(crate) fn exchanges(
    kept: Vec<host::RecordedExchange>,
    requests: &[WireRequest],
) -> Vec<Exchange> {
    let names = Names::of(requests);
    let kept: HashMap<_, _> = kept.iter().map(|entry| (entry.seq, entry)).collect();
    let of_request = |request: &WireRequest| {
        let kept = kept.get(&request.seq)?;
        Some(exchange(kept, request, &names))
    };
    requests.iter().filter_map(of_request).collect()
}

fn exchange(kept: &host::RecordedExchange, request: &WireRequest, names: &Names) -> Exchange {
    let shape = received(&kept.request, request, names);
    let response = kept.response.as_ref();
    Exchange {
        seq: request.seq,
        curl: curl::curl(request, &shape, kept.request.limit),
        request: Secret(shape),
        response: response.map(|response| Secret(sent(response, request, names))),
    }
}

/// The shape of a request.
fn received(shape: &RequestShape, request: &WireRequest, names: &Names) -> Message {
    let key = request.idempotency_key.and_then(|key| names.key(key));
    let header = |header: &Header| match &*header.name {
        "idempotency-key" => Header {
            value: key.clone(),
            ..header.clone()
        },
        _ => header.clone(),
    };
    let path = match (&*request.route, shape.limit) {
        ("other", _) => "(a path without a route)".to_owned(),
        (route, Some(limit)) => format!("{route}?limit={limit}"),
        (route, None) => route.to_owned(),
    };
    let cursor = request.cursor.and_then(|cursor| names.cursor(cursor));
    Message {
        start: format!("{} {path} {}", request.method, request.version),
        headers: shape.headers.iter().map(header).collect(),
        body: request.body.and_then(|body| names.body(body)),
        remark: cursor.map(|cursor| format!("with cursor {cursor}")),
    }
}

/// A response as it was sent.
fn sent(response: &SentResponse, request: &WireRequest, names: &Names) -> Message {
    let status = StatusCode::from_u16(response.status).ok();
    let reason = status.and_then(|status| status.canonical_reason());
    let start = format!(
        "{} {} {}",
        request.version,
        response.status,
        reason.unwrap_or_default()
    );
    let issued = match request.cursor_issued {
        Some(IssuedCursor::Hash(cursor)) => names.cursor(cursor),
        Some(IssuedCursor::Null) | None => None,
    };
    let body = &response.body;
    let kept = host::MAX_RECORDED_BODY;
    Message {
        start: start.trim_end().to_owned(),
        headers: response.headers.clone(),
        body: (body.length > 0).then(|| with_cursor(body, issued.as_deref())),
        remark: match (body.is_whole, body.is_cut()) {
            (false, _) => Some(format!("broken off after {} bytes", body.length)),
            (true, true) => Some(format!(
                "cut here: the first {kept} of {} bytes",
                body.length
            )),
            (true, false) => None,
        },
    }
}

/// The text of a body, with the name of its cursor where the cursor stood.
fn with_cursor(body: &SentBody, name: Option<&str>) -> String {
    let stood = body.cursor.and_then(|at| body.text.split_at_checked(at));
    match (stood, name) {
        (Some((before, after)), Some(name)) => format!("{before}cursor {name}{after}"),
        (Some((before, after)), None) => format!("{before}a cursor{after}"),
        (None, _) => body.text.clone(),
    }
}

#[cfg(test)]
mod tests;
