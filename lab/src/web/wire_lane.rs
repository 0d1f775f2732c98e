//! What reaches the service from anywhere else: from a terminal, a browser, a
//! client in another language.

use std::{
    collections::{BTreeSet, VecDeque},
    convert::Infallible,
    num::NonZeroUsize,
    sync::Arc,
    time::Duration,
};

use serde::Serialize;
use server::{Ledger, LedgerEntry};
use tokio::time::sleep;

use super::{feed::Feed, live_span::LiveSpan};
use evidence::{
    plot::{Table, TableRow},
    trace::{Span, Trace, field},
    wire::WireRequest,
};
use runner::{
    SharedTime, recorder::FullTrace, recorder::Limits, recorder::Recorder, wire::request,
};

/// How many requests are kept.
pub(super) const CAPACITY: usize = 200;

/// How soon a request with a response is looked for again whose entry in the ledger
/// was not complete yet: its span closes a moment earlier, on another thread.
const PAUSE: Duration = Duration::from_millis(5);

/// The requests of a service and their spans.
#[derive(Clone, Debug)]
pub(super) struct WireLane {
    ledger: Ledger,
    recorder: Recorder,
}

/// The lane as it stands.
#[derive(Debug, Serialize)]
pub(super) struct WireSnapshot {
    entries: Vec<WireRequest>,
    traces: Vec<Trace>,
    dropped: u64,
    /// The entries in words.
    table: Table,
}

#[derive(Serialize)]
struct WireEvent {
    /// The entry in words.
    row: TableRow,
    entry: WireRequest,
    spans: [LiveSpan; 1],
}

impl WireLane {
    /// A recorder for the spans of a service that runs as long as the process.
    ///
    /// The service has one span of a request, and its callers may put any number
    /// of requests into one trace: the newest are kept, whichever they belong to.
    pub(super) fn recorder(time: &SharedTime) -> Recorder {
        let limits = Limits {
            traces: NonZeroUsize::new(CAPACITY).expect("not zero"),
            spans_per_trace: NonZeroUsize::MIN,
            full_trace: FullTrace::BeginsAnew,
        };
        let time = time.clone();
        Recorder::new(Arc::new(move || time.elapsed()), rand::random(), limits)
    }

    pub(super) fn new(ledger: Ledger, recorder: Recorder) -> Self {
        Self { ledger, recorder }
    }

    pub(super) fn snapshot(&self) -> WireSnapshot {
        let ledger = self.ledger.snapshot();
        let entries: Vec<_> = ledger.entries.into_iter().map(request).collect();
        WireSnapshot {
            table: Table::of_requests(&entries),
            entries,
            traces: self.recorder.snapshot(),
            dropped: ledger.dropped,
        }
    }

    /// Tells of each request, once it is over, for ever.
    pub(super) async fn relay(self, feed: Arc<Feed>) -> Infallible {
        let mut changes = self.recorder.changes();
        let mut told = Told::default();
        let mut closed: VecDeque<Span> = VecDeque::new();
        loop {
            let changed = if closed.is_empty() {
                changes.next().await
            } else {
                sleep(PAUSE).await;
                changes.take()
            };
            closed.extend(changed.into_iter().filter(|span| span.end.is_some()));
            let ledger = self.ledger.snapshot();
            closed.retain(|span| match told.find(span, &ledger.entries) {
                Found::Complete(entry) => {
                    let entry = request(entry.clone());
                    let row = TableRow::of_request(&entry);
                    let spans = [span.clone().into()];
                    feed.publish("wire", &WireEvent { row, entry, spans });
                    false
                }
                Found::Incomplete => true,
                Found::Gone => false,
            });
        }
    }
}

/// The requests that were told of, by their numbers.
#[derive(Default)]
struct Told(BTreeSet<u64>);

/// What the ledger has on a request whose span has closed.
#[derive(Debug, PartialEq)]
enum Found<'a> {
    /// All that it will ever have.
    Complete(&'a LedgerEntry),
    /// Not yet its response.
    Incomplete,
    /// Nothing any more.
    Gone,
}

