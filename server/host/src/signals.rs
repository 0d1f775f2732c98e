//! Ctrl+C and, on Unix, SIGTERM and SIGHUP: how a person, a supervisor or a closed terminal
//! ends a program.
//!
//! The signals are received on a thread of their own. A program may be blocked in a write that
//! nobody reads, such as to a pager that is left open, and must end all the same.

use std::{
    future::{pending, poll_fn},
    io, process,
    sync::atomic::{AtomicU8, Ordering},
    task::Poll,
    thread,
    time::Duration,
};

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};
#[cfg(windows)]
use tokio::signal::windows::{CtrlC as Signal, ctrl_c};
use tokio::{runtime::Builder, sync::watch, time::sleep};

/// How long a program may go on after the first signal. People and supervisors are promised
/// three seconds.
const LONGEST_END: Duration = Duration::from_millis(2_900);

/// The stack of the thread, in bytes. It is small, and does not depend on `RUST_MIN_STACK`.
const STACK: usize = 512 * 1024;

/// The exit code of the first signal that has come, or 0.
static FIRST: AtomicU8 = AtomicU8::new(0);

/// A signal that ends a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndSignal {
    /// SIGHUP: the terminal was closed.
    HangUp,
    /// SIGINT, from Ctrl+C.
    Interrupt,
    /// SIGTERM, from a supervisor.
    Terminate,
}

impl EndSignal {
    const ALL: [Self; 3] = [Self::HangUp, Self::Interrupt, Self::Terminate];

    /// The first of these signals that has come to this process, if any.
    #[must_use]
    pub fn first() -> Option<Self> {
        let code = FIRST.load(Ordering::Relaxed);
        Self::ALL
            .into_iter()
            .find(|signal| signal.exit_code() == code)
    }

    /// The exit code of a program that it ended: 128 plus its number, as in a shell.
    #[must_use]
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::HangUp => 129,
            Self::Interrupt => 130,
            Self::Terminate => 143,
        }
    }

    /// Its name, for a person.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::HangUp => "SIGHUP",
            Self::Interrupt => "Ctrl+C",
            Self::Terminate => "SIGTERM",
        }
    }
}

/// The signals that end a program. From the moment it listens, the first one asks the program
/// to end. A program that has not ended 2.9 s later is ended, and so it is by a second signal.
#[derive(Debug)]
pub struct Signals(watch::Receiver<()>);

impl Signals {
    /// Takes the signals over from the system's default. `before_exit` is called before a
    /// program is ended that does not end itself, so that it leaves no process behind.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub fn listen(before_exit: fn()) -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let mut received = {
            let _inside = runtime.enter();
            Received::listen()?
        };
        let (tell, told) = watch::channel(());
        let receive = async move {
            let first = received.next().await;
            FIRST.store(first.exit_code(), Ordering::Relaxed);
            let last = if tell.send(()).is_err() {
                // The program only prints its results by now.
                first
            } else {
                tokio::select! {
                    second = received.next() => second,
                    () = sleep(LONGEST_END) => first,
                }
            };
            before_exit();
            process::exit(last.exit_code().into());
        };
        thread::Builder::new()
            .name("signals".to_owned())
            .stack_size(STACK)
            .spawn(move || runtime.block_on(receive))?;
        Ok(Self(told))
    }

    /// Waits for the first signal, and after it for ever.
    pub async fn next(&mut self) {
        if self.0.changed().await.is_err() {
            pending::<()>().await;
        }
    }
}

/// The streams of the signals, each with its meaning.
struct Received(Vec<(EndSignal, Signal)>);

impl Received {
    #[cfg(unix)]
    fn listen() -> io::Result<Self> {
        let kinds = [
            (EndSignal::HangUp, SignalKind::hangup()),
            (EndSignal::Interrupt, SignalKind::interrupt()),
            (EndSignal::Terminate, SignalKind::terminate()),
        ];
        let heard = kinds
            .into_iter()
            .filter(|(end, _)| *end != EndSignal::HangUp || !ignores_hang_up());
        let streams = heard.map(|(end, kind)| Ok((end, signal(kind)?)));
        streams.collect::<io::Result<_>>().map(Self)
    }

    #[cfg(windows)]
    fn listen() -> io::Result<Self> {
        Ok(Self(vec![(EndSignal::Interrupt, ctrl_c()?)]))
    }

    async fn next(&mut self) -> EndSignal {
        poll_fn(|context| {
            let received = self
                .0
                .iter_mut()
                .find_map(|(end, stream)| stream.poll_recv(context).is_ready().then_some(*end));
            received.map_or(Poll::Pending, Poll::Ready)
        })
        .await
    }
}

/// Whether this process was started to ignore SIGHUP, as `nohup` does. Only Linux tells without
/// an unsafe call.
#[cfg(unix)]
fn ignores_hang_up() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut lines = status.lines();
    let ignored = lines.find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // The first bit stands for signal 1, which is SIGHUP.
    ignored.is_some_and(|mask| mask & 1 == 1)
}
