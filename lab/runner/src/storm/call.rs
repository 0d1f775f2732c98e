//! To which call a request belongs, as the model sees it.
//!
//! A transport cannot see it, and the client's own report would prove nothing about the
//! client. But a call runs in one task, and a storm in one thread, so the earlier results
//! of a call are available while its task runs.

use std::{
    cell::Cell,
    future::{Future, poll_fn},
    pin::pin,
    rc::Rc,
    time::Duration,
};

/// The result of a call's previous request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Before {
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

impl Before {
    /// Whether a retry may follow.
    pub(super) fn has_failed(self) -> bool {
        !matches!(self, Self::Nothing | Self::Success)
    }
}

/// The result of a call's last request, and its time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Last {
    pub(super) got: Before,
    pub(super) at: Duration,
}

thread_local! {
    static CURRENT: Cell<Option<Rc<Cell<Last>>>> = const { Cell::new(None) };
}

/// Runs a call, whose requests belong together, and returns its result and that of its
/// last request.
pub(super) async fn as_one_call<T>(call: impl Future<Output = T>) -> (T, Last) {
    let mut call = pin!(call);
    let last = Rc::<Cell<Last>>::default();
    let result = poll_fn(|context| {
        let outer = CURRENT.replace(Some(Rc::clone(&last)));
        let polled = call.as_mut().poll(context);
        CURRENT.set(outer);
        polled
    });
    (result.await, last.get())
}

/// The previous result of the running call.
pub(super) fn before() -> Before {
    let current = CURRENT.take();
    let last = current.as_ref().map(|last| last.get());
    CURRENT.set(current);
    last.unwrap_or_default().got
}

/// Records a result of the running call.
pub(super) fn got(last: Last) {
    let current = CURRENT.take();
    if let Some(call) = &current {
        call.set(last);
    }
    CURRENT.set(current);
}
