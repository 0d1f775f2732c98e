//! The recorder: a `tracing` layer that turns the spans of a run into values.
//!
//! It comes in two halves. The [`RecorderLayer`] goes into the subscriber and is
//! told of spans; the [`Recorder`] stays outside and can be asked what has been
//! recorded so far ([`Recorder::snapshot`], open spans included) and which ids a
//! span has ([`Recorder::context`], for the header of a request).
//!
//! It keeps only spans and fields of the closed vocabulary, and no more of
//! them than its [`Limits`] allow. The clock and the `Debug` of a recorded value
//! are somebody else's code, so neither is ever called with a lock held.

use std::{
    fmt, iter,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use evidence::trace::{SpanContext, SpanName, Trace};
use tokio::sync::Notify;
use tracing::{Metadata, Subscriber, span};
use tracing_subscriber::{
    Layer, Registry,
    layer::Context,
    registry::{LookupSpan, SpanRef},
};

use super::{
    store::{Limits, Opened, Place, Store},
    visitor::Visitor,
};

/// A handle on everything recorded so far. Clones share it.
#[derive(Clone)]
pub struct Recorder {
    shared: Arc<Shared>,
}

/// The half of a [`Recorder`] that is told of spans. One recorder may have layers
/// in several subscribers; one subscriber has the layer of one recorder.
#[derive(Debug)]
pub struct RecorderLayer {
    recorder: Recorder,
}

struct Shared {
    now: Arc<dyn Fn() -> Duration + Send + Sync>,
    store: Mutex<Store>,
    changed: Notify,
}

impl Recorder {
    /// A recorder that stamps spans with `now`, the time since the run started
    /// on the clock of the run, and numbers them from `seed`.
    ///
    /// Ids are drawn in the order in which spans open. Spans that open in the
    /// same order get the same ids in every run with the same seed; where
    /// threads race, so do their ids.
    #[must_use]
    pub fn new(now: Arc<dyn Fn() -> Duration + Send + Sync>, seed: u64, limits: Limits) -> Self {
        let store = Mutex::new(Store::new(seed, limits));
        let changed = Notify::new();
        let shared = Arc::new(Shared {
            now,
            store,
            changed,
        });
        Self { shared }
    }

    /// The half to be put into a subscriber.
    #[must_use]
    pub fn layer(&self) -> RecorderLayer {
        RecorderLayer {
            recorder: self.clone(),
        }
    }

    /// Everything kept so far, the oldest trace first, open spans included.
    #[must_use]
    pub fn snapshot(&self) -> Vec<Trace> {
        let mut traces = self.store().traces();
        // The clock is read last, so that no span starts after the picture.
        let taken_at = self.now();
        for trace in &mut traces {
            trace.taken_at = taken_at;
            // Reading the clock and taking the lock are two steps, between
            // which another thread may have been faster.
            trace.spans.sort_by_key(|span| span.start);
        }
        traces
    }

    /// Waits until a span has opened, changed or closed since the last wait ended. It is
    /// for one reader: of two that wait, one would hear of a change.
    pub async fn changed(&self) {
        self.shared.changed.notified().await;
    }

    /// The ids of a span and its trace, for the header of the request it covers.
    ///
    /// `None` if this recorder does not know the span: it is not of the
    /// vocabulary, it is disabled, its subscriber lacks the layer, or keeps its
    /// spans elsewhere than in a [`Registry`].
    #[must_use]
    pub fn context(&self, span: &tracing::Span) -> Option<SpanContext> {
        span.with_subscriber(|(id, dispatch)| {
            let registry: &Registry = dispatch.downcast_ref()?;
            self.opened(&registry.span(id)?)
                .map(|opened| opened.context)
        })?
    }

    /// What this recorder noted on a span when it opened.
    fn opened<'a, R: LookupSpan<'a>>(&self, span: &SpanRef<'a, R>) -> Option<Opened> {
        let extensions = span.extensions();
        let Note { owner, opened } = extensions.get()?;
        (owner.as_ptr() == Arc::as_ptr(&self.shared)).then_some(*opened)
    }

    /// The time since the run started, on the clock of the run.
    #[must_use]
    pub fn now(&self) -> Duration {
        (self.shared.now)()
    }

    /// Nothing under this lock can leave a record half written, so a poisoned
    /// one is no reason to lose what was kept.
    fn store(&self) -> MutexGuard<'_, Store> {
        self.shared
            .store
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").finish_non_exhaustive()
    }
}

/// Recognises a span by its target and its name, and by nothing else. The reference
/// client has the target `client`, every other one `lab::` and its name.
fn name_of(metadata: &Metadata<'_>) -> Option<SpanName> {
    let of_a_client = |target: &str| target == "client" || target.starts_with("lab::");
    match (metadata.target(), metadata.name()) {
        ("lab", "run") => Some(SpanName::Run),
        (target, "operation") if of_a_client(target) => Some(SpanName::Operation),
        (target, "attempt") if of_a_client(target) => Some(SpanName::Attempt),
        (target, "wait") if of_a_client(target) => Some(SpanName::Wait),
        (target, "stop") if of_a_client(target) => Some(SpanName::Stop),
        (target, "queue") if of_a_client(target) => Some(SpanName::Queue),
        ("server", "request") => Some(SpanName::Request),
        _ => None,
    }
}

/// What a recorder noted on a span. Recorders are told apart by their address,
/// which the weak pointer keeps from being used again.
struct Note {
    owner: Weak<Shared>,
    opened: Opened,
}

impl RecorderLayer {
    fn place<S>(&self, id: &span::Id, context: &Context<'_, S>) -> Option<Place>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        self.recorder.opened(&context.span(id)?)?.place
    }
}

impl<S> Layer<S> for RecorderLayer
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn on_new_span(&self, span: &span::Attributes<'_>, id: &span::Id, context: Context<'_, S>) {
        let recorder = &self.recorder;
        let Some(name) = name_of(span.metadata()) else {
            return;
        };
        let Some(known) = context.span(id) else {
            return;
        };
        let mut ancestors = iter::successors(known.parent(), SpanRef::parent);
        let parent = ancestors.find_map(|ancestor| {
            let opened = recorder.opened(&ancestor)?;
            Some((opened.context, opened.place?))
        });
        // Room for what will become known later, too.
        let mut visitor = Visitor::new(name, name.fields().len());
        span.record(&mut visitor);
        let start = recorder.now();

        let opened = recorder.store().open(start, visitor, parent);

        known.extensions_mut().replace(Note {
            owner: Arc::downgrade(&recorder.shared),
            opened,
        });
        recorder.shared.changed.notify_one();
    }

    fn on_record(&self, id: &span::Id, values: &span::Record<'_>, context: Context<'_, S>) {
        let Some(place) = self.place(id, &context) else {
            return;
        };
        let mut visitor = Visitor::new(place.name, values.len());
        values.record(&mut visitor);

        self.recorder.store().record(place, visitor);
        self.recorder.shared.changed.notify_one();
    }

    fn on_close(&self, id: span::Id, context: Context<'_, S>) {
        let Some(place) = self.place(&id, &context) else {
            return;
        };
        let end = self.recorder.now();

        self.recorder.store().close(place, end);
        self.recorder.shared.changed.notify_one();
    }
}
