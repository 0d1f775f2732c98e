//! Independent runs on all processors.

use std::{
    num::NonZeroUsize,
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
    thread,
};

/// Simulates runs 0 to `runs` on several threads and returns their results in this order.
/// `on_run` is called after each run. There are fewer results if `is_over` was set.
pub(super) fn each<T: Send>(
    runs: u32,
    is_over: &AtomicBool,
    on_run: &(dyn Fn() + Sync),
    simulate: impl Fn(u32) -> T + Sync,
) -> Vec<T> {
    let next = AtomicU32::new(0);
    let work = || {
        let mut simulated = Vec::new();
        loop {
            let run = next.fetch_add(1, Ordering::Relaxed);
            if run >= runs {
                break;
            }
            simulated.push((run, simulate(run)));
            on_run();
            if is_over.load(Ordering::Relaxed) {
                break;
            }
        }
        simulated
    };
    let processors = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    #[expect(clippy::expect_used, reason = "a panic of a worker goes on here")]
    let mut simulated: Vec<_> = thread::scope(|scope| {
        let workers: Vec<_> = (0..processors).map(|_| scope.spawn(work)).collect();
        let simulated = workers.into_iter().map(thread::ScopedJoinHandle::join);
        simulated
            .flat_map(|simulated| simulated.expect("a run ends"))
            .collect()
    });
    simulated.sort_by_key(|(run, _)| *run);
    simulated
        .into_iter()
        .map(|(_, simulated)| simulated)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_run_is_simulated_once_in_order_until_it_is_over() {
        let (is_over, events) = (AtomicBool::new(false), AtomicU32::new(0));
        let on_run = || {
            events.fetch_add(1, Ordering::Relaxed);
        };

        let all = each(1_000, &is_over, &on_run, |run| run);
        let end = |_| is_over.store(true, Ordering::Relaxed);
        let few = each(u32::MAX, &is_over, &on_run, end);

        assert_eq!(all, (0..1_000).collect::<Vec<_>>());
        assert!(few.len() < 1_000, "{}", few.len());
        assert_eq!(events.into_inner() as usize, 1_000 + few.len());
    }
}
