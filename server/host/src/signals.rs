//! Ctrl+C and, on Unix, SIGTERM: how a person or a supervisor ends a program
//! that serves.

use std::future::poll_fn;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};
#[cfg(windows)]
use tokio::signal::windows::{CtrlC as Signal, ctrl_c};

/// Whether SIGTERM has come: a signal is for the whole process.
static TERMINATED: AtomicBool = AtomicBool::new(false);

/// Whether one of the signals that [`Signals::next`] has received in this process was
/// SIGTERM, rather than Ctrl+C.
#[must_use]
pub fn is_terminated() -> bool {
    TERMINATED.load(Ordering::Relaxed)
}

/// The signals that end a program. From the moment it listens they do nothing
/// else.
#[derive(Debug)]
pub struct Signals(Vec<Signal>);

impl Signals {
    /// Takes the signals over from the system's default.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime with I/O.
    pub fn listen() -> io::Result<Self> {
        #[cfg(unix)]
        let signals = [SignalKind::interrupt(), SignalKind::terminate()].map(signal);
        #[cfg(windows)]
        let signals = [ctrl_c()];
        signals.into_iter().collect::<io::Result<_>>().map(Self)
    }

    /// Waits for the next signal.
    pub async fn next(&mut self) {
        poll_fn(|cx| {
            let mut signals = self.0.iter_mut();
            let Some(received) = signals.position(|signal| signal.poll_recv(cx).is_ready()) else {
                return Poll::Pending;
            };
            // Ctrl+C is the first.
            if received > 0 {
                TERMINATED.store(true, Ordering::Relaxed);
            }
            Poll::Ready(())
        })
        .await;
    }
}
