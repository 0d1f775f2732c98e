//! The route of the feed: an event stream of the HTML standard
//! (<https://html.spec.whatwg.org/multipage/server-sent-events.html>).

use std::convert::Infallible;

use axum::{
    Router,
    extract::{Query, State, rejection::QueryRejection},
    response::{
        IntoResponse,
        sse::{KeepAlive, Sse},
    },
    routing::get,
};
use futures_util::{StreamExt, stream};
use http::{HeaderMap, header};
use serde::Deserialize;

use super::{super::shared::Shared, Reader};

/// The route that streams the feed.
pub(crate) fn routes() -> Router<Shared> {
    Router::new().route("/api/events", get(events))
}

#[derive(Deserialize)]
struct Resume {
    last: Option<String>,
}

/// The header holds the last event that the browser saw, the query the one that the page
/// started from. So the header takes precedence.
async fn events(
    State(shared): State<Shared>,
    query: Result<Query<Resume>, QueryRejection>,
    headers: HeaderMap,
) -> impl IntoResponse {
    let header = headers.get("last-event-id");
    let header = header.map(|id| String::from_utf8_lossy(id.as_bytes()).into_owned());
    let last = header.or_else(|| query.ok()?.0.last);
    respond(shared.feed.read(last.as_deref()))
}

/// A response with the reader's events, until the feed closes.
///
/// The connection takes an event when it has room for it, so a slow page falls behind in
/// the ring and needs no queue. A quiet stream sends a comment every 15 seconds, so that
/// intermediaries can distinguish it from a dead one.
pub(super) fn respond(reader: Reader) -> impl IntoResponse {
    let greeting = stream::iter(reader.greeting());
    let events = stream::unfold(reader, async |mut reader| {
        Some((reader.next().await?, reader))
    });
    let events = greeting.chain(events).map(Ok::<_, Infallible>);
    // A stream that has ended would otherwise leave an idle connection in its place.
    let closes = [(header::CONNECTION, "close")];
    (closes, Sse::new(events).keep_alive(KeepAlive::default()))
}
