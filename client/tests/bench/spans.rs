//! The spans and events of a test, kept as they came.
//!
//! The recorder of the lab keeps what its vocabulary lists; this one keeps
//! everything, since a test asks what there is beyond the list.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex},
};

use tracing::{
    Dispatch, Event, Level, Metadata, Subscriber, dispatcher,
    dispatcher::DefaultGuard,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};
use tracing_subscriber::{
    layer::{Context, Layer, SubscriberExt},
    registry,
};

/// A span or an event.
#[derive(Debug, Clone)]
pub struct SpanRecord {
    /// The id of a span. It is used again once the span is closed.
    id: Option<Id>,
    /// Its level.
    pub level: Level,
    /// Its target: the crate that it speaks of.
    pub target: &'static str,
    /// Its name. An event that is given none has its place in the code.
    pub name: &'static str,
    /// Its fields.
    pub fields: BTreeMap<&'static str, String>,
}

/// Every span and event of one test. Clones share one memory.
#[derive(Debug, Clone, Default)]
pub struct Spans(Arc<Mutex<Vec<SpanRecord>>>);

/// Spans and events of this thread, and of services started on it, reach a subscriber until
/// this is dropped.
#[derive(Debug)]
#[must_use = "nothing is kept without it"]
pub struct Watch {
    _default: DefaultGuard,
    _second: Dispatch,
}

impl Watch {
    /// Hands what this thread traces to a subscriber.
    pub fn by(subscriber: impl Into<Dispatch>) -> Self {
        Self {
            // With a single dispatcher in the process, `tracing` asks only the present
            // thread whether a span that it meets for the first time is wanted, and
            // remembers the result for all threads: a test without a subscriber could
            // silence this one.
            _second: Dispatch::new(registry()),
            _default: dispatcher::set_default(&subscriber.into()),
        }
    }
}

impl Spans {
    /// Begins to keep what this thread traces.
    pub fn watch() -> (Self, Watch) {
        let spans = Self::default();
        let watch = Watch::by(registry().with(spans.clone()));
        (spans, watch)
    }

    /// The values that one field of spans was given, in the order of the spans.
    pub fn values(&self, field: &str) -> Vec<String> {
        let mut records = self.records();
        records.retain(|record| record.id.is_some());
        let values = records.iter_mut().map(|record| record.fields.remove(field));
        values.flatten().collect()
    }

    /// The spans and events, in the order of their beginnings.
    pub fn records(&self) -> Vec<SpanRecord> {
        self.0.lock().expect("no subscriber panicked").clone()
    }

    /// Keeps a span or an event, whose fields `record` hands over.
    fn keep(&self, id: Option<Id>, metadata: &Metadata<'static>, record: impl FnOnce(&mut Fields)) {
        let mut fields = Fields::default();
        record(&mut fields);
        let record = SpanRecord {
            id,
            level: *metadata.level(),
            target: metadata.target(),
            name: metadata.name(),
            fields: fields.0,
        };
        let mut records = self.0.lock().expect("no subscriber panicked");
        records.push(record);
    }
}

impl<S: Subscriber> Layer<S> for Spans {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, _: Context<'_, S>) {
        let id = Some(id.clone());
        self.keep(id, attributes.metadata(), |fields| {
            attributes.record(fields);
        });
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, _: Context<'_, S>) {
        let mut records = self.0.lock().expect("no subscriber panicked");
        let mut newest = records.iter_mut().rev();
        if let Some(bearer) = newest.find(|record| record.id.as_ref() == Some(id)) {
            let mut fields = Fields::default();
            values.record(&mut fields);
            bearer.fields.append(&mut fields.0);
        }
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        self.keep(None, event.metadata(), |fields| event.record(fields));
    }
}

#[derive(Default)]
struct Fields(BTreeMap<&'static str, String>);

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }
}
