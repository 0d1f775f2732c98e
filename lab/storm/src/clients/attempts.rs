//! To which call a request belongs, as the model sees it.
//!
//! A transport cannot see it, and the client's own report would prove nothing about the
//! client. But a call runs in one task, and a storm in one thread, so the earlier results
//! of a call are available while its task runs.

use std::{cell::Cell, pin::Pin};

/// The result of a call's previous request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum AttemptResult {
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

tokio::task_local! {
    static LAST: Cell<AttemptResult>;
}

/// Runs a call, whose requests belong together.
///
/// It is boxed, because each future around it would hold and move its kilobyte twice.
pub(crate) async fn as_one_call<T>(call: Pin<Box<impl Future<Output = T>>>) -> T {
    LAST.scope(Cell::default(), call).await
}

/// The previous result of the running call.
pub(crate) fn previous() -> AttemptResult {
    LAST.try_with(Cell::get).unwrap_or_default()
}

/// Records a result of the running call.
pub(crate) fn ended(result: AttemptResult) {
    // The tests of the service send requests of no call.
    let _ = LAST.try_with(|last| last.set(result));
}
