//! To which call a request belongs, as the model sees it.
//!
//! A transport is not told, and the client's own word would prove nothing about the
//! client. But all of a call runs in one task, and a storm in one thread: so what the
//! requests of a call have got so far is there while its task runs.

use std::{
    cell::Cell,
    future::{Future, poll_fn},
    pin::pin,
    rc::Rc,
    time::Duration,
};

/// What the request of a call before this one has got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Before {
    /// There was none.
    #[default]
    Nothing,
    /// A success.
    Success,
    /// A 503.
    Refusal,
    /// No response in time.
    Timeout,
}

impl Before {
    /// Whether a retry may follow.
    pub(super) fn has_failed(self) -> bool {
        matches!(self, Self::Refusal | Self::Timeout)
    }
}

/// What the last request of a call has got, and when.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Last {
    pub(super) got: Before,
    pub(super) at: Duration,
}

thread_local! {
    static CURRENT: Cell<Option<Rc<Cell<Last>>>> = const { Cell::new(None) };
}

/// Runs a call, whose requests belong together: what it came to, and what the last of
/// them has got.
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

/// What the call that runs has got before.
pub(super) fn before() -> Before {
    let current = CURRENT.take();
    let last = current.as_ref().map(|last| last.get());
    CURRENT.set(current);
    last.unwrap_or_default().got
}

/// The call that runs has got this.
pub(super) fn got(last: Last) {
    let current = CURRENT.take();
    if let Some(call) = &current {
        call.set(last);
    }
    CURRENT.set(current);
}
