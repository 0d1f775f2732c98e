//! A feed: events, sent to every page that listens, as an event stream of the HTML
//! standard (<https://html.spec.whatwg.org/multipage/server-sent-events.html>).
//!
//! Publishing never waits for a reader. A reader that falls behind, or connects again, has
//! missed events, and fetches the state instead.

use std::{
    convert::Infallible,
    sync::{Arc, Mutex},
};

use axum::response::{
    IntoResponse, Response,
    sse::{Event, KeepAlive, Sse},
};
use futures_util::stream;
use http::{StatusCode, header};
use serde::Serialize;
use tokio::sync::broadcast::{Receiver, Sender, error::RecvError};

use super::{json, lock::lock, problem::Problem};

/// A page that is this many events behind can fetch the state faster than it can process them.
const CAPACITY: usize = 4096;

/// How many readers a feed may have. Those of both feeds may take half of the connections to the
/// page, and never the other half.
const READERS: usize = 32;

/// A feed of events.
pub(crate) struct Feed {
    /// None once the feed is closed.
    events: Mutex<Option<Sender<Event>>>,
}

impl Feed {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            events: Mutex::new(Some(Sender::new(CAPACITY))),
        })
    }

    /// Publishes an event to every reader. serde writes JSON without line breaks, so it has one
    /// line of data.
    pub(crate) fn publish(&self, kind: &'static str, data: &impl Serialize) {
        let event = Event::default().event(kind).data(json(data));
        if let Some(events) = &*lock(&self.events) {
            // Without a reader nobody misses it.
            let _ = events.send(event);
        }
    }

    /// Publishes an event that is made only if it has readers, and once for all of them.
    pub(crate) fn publish_to_readers<T: Serialize>(
        &self,
        kind: &'static str,
        data: impl FnOnce() -> T,
    ) {
        let has_readers = |events: &Sender<Event>| events.receiver_count() > 0;
        if lock(&self.events).as_ref().is_some_and(has_readers) {
            self.publish(kind, &data());
        }
    }

    /// Ends every reader. Later events are not delivered.
    pub(crate) fn close(&self) {
        lock(&self.events).take();
    }

    /// A reader of all events from now on; none if the feed is closed, or has too many.
    pub(super) fn read(&self) -> Option<Receiver<Event>> {
        let events = lock(&self.events);
        let open = events.as_ref()?;
        (open.receiver_count() < READERS).then(|| open.subscribe())
    }
}

/// A response with all events from now on, unless there are too many readers.
pub(crate) fn respond_with(feed: &Feed) -> Response {
    match feed.read() {
        Some(reader) => respond(reader).into_response(),
        None => {
            let detail = "too many pages listen; close one";
            let status = StatusCode::SERVICE_UNAVAILABLE;
            Problem::new(status, "too_many_readers", detail).into_response()
        }
    }
}

/// A response with the reader's events, until the feed closes. A quiet stream sends a comment
/// every 15 seconds, so that intermediaries can distinguish it from a dead one.
fn respond(reader: Receiver<Event>) -> impl IntoResponse {
    let events = stream::unfold(reader, async |mut reader| {
        let event = match reader.recv().await {
            Ok(event) => event,
            Err(RecvError::Lagged(_)) => Event::default().event("missed").data("{}"),
            Err(RecvError::Closed) => return None,
        };
        Some((Ok::<_, Infallible>(event), reader))
    });
    // A stream that has ended would otherwise leave an idle connection in its place.
    let closes = [(header::CONNECTION, "close")];
    (closes, Sse::new(events).keep_alive(KeepAlive::default()))
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt, StreamExt};

    use super::*;

    /// What a reader gets without waiting.
    fn take(reader: Receiver<Event>) -> Vec<String> {
        let body = respond(reader).into_response().into_body();
        let mut frames = body.into_data_stream();
        std::iter::from_fn(|| frames.next().now_or_never().flatten())
            .map(|frame| String::from_utf8(frame.expect("a body").to_vec()).expect("UTF-8"))
            .collect()
    }

    #[tokio::test]
    async fn an_event_has_a_kind_and_a_line_of_data() {
        let feed = Feed::new();
        feed.publish("run", &1);
        let reader = feed.read().expect("room");
        feed.publish("run", &"a\nb");

        assert_eq!(take(reader), ["event: run\ndata: \"a\\nb\"\n\n"]);
    }

    #[tokio::test]
    async fn a_reader_that_falls_behind_is_told_so_and_gets_the_newest() {
        let feed = Feed::new();
        let reader = feed.read().expect("room");

        (0..=CAPACITY).for_each(|number| feed.publish("run", &number));
        feed.close();

        let events = take(reader);
        assert_eq!(events[0], "event: missed\ndata: {}\n\n");
        assert_eq!(events[1], "event: run\ndata: 1\n\n");
    }

    #[tokio::test]
    async fn an_event_for_readers_is_made_once_for_all_and_never_for_none() {
        let feed = Feed::new();
        let mut made = 0;
        let mut publish = || {
            feed.publish_to_readers("charts", || {
                made += 1;
                made
            });
        };

        publish();
        let readers: Vec<_> = (0..10).map(|_| feed.read().expect("room")).collect();
        publish();

        for reader in readers {
            assert_eq!(take(reader), ["event: charts\ndata: 1\n\n"]);
        }
    }

    #[tokio::test]
    async fn a_closed_feed_has_no_readers() {
        let feed = Feed::new();

        feed.close();
        feed.publish("run", &1);

        assert!(feed.read().is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn a_quiet_stream_is_kept_alive() {
        let feed = Feed::new();
        let reader = feed.read().expect("room");
        let body = respond(reader).into_response().into_body();

        let frame = body.into_data_stream().next().await;

        assert_eq!(frame.expect("more").expect("a body"), ":\n\n");
    }
}
