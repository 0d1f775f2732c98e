//! Independent runs on all processors.

use std::{
    num::NonZeroUsize,
    ops::ControlFlow,
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
    thread,
};

/// Simulates runs 0 to `runs` on several threads and returns their results in this order.
/// There are fewer if `on_run`, which is called after each run, ended it early.
pub(super) fn each<T: Send>(
    runs: u32,
    on_run: &(dyn Fn() -> ControlFlow<()> + Sync),
    simulate: impl Fn(u32) -> T + Sync,
) -> Vec<T> {
    let processors = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    on_processors(processors, runs, on_run, simulate)
}

fn on_processors<T: Send>(
    processors: usize,
    runs: u32,
    on_run: &(dyn Fn() -> ControlFlow<()> + Sync),
    simulate: impl Fn(u32) -> T + Sync,
) -> Vec<T> {
    let (next, is_over) = (AtomicU32::new(0), AtomicBool::new(false));
    let work = || {
        let mut simulated = Vec::new();
        while !is_over.load(Ordering::Relaxed) {
            let run = next.fetch_add(1, Ordering::Relaxed);
            if run >= runs {
                break;
            }
            simulated.push((run, simulate(run)));
            if on_run().is_break() {
                is_over.store(true, Ordering::Relaxed);
            }
        }
        simulated
    };
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
    fn every_run_is_simulated_once_and_all_are_in_order() {
        for processors in [1, 2, 7] {
            let heard = AtomicU32::new(0);
            let on_run = || {
                heard.fetch_add(1, Ordering::Relaxed);
                ControlFlow::Continue(())
            };

            let simulated = on_processors(processors, 1_000, &on_run, |run| run);

            assert_eq!(simulated, (0..1_000).collect::<Vec<_>>());
            assert_eq!(heard.into_inner(), 1_000);
        }
    }

    #[test]
    fn on_run_can_end_it_early() {
        let begun = AtomicU32::new(0);

        let simulated = each(u32::MAX, &|| ControlFlow::Break(()), |_| {
            begun.fetch_add(1, Ordering::Relaxed)
        });

        assert_eq!(simulated.len(), begun.into_inner() as usize);
        assert!(simulated.len() < 10_000);
    }
}
