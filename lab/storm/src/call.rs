//! To which call a request belongs, as the model sees it.
//!
//! A transport cannot see it, and the client's own report would prove nothing about the
//! client. But a call runs in one task, and a storm in one thread, so the earlier results
//! of a call are available while its task runs.

use std::{cell::Cell, pin::Pin, time::Duration};

/// The result of a call's previous request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum AttemptResult {
    /// There was none.
    #[default]
    Nothing,
    /// A success.
    Success,
    /// A 503.
    Refusal,
    /// A 429.
    Throttled,
    /// No response in time.
    Timeout,
}

impl AttemptResult {
    /// Whether a retry may follow.
    pub(super) fn has_failed(self) -> bool {
        !matches!(self, Self::Nothing | Self::Success)
    }
}

/// The result of a call's last request, and its time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LastAttempt {
    pub(super) got: AttemptResult,
    pub(super) at: Duration,
}

tokio::task_local! {
    static LAST: Cell<LastAttempt>;
}

/// Runs a call, whose requests belong together, and returns its result and that of its
/// last request.
///
/// It is boxed, because each future around it would hold and move its two kilobytes twice.
pub(super) async fn as_one_call<T>(call: Pin<Box<impl Future<Output = T>>>) -> (T, LastAttempt) {
    let call = async { (call.await, LAST.with(Cell::get)) };
    LAST.scope(Cell::default(), call).await
}

/// The previous result of the running call.
pub(super) fn before() -> AttemptResult {
    LAST.try_with(Cell::get).unwrap_or_default().got
}

/// Records a result of the running call.
pub(super) fn got(last: LastAttempt) {
    // The tests of the service send requests of no call.
    let _ = LAST.try_with(|of| of.set(last));
}
