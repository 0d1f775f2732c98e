//! Driving futures by hand, poll by poll.

use std::{
    pin::{Pin, pin},
    task::{Context, Poll, Waker},
    time::Duration,
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

/// Runs `work` in a time that passes only here, and only after all that is on
/// the sockets had many chances to be read: so a timer ends a silence, and no
/// load of the machine passes for one. `patience` is how long a silence may last.
pub(crate) async fn silently<T>(patience: Duration, work: impl Future<Output = T>) -> T {
    tokio::time::pause();
    let passing = async {
        loop {
            for _ in 0..20 {
                // Each lets the runtime look at its sockets.
                tokio::task::yield_now().await;
            }
            tokio::time::advance(patience / 20).await;
        }
    };
    let done = tokio::select! {
        done = work => done,
        never = passing => never,
    };
    tokio::time::resume();
    done
}
