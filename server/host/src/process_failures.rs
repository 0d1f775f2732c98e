//! Failures of this process: the system refused it a descriptor or memory, or it panicked.
//!
//! A client then fails for a reason that is not its own. So a run watches for them, and one
//! that sees a failure judges no client.

use std::{
    error::Error,
    io, panic,
    sync::{
        Once,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

use crate::request_body::io_errors;

/// The kinds of failures, each at the place of its counter.
const KINDS: [HostFailure; 3] = [
    HostFailure::Descriptors,
    HostFailure::Memory,
    HostFailure::Panic,
];

/// How often each kind happened.
static COUNTERS: [AtomicU64; KINDS.len()] = [const { AtomicU64::new(0) }; KINDS.len()];

/// The fewest descriptors with which a command of the lab may begin: several times those of
/// a service, its client and their runtimes.
const LEAST: u64 = 64;

/// Why a run judges no client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HostFailure {
    /// The system refused a descriptor.
    #[error("the system refused to open another file: raise the limit (ulimit -n)")]
    Descriptors,
    /// The system has no memory left for a connection.
    #[error("the system has no memory left for a connection")]
    Memory,
    /// A part of this program panicked, and has said why on stderr.
    #[error("the lab itself failed, by the panic above")]
    Panic,
}

/// Watches for failures of this process from its start on.
#[derive(Debug)]
pub struct FailureWatch {
    before: [u64; KINDS.len()],
}

impl FailureWatch {
    /// Starts to watch.
    #[must_use]
    pub fn start() -> Self {
        Self { before: counts() }
    }

    /// Checks that nothing has failed since.
    ///
    /// # Errors
    ///
    /// [`HostFailure`], the first of the kinds that happened. A client may not be judged by
    /// what it did meanwhile.
    pub fn check(&self) -> Result<(), HostFailure> {
        let counts = counts().into_iter().zip(self.before);
        let mut happened = KINDS.into_iter().zip(counts);
        let failure = happened.find(|(_, (now, before))| now > before);
        failure.map_or(Ok(()), |(kind, _)| Err(kind))
    }
}

fn counts() -> [u64; KINDS.len()] {
    COUNTERS.each_ref().map(|counter| counter.load(Relaxed))
}

/// Counts a failure.
pub(crate) fn note(failure: HostFailure) {
    for (kind, counter) in KINDS.iter().zip(&COUNTERS) {
        if *kind == failure {
            counter.fetch_add(1, Relaxed);
        }
    }
}

/// Counts a failed connection if its error, or a cause of it, says that the process or the
/// system has no descriptor or no memory left.
pub fn note_refusal(error: &(dyn Error + 'static)) {
    if let Some(failure) = io_errors(error).find_map(exhaustion) {
        note(failure);
    }
}

/// Counts every panic of this process from now on, in whichever thread or task, and whether
/// or not it is caught. It is reported as before.
pub fn note_panics() {
    static NOTED: Once = Once::new();
    NOTED.call_once(|| {
        let report = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            note(HostFailure::Panic);
            report(panic);
        }));
    });
}

/// The process may not open enough descriptors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the system allows {allowed} open files, and {LEAST} are needed: raise the limit (ulimit -n)"
)]
pub struct TooFewDescriptors {
    allowed: u64,
}

/// Checks, before a command begins, that the process may open as many descriptors as it
/// needs: tokio panics if the system refuses a runtime one of them. A descriptor that is
/// refused later is a [`HostFailure`].
///
/// # Errors
///
/// [`TooFewDescriptors`] if it may not.
pub fn check_descriptors() -> Result<(), TooFewDescriptors> {
    #[cfg(unix)]
    {
        use nix::sys::resource::{Resource, getrlimit};
        if let Ok((allowed, _)) = getrlimit(Resource::RLIMIT_NOFILE)
            && allowed < LEAST
        {
            return Err(TooFewDescriptors { allowed });
        }
    }
    Ok(())
}

/// The failure of this process that an error shows; none if it shows none.
#[cfg(unix)]
pub(crate) fn exhaustion(error: &io::Error) -> Option<HostFailure> {
    use nix::errno::Errno::{self, EMFILE, ENFILE, ENOBUFS, ENOMEM};
    match Errno::from_raw(error.raw_os_error()?) {
        EMFILE | ENFILE => Some(HostFailure::Descriptors),
        ENOBUFS | ENOMEM => Some(HostFailure::Memory),
        _ => None,
    }
}

#[cfg(not(unix))]
pub(crate) fn exhaustion(error: &io::Error) -> Option<HostFailure> {
    let is_of_memory = error.kind() == io::ErrorKind::OutOfMemory;
    is_of_memory.then_some(HostFailure::Memory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn only_an_error_of_exhaustion_counts() {
        use nix::errno::Errno;
        let of = |errno: Errno| io::Error::from_raw_os_error(errno as i32);

        for (errno, expected) in [
            (Errno::EMFILE, Some(HostFailure::Descriptors)),
            (Errno::ENFILE, Some(HostFailure::Descriptors)),
            (Errno::ENOMEM, Some(HostFailure::Memory)),
            (Errno::ENOBUFS, Some(HostFailure::Memory)),
            (Errno::ECONNREFUSED, None),
            (Errno::ECONNRESET, None),
            (Errno::ETIMEDOUT, None),
        ] {
            assert_eq!(exhaustion(&of(errno)), expected, "{errno}");
        }
    }

    /// The counters are those of the process, so this is one test.
    #[test]
    fn a_watch_sees_the_failures_since_its_start_alone() {
        note_panics();
        let outer = FailureWatch::start();
        assert_eq!(outer.check(), Ok(()));

        let panicked = std::thread::spawn(|| panic!("on purpose")).join();

        assert!(panicked.is_err());
        assert_eq!(outer.check(), Err(HostFailure::Panic));
        let inner = FailureWatch::start();
        note(HostFailure::Memory);
        assert_eq!(inner.check(), Err(HostFailure::Memory));
        assert_eq!(outer.check(), Err(HostFailure::Memory));
        assert_eq!(FailureWatch::start().check(), Ok(()));
    }
}
