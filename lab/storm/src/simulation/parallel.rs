//! Independent runs on all processors.

use std::{
    num::NonZeroUsize,
    panic::resume_unwind,
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
    thread,
};

/// Simulates runs 0 to `runs` on several threads and returns their results in this order.
/// There are fewer results if `is_over` was set.
pub(crate) fn each<T: Send>(
    runs: u32,
    is_over: &AtomicBool,
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
            if is_over.load(Ordering::Relaxed) {
                break;
            }
        }
        simulated
    };
    let processors = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let mut simulated = thread::scope(|scope| {
        // This thread works as well, so that a system without another thread only takes longer.
        let start = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        let helpers: Vec<_> = (1..processors).map_while(start).collect();
        let mut simulated = work();
        for helper in helpers {
            match helper.join() {
                Ok(of_helper) => simulated.extend(of_helper),
                Err(panic) => resume_unwind(panic),
            }
        }
        simulated
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
        let is_over = AtomicBool::new(false);

        let all = each(1_000, &is_over, |run| run);
        let few = each(u32::MAX, &is_over, |_| {
            is_over.store(true, Ordering::Relaxed);
        });

        assert_eq!(all, (0..1_000).collect::<Vec<_>>());
        assert!(few.len() < 1_000, "{}", few.len());
    }
}
