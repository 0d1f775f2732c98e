//! Driving futures by hand, poll by poll.

use std::{
    pin::{Pin, pin},
    task::{Context, Poll, Waker},
};

/// Polls once.
pub(crate) fn poll<F: Future + ?Sized>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// Polls until the future is ready; `None` if it stands still.
pub(crate) fn finish<F: Future>(future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    (0..10_000).find_map(|_| match poll(future.as_mut()) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    })
}

/// Gives way this many times before going on.
pub(crate) async fn give_way(times: usize) {
    for _ in 0..times {
        tokio::task::yield_now().await;
    }
}
