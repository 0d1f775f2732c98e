//! A reader of the feed as the body of an answer, in the event stream format of
//! the HTML standard (<https://html.spec.whatwg.org/multipage/server-sent-events.html>).

use std::{convert::Infallible, future::ready, time::Duration};

use axum::{
    body::{Body, Bytes},
    response::{IntoResponse, Response},
};
use futures_util::{StreamExt, stream};
use http::header::CONTENT_TYPE;
use tokio::time::sleep;

use super::Reader;

/// How long a stream is silent at most, so that whoever stands between can tell
/// a quiet connection from a dead one.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// An answer that tells what the reader gets, until the feed closes.
///
/// The connection takes an event when it has room for it, so a page that reads
/// slowly falls behind in the ring and is held in no queue.
pub(in crate::dashboard) fn event_stream(reader: Reader) -> Response {
    let greeting = stream::once(ready(reader.greeting()));
    let events = stream::unfold(reader, async |mut reader| {
        let frame = tokio::select! {
            frame = reader.next() => frame?,
            () = sleep(KEEP_ALIVE) => Bytes::from_static(b": keep-alive\n\n"),
        };
        Some((frame, reader))
    });
    let body = Body::from_stream(greeting.chain(events).map(Ok::<_, Infallible>));
    ([(CONTENT_TYPE, "text/event-stream")], body).into_response()
}
