//! The live feed: events, sent to every page that listens.
//!
//! The feed is one ring of events with readers that wait for new ones. Publishing never
//! waits for a reader.

mod ring;
mod routes;

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU64, Ordering},
};

use axum::response::sse::Event;
use rand::RngExt;
use serde::Serialize;
use serde_json::json;
use tokio::sync::watch;

use super::{json, lock::lock};
use ring::{Delivery, LOST, Ring, RingLimits};

pub(crate) use routes::routes;

/// A page that is this far behind can fetch the state faster than it can process the
/// events that it missed.
const LIMITS: RingLimits = RingLimits {
    events: 4096,
    weight: 8 * 1024 * 1024,
};

/// How many readers there may be: half of the connections that the page may have, so that
/// no number of event streams takes the other half from its requests.
const READERS: u64 = 64;

/// The feed that every page listens to.
pub(crate) struct Feed {
    /// Distinguishes the event numbers of this process from those of an earlier one.
    epoch: String,
    ring: Mutex<Ring<Event>>,
    /// Whether the feed is closed; set again at each event, so that readers wake.
    closed: watch::Sender<bool>,
    /// The number of the newest reader.
    newest_reader: AtomicU64,
}

impl Feed {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            epoch: token(),
            ring: Mutex::new(Ring::new(LIMITS)),
            closed: watch::Sender::new(false),
            newest_reader: AtomicU64::new(0),
        })
    }

    /// Publishes an event to every reader.
    pub(crate) fn publish(&self, kind: &'static str, data: &impl Serialize) {
        let data = json(data);
        {
            let mut ring = lock(&self.ring);
            let event = self.event(ring.newest() + 1, kind, &data);
            ring.push(event, data.len());
        }
        self.closed.send_modify(|_| ());
    }

    /// Ends every reader. Later events are not delivered.
    pub(crate) fn close(&self) {
        self.closed.send_replace(true);
    }

    /// A reader that continues after the event with this id, or with the next event if
    /// none is given. It ends once [`READERS`] newer ones have come: a browser that still
    /// wants events connects again, and goes on where it was.
    pub(crate) fn read(self: &Arc<Self>, last: Option<&str>) -> Reader {
        let position = match last {
            Some(id) => self.position(id),
            None => lock(&self.ring).newest(),
        };
        let number = self.newest_reader.fetch_add(1, Ordering::Relaxed) + 1;
        // Wakes the one that has to end.
        self.closed.send_modify(|_| ());
        Reader {
            feed: Arc::clone(self),
            number,
            position,
            closed: self.closed.subscribe(),
        }
    }

    fn position(&self, id: &str) -> u64 {
        id.rsplit_once('-')
            .filter(|(epoch, _)| *epoch == self.epoch)
            .and_then(|(_, number)| number.parse().ok())
            .unwrap_or(LOST)
    }

    /// An event with its id. serde writes JSON without line breaks, so it has one line of
    /// data.
    fn event(&self, number: u64, kind: &str, data: &str) -> Event {
        self.at(number).event(kind).data(data)
    }

    /// An event that only tells a reader its position.
    fn at(&self, number: u64) -> Event {
        Event::default().id(format!("{}-{number}", self.epoch))
    }
}

/// One reader's position in the feed.
pub(crate) struct Reader {
    feed: Arc<Feed>,
    number: u64,
    /// The number of the last event that it received.
    position: u64,
    closed: watch::Receiver<bool>,
}

impl Reader {
    /// Waits for the next event; none once the feed is closed, or too many newer readers
    /// have come. Dropped while it waits, it loses nothing.
    async fn next(&mut self) -> Option<Event> {
        loop {
            let newest = self.feed.newest_reader.load(Ordering::Relaxed);
            if *self.closed.borrow_and_update() || newest >= self.number + READERS {
                return None;
            }
            let delivery = lock(&self.feed.ring).next(&mut self.position);
            match delivery {
                Some(Delivery::Event(event)) => return Some(event),
                Some(Delivery::Missed { from, to }) => {
                    let data = json(&json!({ "from": from, "to": to }));
                    return Some(self.feed.event(to, "missed", &data));
                }
                None => self.closed.changed().await.ok()?,
            }
        }
    }

    /// The preamble of the stream: the reader's position, so that a reader that is
    /// disconnected before its first event can resume. A reader without a position is
    /// told of it with the events that it missed.
    fn greeting(&self) -> Option<Event> {
        (self.position != LOST).then(|| self.feed.at(self.position))
    }
}

/// A random name of eight characters.
pub(crate) fn token() -> String {
    let mut random = rand::rng();
    let sign = || char::from_digit(random.random_range(0..36), 36);
    std::iter::repeat_with(sign).flatten().take(8).collect()
}

#[cfg(test)]
mod tests;
