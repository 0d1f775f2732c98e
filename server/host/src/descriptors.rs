//! Whether the process may open as many descriptors as its services need.
//!
//! A service whose system refuses a descriptor accepts nobody, or has no socket to respond
//! on. Its client then fails for a reason that is not its own. So a service reserves what it
//! needs when it starts, and does not start if that is not there.

use std::sync::{Mutex, PoisonError};

/// The descriptors of a service, of its connections and of the client at their other end.
const OF_A_SERVICE: usize = 15;

/// The descriptors of a runtime that listens for signals.
const OF_A_RUNTIME: usize = 8;

/// The descriptors of the running services.
static RESERVED: Mutex<Reserved> = Mutex::new(Reserved {
    before: 0,
    services: 0,
});

struct Reserved {
    /// How many were open before the first of these services was started.
    before: usize,
    services: usize,
}

/// The descriptors of one service, until this is dropped.
#[derive(Debug)]
pub(crate) struct Reservation(());

/// The process may not open enough descriptors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the system allows {allowed} open files; {taken} are taken, and {needed} more are needed: \
     raise the limit (ulimit -n), or run less at once"
)]
pub struct TooFewDescriptors {
    allowed: usize,
    taken: usize,
    needed: usize,
}

impl Reservation {
    pub(crate) fn new() -> Result<Self, TooFewDescriptors> {
        let mut reserved = RESERVED.lock().unwrap_or_else(PoisonError::into_inner);
        reserved.reserve(limits())?;
        Ok(Self(()))
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut reserved = RESERVED.lock().unwrap_or_else(PoisonError::into_inner);
        reserved.services -= 1;
    }
}

impl Reserved {
    /// Reserves the descriptors of another service.
    fn reserve(&mut self, limits: Option<DescriptorLimits>) -> Result<(), TooFewDescriptors> {
        if let Some(DescriptorLimits { allowed, open }) = limits {
            if self.services == 0 {
                self.before = open;
            }
            let taken = open.max(self.before + self.services * OF_A_SERVICE);
            if taken + OF_A_SERVICE > allowed {
                return Err(TooFewDescriptors {
                    allowed,
                    taken,
                    needed: OF_A_SERVICE,
                });
            }
        }
        self.services += 1;
        Ok(())
    }
}

/// Checks that the process may open the descriptors of a runtime that listens for signals:
/// tokio panics if the system refuses it one of them.
///
/// # Errors
///
/// [`TooFewDescriptors`] if it may not.
pub fn check_descriptors_of_a_runtime() -> Result<(), TooFewDescriptors> {
    match limits() {
        Some(DescriptorLimits { allowed, open }) if open + OF_A_RUNTIME > allowed => {
            Err(TooFewDescriptors {
                allowed,
                taken: open,
                needed: OF_A_RUNTIME,
            })
        }
        _ => Ok(()),
    }
}

/// How many more services the descriptors of the process suffice for.
#[must_use]
pub fn services_left() -> usize {
    let reserved = RESERVED.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(DescriptorLimits { allowed, open }) = limits() else {
        return usize::MAX;
    };
    let before = if reserved.services == 0 {
        open
    } else {
        reserved.before
    };
    let taken = open.max(before + reserved.services * OF_A_SERVICE);
    allowed.saturating_sub(taken) / OF_A_SERVICE
}

/// How many descriptors the process may have, and how many it has.
#[derive(Clone, Copy)]
struct DescriptorLimits {
    allowed: usize,
    open: usize,
}

/// None where this is not known: then nothing is refused.
#[cfg(unix)]
fn limits() -> Option<DescriptorLimits> {
    use nix::sys::resource::{Resource, getrlimit};

    let (allowed, _) = getrlimit(Resource::RLIMIT_NOFILE).ok()?;
    let allowed = usize::try_from(allowed).unwrap_or(usize::MAX);
    let open = match std::fs::read_dir("/dev/fd") {
        // To read the folder takes one itself.
        Ok(open) => open.count(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Err(_) => allowed,
    };
    Some(DescriptorLimits { allowed, open })
}

/// None where this is not known: then nothing is refused.
#[cfg(not(unix))]
fn limits() -> Option<DescriptorLimits> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_starts_only_with_room_for_what_it_needs() {
        for (allowed, open, services, expected) in [
            (100, 10, 6, 6),
            // All that the running services will need counts, and all that is open.
            (100, 10, 7, 6),
            (25, 10, 2, 1),
            (24, 10, 1, 0),
        ] {
            let mut reserved = Reserved {
                before: 0,
                services: 0,
            };

            let started = (0..services).filter(|_| {
                let limits = DescriptorLimits { allowed, open };
                reserved.reserve(Some(limits)).is_ok()
            });

            assert_eq!(started.count(), expected, "{allowed}, {open}");
        }
        let error = TooFewDescriptors {
            allowed: 15,
            taken: 9,
            needed: 15,
        };
        let words = "the system allows 15 open files; 9 are taken, and 15 more are needed: raise \
                     the limit (ulimit -n), or run less at once";
        assert_eq!(error.to_string(), words);
    }
}
