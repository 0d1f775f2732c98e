//! Driving futures by hand, poll by poll.

use std::{
    pin::Pin,
    task::{Context, Poll, Waker},
};

/// Polls once.
pub(crate) fn poll<F: Future + ?Sized>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// Gives way this many times before going on.
pub(crate) async fn give_way(times: usize) {
    for _ in 0..times {
        tokio::task::yield_now().await;
    }
}