impl Told {
    /// The entry of a closed span, to be told of now. A caller may send one
    /// request id twice, so the id alone does not name an entry.
    fn find<'a>(&mut self, span: &Span, entries: &'a [LedgerEntry]) -> Found<'a> {
        let oldest = entries.first().map_or(u64::MAX, |entry| entry.seq);
        self.0 = self.0.split_off(&oldest);
        let id = span.fields.text(field::REQUEST_ID);
        let status = span.fields.number(field::STATUS);
        let mut untold = entries
            .iter()
            .filter(|entry| id == Some(&entry.request_id) && !self.0.contains(&entry.seq))
            .peekable();
        if untold.peek().is_none() {
            return Found::Gone;
        }
        let Some(entry) = untold.find(|entry| entry.status.map(u64::from) == status) else {
            return Found::Incomplete;
        };
        self.0.insert(entry.seq);
        Found::Complete(entry)
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use client::VirtualClock;
    use server::{ServiceConfig, ServiceState};
    use tower::ServiceExt;
    use tracing::instrument::WithSubscriber;
    use tracing_subscriber::{Registry, layer::SubscriberExt};

    use super::*;

    /// What a service saw of two requests with one id: the entries and the
    /// spans.
    async fn two_of_one_id() -> (Vec<LedgerEntry>, Vec<Span>) {
        let clock = VirtualClock::starting_at(SystemTime::UNIX_EPOCH);
        let time = SharedTime::new(Arc::new(clock.clone()));
        let recorder = WireLane::recorder(&time);
        clock.advance(Duration::from_secs(1));
        let config = ServiceConfig::builder().clock(time.clone());
        let state = ServiceState::new(&config.build().expect("legal"));
        clock.advance(Duration::from_secs(1));
        time.begin();
        let ledger = state.ledger();
        let service = server::router(state);
        for path in ["/flaky", "/no-content"] {
            clock.advance(Duration::from_secs(10));
            let request = http::Request::get(path).header("x-request-id", "mine");
            let request = request.body(axum::body::Body::empty()).expect("a request");
            let subscriber = Registry::default().with(recorder.layer());
            let response = service.clone().oneshot(request).with_subscriber(subscriber);
            response.await.unwrap_or_else(|never| match never {});
        }
        let spans = recorder
            .snapshot()
            .into_iter()
            .flat_map(|trace| trace.spans);
        (ledger.snapshot().entries, spans.collect())
    }

    #[tokio::test]
    async fn entries_and_spans_are_told_from_one_moment() {
        let (entries, spans) = two_of_one_id().await;

        let times = [10, 20].map(Duration::from_secs);
        assert_eq!([entries[0].arrived, entries[1].arrived], times);
        assert_eq!([spans[0].start, spans[1].start], times);
    }

    #[tokio::test]
    async fn a_request_is_found_once_by_its_id_and_its_answer() {
        let (entries, spans) = two_of_one_id().await;
        let mut told = Told::default();

        let second = told.find(&spans[1], &entries) == Found::Complete(&entries[1]);
        let again = told.find(&spans[1], &entries) == Found::Incomplete;
        let first = told.find(&spans[0], &entries) == Found::Complete(&entries[0]);
        let nothing_left = told.find(&spans[0], &entries) == Found::Gone;

        assert_eq!([second, again, first, nothing_left], [true; 4]);
    }

    #[tokio::test]
    async fn an_entry_without_its_answer_is_waited_for() {
        let (mut entries, spans) = two_of_one_id().await;
        let mut told = Told::default();
        let status = entries[0].status.take();

        let before = told.find(&spans[0], &entries[..1]) == Found::Incomplete;
        entries[0].status = status;
        let after = told.find(&spans[0], &entries[..1]) == Found::Complete(&entries[0]);

        assert_eq!([before, after], [true; 2]);
    }

    #[tokio::test]
    async fn what_the_ledger_let_go_is_forgotten() {
        let (entries, spans) = two_of_one_id().await;
        let mut told = Told::default();
        told.find(&spans[0], &entries);

        let gone = told.find(&spans[0], &entries[1..]);

        assert_ne!(gone, Found::Complete(&entries[0]));
        assert!(told.0.is_empty());
    }
}
