//! What a subscriber hears of a client.

use std::{
    fmt::Debug,
    sync::{Arc, LazyLock, Mutex},
};

use client::telemetry::TARGET;
use tracing::{
    Dispatch, Event, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
    subscriber::DefaultGuard,
};
use tracing_subscriber::{Layer, Registry, layer::Context, prelude::*, registry};

/// As long as there is one subscriber only, a span that another thread meets
/// first is judged by that thread's subscriber, which is none, and stays off for
/// all threads. With a second one that is never dropped, all are asked.
static SECOND: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(registry()));

/// What this thread hears as long as the guard is held.
pub(crate) fn listen() -> (Heard, DefaultGuard) {
    let heard = Heard::default();
    (heard.clone(), listen_with(heard))
}

/// Has this layer hear this thread.
pub(crate) fn listen_with(layer: impl Layer<Registry> + Send + Sync) -> DefaultGuard {
    LazyLock::force(&SECOND);
    registry().with(layer).set_default()
}

/// Keeps every span and event of the client as text.
#[derive(Clone, Default)]
pub(crate) struct Heard(Arc<Mutex<String>>);

impl Heard {
    /// A line for each, with its fields.
    pub(crate) fn text(&self) -> String {
        self.0.lock().expect("no panic while held").clone()
    }

    /// What was recorded of one field, in order.
    pub(crate) fn values(&self, field: &str) -> Vec<String> {
        let text = self.text();
        let fields = text.split_whitespace();
        let values = fields.filter_map(|it| it.strip_prefix(field)?.strip_prefix('='));
        values.map(str::to_owned).collect()
    }

    fn note(&self, target: &str, name: &str, record: impl FnOnce(&mut Self)) {
        if target.starts_with(TARGET) {
            self.push(&format!("\n{name}"));
            record(&mut self.clone());
        }
    }

    fn push(&self, text: &str) {
        *self.0.lock().expect("no panic while held") += text;
    }
}

impl Visit for Heard {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.push(&format!(" {field}={value:?}"));
    }
}

impl<S: Subscriber> Layer<S> for Heard {
    fn on_new_span(&self, span: &Attributes<'_>, _: &Id, _: Context<'_, S>) {
        let metadata = span.metadata();
        self.note(metadata.target(), metadata.name(), |heard| {
            span.record(heard);
        });
    }

    fn on_record(&self, _: &Id, values: &Record<'_>, _: Context<'_, S>) {
        self.note(TARGET, "record", |heard| values.record(heard));
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let metadata = event.metadata();
        self.note(metadata.target(), metadata.name(), |heard| {
            event.record(heard);
        });
    }
}
