//! The live ping: tells every page that listens that something has changed, as an event stream of
//! the HTML standard (<https://html.spec.whatwg.org/multipage/server-sent-events.html>).
//!
//! The stream carries no state: a page that hears of a change asks for itself again.

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{
    Router,
    extract::State,
    response::{
        IntoResponse, Response,
        sse::{Event, KeepAlive, Sse},
    },
    routing::get,
};
use futures_util::stream;
use http::{HeaderMap, StatusCode, header};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    time::sleep,
};

use super::{fields::Fields, guard::is_not_foreign, problem::Problem, shared::Shared};

/// How many pages may listen at once. They take a part of the connections to the page, and never
/// all of them.
const LISTENERS: usize = 32;

/// The least time between two pings of a page. It is also the time between two pings while
/// a run waits: its open bar grows.
pub(crate) const INTERVAL: Duration = Duration::from_millis(250);

/// Tells pages of changes.
pub(crate) struct Live {
    /// None once it is closed.
    changes: watch::Sender<Option<u64>>,
    places: Arc<Semaphore>,
}

impl Default for Live {
    fn default() -> Self {
        Self {
            changes: watch::Sender::new(Some(0)),
            places: Arc::new(Semaphore::new(LISTENERS)),
        }
    }
}

impl Live {
    /// Tells every page that something has changed.
    pub(crate) fn changed(&self) {
        self.changes.send_modify(|changes| {
            if let Some(changes) = changes {
                *changes += 1;
            }
        });
    }

    /// Ends every stream. Later ones are refused.
    pub(crate) fn close(&self) {
        self.changes.send_replace(None);
    }

    /// The changes, without a place.
    #[cfg(test)]
    pub(crate) fn changes(&self) -> watch::Receiver<Option<u64>> {
        self.changes.subscribe()
    }

    /// A place for a page that listens; none if it is closed, or has too many.
    fn listen(&self) -> Option<Listener> {
        let place = Arc::clone(&self.places).try_acquire_owned().ok()?;
        let changes = self.changes.subscribe();
        let is_open = changes.borrow().is_some();
        is_open.then_some(Listener {
            changes,
            _place: place,
        })
    }
}

/// A page that listens.
struct Listener {
    changes: watch::Receiver<Option<u64>>,
    _place: OwnedSemaphorePermit,
}

impl Listener {
    /// Waits for a change; false once the stream has to end. Changes during the pause before it
    /// count as one.
    async fn hear(&mut self) -> bool {
        let changed = self.changes.changed().await.is_ok();
        changed && self.changes.borrow_and_update().is_some()
    }

    /// Waits until the next ping may be sent, or the stream has to end.
    async fn pause(&mut self) {
        let mut changes = self.changes.clone();
        tokio::select! {
            () = sleep(INTERVAL) => {}
            _ = changes.wait_for(Option::is_none) => {}
        }
    }
}

/// The route of the stream. A page of another site could take all places.
pub(crate) fn routes() -> Router<Shared> {
    Router::new().route("/live", get(stream_of_changes))
}

/// The address of a stream names its page: what the page shows goes on while it is open.
async fn stream_of_changes(
    State(shared): State<Shared>,
    headers: HeaderMap,
    fields: Fields,
) -> Response {
    if !is_not_foreign(&headers) {
        let detail = "only a page of the lab may listen";
        return Problem::new(StatusCode::FORBIDDEN, "cross_origin", detail).into_response();
    }
    match shared.live.listen() {
        Some(listener) => {
            let storm = shared
                .storms
                .streamed(fields.get("page").unwrap_or_default());
            respond(listener, storm).into_response()
        }
        None => {
            let detail = "too many pages listen; close one";
            let status = StatusCode::SERVICE_UNAVAILABLE;
            Problem::new(status, "too_many_listeners", detail).into_response()
        }
    }
}

/// A response that pings until it has to end, and keeps a value until then. A quiet stream sends a
/// comment every 15 seconds, so that intermediaries can distinguish it from a dead one.
fn respond(listener: Listener, kept: impl Send + 'static) -> impl IntoResponse {
    let pings = stream::unfold(
        (listener, true, kept),
        async |(mut listener, is_first, kept)| {
            if !is_first {
                listener.pause().await;
            }
            if !listener.hear().await {
                return None;
            }
            let ping = Event::default().data("changed");
            Some((Ok::<_, Infallible>(ping), (listener, false, kept)))
        },
    );
    // A stream that has ended would otherwise leave an idle connection in its place.
    let closes = [(header::CONNECTION, "close")];
    (closes, Sse::new(pings).keep_alive(KeepAlive::default()))
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt, StreamExt};
    use tokio::time::advance;

    use super::*;

    /// What a page gets without waiting.
    fn heard(frames: &mut axum::body::BodyDataStream) -> usize {
        std::iter::from_fn(|| frames.next().now_or_never().flatten())
            .map(|frame| frame.expect("a body"))
            .inspect(|frame| assert_eq!(frame, "data: changed\n\n"))
            .count()
    }

    fn listening(live: &Live) -> axum::body::BodyDataStream {
        let response = respond(live.listen().expect("a place"), ()).into_response();
        response.into_body().into_data_stream()
    }

    #[tokio::test(start_paused = true)]
    async fn a_page_hears_of_a_change_at_once_and_of_many_four_times_a_second() {
        let live = Live::default();
        let mut page = listening(&live);

        live.changed();
        assert_eq!(heard(&mut page), 1);
        let mut pings = 0;
        for _ in 0..100 {
            advance(Duration::from_millis(10)).await;
            live.changed();
            pings += heard(&mut page);
        }

        assert!((3..=4).contains(&pings), "{pings} in a second");
        // Whatever was told last, the last change is told as well, and once.
        live.changed();
        advance(INTERVAL).await;
        assert_eq!(heard(&mut page), 1);
        for _ in 0..2 {
            advance(INTERVAL).await;
            assert_eq!(heard(&mut page), 0, "nothing has changed since");
        }
    }

    #[tokio::test]
    async fn a_place_is_free_again_once_its_page_is_gone() {
        let live = Live::default();
        let mut pages: Vec<_> = (0..LISTENERS).map(|_| listening(&live)).collect();

        assert!(live.listen().is_none());
        pages.pop();
        assert!(live.listen().is_some());
    }

    #[tokio::test]
    async fn closing_ends_every_stream() {
        let live = Live::default();
        let mut page = listening(&live);
        live.changed();
        assert_eq!(heard(&mut page), 1);

        live.close();

        assert!(page.next().await.is_none());
        assert!(live.listen().is_none());
    }
}
