//! How many clients run at once.

use std::{num::NonZeroUsize, thread::available_parallelism};

use tokio::sync::{Semaphore, SemaphorePermit};

/// How many processes run at once for each of the machine's cores: most of them wait.
const PROCESSES_PER_CORE: u32 = 3;

/// Slots for the processes of cases that are run side by side.
///
/// A case in which milliseconds are judged takes the slots of as many others as share a
/// core. Else the cases would hold up one another: an interpreter that comes back at
/// once was seen to take up to 80 ms for it among six on two cores, and up to 20 ms
/// among two.
#[derive(Debug)]
pub struct ProcessSlots {
    slots: Semaphore,
    all: u32,
}

impl ProcessSlots {
    /// Slots for as many processes at once, and for one at least.
    #[must_use]
    pub fn new(processes: u32) -> Self {
        let all = processes.max(1);
        Self {
            slots: Semaphore::new(all as usize),
            all,
        }
    }

    /// The room of this machine.
    #[must_use]
    pub fn of_this_machine() -> Self {
        let cores = available_parallelism().map_or(1, NonZeroUsize::get);
        let cores = u32::try_from(cores).unwrap_or(u32::MAX);
        Self::new(cores.saturating_mul(PROCESSES_PER_CORE))
    }

    /// Waits for the slot of a case, which is free again once this is dropped. Who came
    /// first is first.
    pub(super) async fn acquire(&self, is_about_milliseconds: bool) -> Option<SemaphorePermit<'_>> {
        let slots = self.needed(is_about_milliseconds);
        // Nobody closes it.
        self.slots.acquire_many(slots).await.ok()
    }

    fn needed(&self, is_about_milliseconds: bool) -> u32 {
        if is_about_milliseconds {
            PROCESSES_PER_CORE.min(self.all)
        } else {
            1
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[test]
    fn a_case_about_milliseconds_has_a_core_for_itself() {
        let slots = ProcessSlots::new(2 * PROCESSES_PER_CORE);
        let now = |is_quick| slots.acquire(is_quick).now_or_never();

        let one = now(true);
        let others: Vec<_> = (0..PROCESSES_PER_CORE).map(|_| now(false)).collect();

        assert!(one.is_some() && others.iter().all(Option::is_some));
        assert!(now(false).is_none());
        drop(one);
        assert!(now(true).is_some());
        drop(others);
        assert!(ProcessSlots::new(1).acquire(true).now_or_never().is_some());
    }
}
