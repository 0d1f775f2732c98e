//! Makes the recorded exchanges of a run from the service's records.

mod curl;

use std::collections::HashMap;

use evidence::wire::{Delivery, Exchange, Header, IssuedCursor, Message, Names, WireRequest};
use host::{BodyEnd, RequestShape, SentBody, SentResponse};
use http::StatusCode;
use wire::RecordedHeader;

use crate::fault_proxy::Passed;

/// The header that identifies a request at the proxy.
const REQUEST_ID: &str = "x-request-id";

/// The exchanges of these requests in their order; `passed` has the responses that went
/// through a proxy.
pub(crate) fn exchanges(
    kept: Vec<host::Exchange>,
    requests: &[WireRequest],
    passed: &[Passed],
) -> Vec<Exchange> {
    let names = Names::of(requests);
    let kept: HashMap<_, _> = kept.iter().map(|it| (it.seq, it)).collect();
    let passed = passed.iter().map(|it| (&*it.request_id, it)).collect();
    let of_request = |request: &WireRequest| {
        let kept = kept.get(&request.seq)?;
        Some(exchange(kept, request, &names, &passed))
    };
    requests.iter().filter_map(of_request).collect()
}

fn exchange(
    kept: &host::Exchange,
    request: &WireRequest,
    names: &Names,
    passed: &HashMap<&str, &Passed>,
) -> Exchange {
    let shape = received(&kept.request, request, names);
    let mut exchange = Exchange {
        seq: request.seq,
        curl: curl::curl(request, &shape, kept.request.limit),
        request: shape,
        response: None,
        delivery: Delivery::Whole,
    };
    if let Some(response) = &kept.response {
        let mut message = sent(response, request, names);
        let id = message.header(REQUEST_ID);
        let passed = id.and_then(|id| passed.get(id));
        if let Some((delivery, remark)) = passed.and_then(|it| on_its_way(it, &response.body)) {
            exchange.delivery = delivery;
            message.remark = Some(remark);
        }
        exchange.response = Some(message);
    }
    exchange
}

/// The shape of a request.
fn received(shape: &RequestShape, request: &WireRequest, names: &Names) -> Message {
    let key = request.idempotency_key.and_then(|key| names.key(key));
    let header = |header: &host::HeaderShape| Header {
        value: match &header.value {
            Some(RecordedHeader::Value(value)) => Some(value.to_string()),
            Some(RecordedHeader::Unusable) => None,
            None => key.clone().filter(|_| header.name == "idempotency-key"),
        },
        name: header.name.clone(),
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
    let headers = response.headers.iter().map(|header| Header {
        name: header.name.clone(),
        value: Some(header.value.clone()),
    });
    let issued = match request.cursor_issued {
        Some(IssuedCursor::Hash(cursor)) => names.cursor(cursor),
        Some(IssuedCursor::Null) | None => None,
    };
    let body = &response.body;
    let kept = host::MAX_RECORDED_BODY;
    Message {
        start: start.trim_end().to_owned(),
        headers: headers.collect(),
        body: (body.length > 0).then(|| with_cursors(body, issued.as_deref())),
        remark: match (body.end, body.is_cut()) {
            (BodyEnd::BrokenOff, _) => Some(format!("broken off after {} bytes", body.length)),
            (BodyEnd::Whole, true) => Some(format!(
                "cut here: the first {kept} of {} bytes",
                body.length
            )),
            (BodyEnd::Whole, false) => None,
        },
    }
}

/// The text of a body, with the name of its cursor where the cursor stood.
#[expect(
    clippy::string_slice,
    reason = "the service notes where a cursor stood in this text, in order"
)]
fn with_cursors(body: &SentBody, name: Option<&str>) -> String {
    let mut text = String::with_capacity(body.text.len() + 16);
    let mut from = 0;
    for &place in &body.cursors {
        text.push_str(&body.text[from..place]);
        match name {
            Some(name) => text.extend(["cursor ", name]),
            None => text.push_str("a cursor"),
        }
        from = place;
    }
    text.push_str(&body.text[from..]);
    text
}

/// The part of a response that reached the client, if the proxy cut it.
fn on_its_way(passed: &Passed, body: &SentBody) -> Option<(Delivery, String)> {
    match passed.body {
        None => Some((
            Delivery::Lost,
            "lost on its way: the client got none of it".to_owned(),
        )),
        Some(bytes) if bytes < body.length => Some((
            Delivery::BrokenOff,
            format!(
                "broken off on its way: the client got {bytes} of {} bytes of the body",
                body.length
            ),
        )),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests;
