//! The recorder: a `tracing` layer that turns the spans of a run into values.
//!
//! One clone of a [`Recorder`] goes into the subscriber and receives spans. Another stays outside
//! and returns the spans so far ([`Recorder::snapshot`], open spans included) and the ids of a
//! span ([`Recorder::context`], for the header of a request).
//!
//! It keeps only spans and fields of the closed vocabulary, in one trace of limited length. The
//! clock and the `Debug` of a recorded value are foreign code, so neither is called with a lock
//! held.

use std::{
    fmt, iter,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::sync::Notify;
use tracing::{Metadata, Subscriber, level_filters::LevelFilter, span};
use tracing_subscriber::{
    Layer,
    layer::Context,
    registry::{LookupSpan, SpanRef},
};

use super::{store::Store, visitor::Visitor};
use crate::trace::{SpanContext, SpanId, SpanName, Trace};

/// The layer of one subscriber, and a handle on everything that it has recorded so far. Clones
/// share it.
#[derive(Clone)]
pub struct Recorder {
    inner: Arc<Inner>,
}

struct Inner {
    now: Arc<dyn Fn() -> Duration + Send + Sync>,
    store: Mutex<Store>,
    changed: Notify,
}

impl Recorder {
    /// How many spans a run keeps: enough for a crawl of a hundred pages with a retry on each.
    pub const SPANS: usize = 1024;

    /// A recorder that stamps spans with `now`, the time since the run started
    /// on the clock of the run, and numbers them from `seed`. The first `most_spans` stay.
    ///
    /// Ids are drawn in the order in which spans open. Spans that open in the
    /// same order get the same ids in every run with the same seed; where
    /// threads race, so do their ids.
    #[must_use]
    pub fn new(now: Arc<dyn Fn() -> Duration + Send + Sync>, seed: u64, most_spans: usize) -> Self {
        let inner = Arc::new(Inner {
            now,
            store: Mutex::new(Store::new(seed, most_spans)),
            changed: Notify::new(),
        });
        Self { inner }
    }

    /// Everything kept so far, open spans included.
    #[must_use]
    pub fn snapshot(&self) -> Trace {
        let mut trace = self.store().trace();
        // The clock is read last, so that no span starts after the snapshot.
        trace.taken_at = self.now();
        // Reading the clock and taking the lock are two steps, between
        // which another thread may have been faster.
        trace.spans.sort_by_key(|span| span.start);
        trace
    }

    /// Waits until a span has opened, changed or closed since the last wait ended. Only one
    /// reader may wait: of two, one would miss the change.
    pub async fn changed(&self) {
        self.inner.changed.notified().await;
    }

    /// The ids of a span and its trace, for the header of the request it covers.
    ///
    /// `None` if this recorder does not know the span: it is not of the
    /// vocabulary, it is disabled, or its subscriber lacks the layer.
    #[must_use]
    pub fn context(&self, span: &tracing::Span) -> Option<SpanContext> {
        span.with_subscriber(|(id, dispatch)| {
            let layer: &Self = dispatch.downcast_ref()?;
            let is_own = Arc::ptr_eq(&layer.inner, &self.inner);
            is_own.then(|| self.store().context(id.into_u64()))?
        })?
    }

    /// The time since the run started, on the clock of the run.
    #[must_use]
    pub fn now(&self) -> Duration {
        (self.inner.now)()
    }

    /// No panic under this lock can leave a record half written, so the records stay
    /// usable after one.
    fn store(&self) -> MutexGuard<'_, Store> {
        self.inner
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
        ("lab", "crash") => Some(SpanName::Crash),
        (target, "operation") if of_a_client(target) => Some(SpanName::Operation),
        (target, "attempt") if of_a_client(target) => Some(SpanName::Attempt),
        (target, "wait") if of_a_client(target) => Some(SpanName::Wait),
        (target, "stop") if of_a_client(target) => Some(SpanName::Stop),
        (target, "queue") if of_a_client(target) => Some(SpanName::Queue),
        ("server", "request") => Some(SpanName::Request),
        _ => None,
    }
}

/// The nearest span around a new one that is kept.
fn parent<S>(store: &Store, span: &span::Attributes<'_>, context: &Context<'_, S>) -> Option<SpanId>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    let kept = |id: &span::Id| store.kept(id.into_u64());
    let current = context.current_span();
    let parent = if span.is_contextual() {
        current.id()?
    } else {
        span.parent()?
    };
    if let Some(found) = kept(parent) {
        return Some(found);
    }
    let mut ancestors = iter::successors(context.span(parent)?.parent(), SpanRef::parent);
    ancestors.find_map(|ancestor| kept(&ancestor.id()))
}

impl<S> Layer<S> for Recorder
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    /// Every span of the vocabulary is of this level. Without a hint every callsite of
    /// the program would ask.
    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::INFO)
    }

    fn on_new_span(&self, span: &span::Attributes<'_>, id: &span::Id, context: Context<'_, S>) {
        let Some(name) = name_of(span.metadata()) else {
            return;
        };
        let mut visitor = Visitor::new(name);
        span.record(&mut visitor);
        let start = self.now();

        let mut store = self.store();
        let parent = parent(&store, span, &context);
        store.open(id.into_u64(), start, visitor, parent);
        drop(store);
        self.inner.changed.notify_one();
    }

    fn on_record(&self, id: &span::Id, values: &span::Record<'_>, context: Context<'_, S>) {
        let Some(name) = context.metadata(id).and_then(name_of) else {
            return;
        };
        let mut visitor = Visitor::new(name);
        values.record(&mut visitor);
        if self.store().record(id.into_u64(), &visitor.fields) {
            self.inner.changed.notify_one();
        }
    }

    fn on_close(&self, id: span::Id, _: Context<'_, S>) {
        let end = self.now();
        if self.store().close(id.into_u64(), end) {
            self.inner.changed.notify_one();
        }
    }
}
