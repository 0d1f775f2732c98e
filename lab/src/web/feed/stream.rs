//! Streams the feed to a reader, in the event stream format of the HTML standard
//! (<https://html.spec.whatwg.org/multipage/server-sent-events.html>).

use std::{convert::Infallible, future::ready, time::Duration};

use axum::{
    body::{Body, Bytes},
    response::{IntoResponse, Response},
};
use futures_util::{StreamExt, stream};
use http::header::CONTENT_TYPE;
use tokio::time::sleep;

use super::Reader;

/// The longest silence of a stream, so that intermediaries can distinguish a quiet
/// connection from a dead one.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// A response with the reader's events, until the feed closes.
///
/// The connection takes an event when it has room for it, so a slow page falls behind in
/// the ring and needs no queue.
pub(in crate::web) fn event_stream(reader: Reader) -> Response {
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

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::{super::Feed, *};

    async fn take(
        stream: &mut (impl StreamExt<Item = Result<Bytes, axum::Error>> + Unpin),
    ) -> Bytes {
        stream
            .next()
            .await
            .expect("more")
            .expect("a body never fails")
    }

    #[tokio::test(start_paused = true)]
    async fn a_quiet_stream_sends_keep_alives() {
        let feed = Feed::new();
        let mut stream = event_stream(feed.read(None)).into_body().into_data_stream();
        take(&mut stream).await;
        let began = Instant::now();

        let alive = take(&mut stream).await;
        let waited = began.elapsed();
        feed.publish("run", &1);
        let event = take(&mut stream).await;

        assert_eq!(alive, ": keep-alive\n\n");
        assert_eq!(waited, KEEP_ALIVE);
        assert!(event.starts_with(b"id: "));
        assert_eq!(began.elapsed(), KEEP_ALIVE);
    }
}
