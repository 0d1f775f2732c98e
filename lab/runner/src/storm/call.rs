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

thread_local! {
    static CURRENT: Cell<Option<Rc<Cell<Before>>>> = const { Cell::new(None) };
}

/// Runs a call, whose requests belong together.
pub(super) async fn as_one_call<T>(call: impl Future<Output = T>) -> T {
    let mut call = pin!(call);
    let before = Rc::new(Cell::new(Before::default()));
    poll_fn(|context| {
        let outer = CURRENT.replace(Some(Rc::clone(&before)));
        let polled = call.as_mut().poll(context);
        CURRENT.set(outer);
        polled
    })
    .await
}

/// What the call that runs has got before.
pub(super) fn before() -> Before {
    let current = CURRENT.take();
    let before = current.as_ref().map(|before| before.get());
    CURRENT.set(current);
    before.unwrap_or_default()
}

/// The call that runs has got this.
pub(super) fn got(what: Before) {
    let current = CURRENT.take();
    if let Some(before) = &current {
        before.set(what);
    }
    CURRENT.set(current);
}
