//! The spans of a run as they open, change and close: what a live view reads.

use evidence::trace::Span;

use super::layer::Recorder;

/// What changed in a [`Recorder`] since this was last asked.
///
/// A span is returned whole, however little of it changed, and once, however
/// often it changed in between: a slow reader misses steps, and no result.
#[derive(Debug)]
pub struct Changes(Recorder);

impl Changes {
    pub(super) fn of(recorder: Recorder) -> Self {
        Self(recorder)
    }

    /// Waits for spans that opened, changed or closed, in the order they
    /// opened. Dropped while it waits, it loses nothing.
    pub async fn next(&mut self) -> Vec<Span> {
        loop {
            self.0.changed().await;
            let spans = self.take();
            if !spans.is_empty() {
                return spans;
            }
        }
    }

    /// What changed up to now, without waiting.
    #[must_use]
    pub fn take(&mut self) -> Vec<Span> {
        self.0.take_changed()
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use futures_util::FutureExt;
    use tracing::{info_span, subscriber::with_default};
    use tracing_subscriber::{Registry, layer::SubscriberExt};

    use super::super::{Limits, Recorder};

    fn recorder() -> Recorder {
        Recorder::new(Arc::new(|| Duration::ZERO), 7, Limits::default())
    }

    #[test]
    fn each_change_is_returned_once() {
        let recorder = recorder();
        let mut changes = recorder.changes();
        let returned: Vec<Vec<bool>> =
            with_default(Registry::default().with(recorder.layer()), || {
                let span = info_span!(target: "client", "operation", outcome = "ok");
                let opened = changes.take();
                let unchanged = changes.take();
                span.record("outcome", "http_error");
                drop(span);
                [opened, unchanged, changes.take()]
                    .map(|spans| spans.iter().map(|span| span.end.is_some()).collect())
                    .into()
            });

        assert_eq!(returned, [vec![false], vec![], vec![true]]);
    }

    #[test]
    fn a_late_reader_gets_what_is_kept() {
        let recorder = recorder();
        with_default(Registry::default().with(recorder.layer()), || {
            drop(info_span!(target: "client", "operation"));
        });

        let mut changes = recorder.changes();

        let spans = changes.next().now_or_never().expect("no need to wait");
        assert_eq!(spans.len(), 1);
        assert!(changes.next().now_or_never().is_none());
    }
}
