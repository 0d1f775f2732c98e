//! Independent runs on all processors.

use std::{
    num::NonZeroUsize,
    ops::ControlFlow,
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
    thread,
};

/// Plays runs 0 to `runs`, and returns what they came to in this order, whoever played
/// them. There are fewer if `on_run`, which hears of each that has ended, did not let it
/// go on.
pub(super) fn each<T: Send>(
    runs: u32,
    on_run: &(dyn Fn() -> ControlFlow<()> + Sync),
    play: impl Fn(u32) -> T + Sync,
) -> Vec<T> {
    let processors = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    on_processors(processors, runs, on_run, play)
}

fn on_processors<T: Send>(
    processors: usize,
    runs: u32,
    on_run: &(dyn Fn() -> ControlFlow<()> + Sync),
    play: impl Fn(u32) -> T + Sync,
) -> Vec<T> {
    let (next, is_over) = (AtomicU32::new(0), AtomicBool::new(false));
    let work = || {
        let mut played = Vec::new();
        while !is_over.load(Ordering::Relaxed) {
            let run = next.fetch_add(1, Ordering::Relaxed);
            if run >= runs {
                break;
            }
            played.push((run, play(run)));
            if on_run().is_break() {
                is_over.store(true, Ordering::Relaxed);
            }
        }
        played
    };
    #[expect(clippy::expect_used, reason = "a panic of a worker goes on here")]
    let mut played: Vec<_> = thread::scope(|scope| {
        let workers: Vec<_> = (0..processors).map(|_| scope.spawn(work)).collect();
        let played = workers.into_iter().map(thread::ScopedJoinHandle::join);
        played
            .flat_map(|played| played.expect("a run ends"))
            .collect()
    });
    played.sort_by_key(|(run, _)| *run);
    played.into_iter().map(|(_, played)| played).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_run_is_played_once_and_all_are_in_order() {
        for processors in [1, 2, 7] {
            let heard = AtomicU32::new(0);
            let on_run = || {
                heard.fetch_add(1, Ordering::Relaxed);
                ControlFlow::Continue(())
            };

            let played = on_processors(processors, 1_000, &on_run, |run| run);

            assert_eq!(played, (0..1_000).collect::<Vec<_>>());
            assert_eq!(heard.into_inner(), 1_000);
        }
    }

    #[test]
    fn whoever_hears_of_the_runs_can_end_them() {
        let begun = AtomicU32::new(0);

        let played = each(u32::MAX, &|| ControlFlow::Break(()), |_| {
            begun.fetch_add(1, Ordering::Relaxed)
        });

        assert_eq!(played.len(), begun.into_inner() as usize);
        assert!(played.len() < 10_000);
    }
}
