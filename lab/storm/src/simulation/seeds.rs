//! A storm with many seeds, on all processors.

use std::{
    ops::ControlFlow,
    sync::atomic::{AtomicBool, Ordering},
};

use super::{parallel, simulate};
use crate::{Plan, Storm, StormError, results::tally::Tally};

/// Simulates a storm with the seed of the plan and those that follow it, and counts their
/// words. `on_seed` is called after each seed, from any thread. All end as soon as `is_over` is
/// set.
///
/// Returns the storm of the first seed and the counts of all.
///
/// # Errors
///
/// [`StormError`] if the plan cannot be simulated.
pub fn simulate_seeds(
    plan: &Plan,
    seeds: u32,
    is_over: &AtomicBool,
    on_seed: &(dyn Fn() + Sync),
) -> Result<(Storm, Tally), StormError> {
    let mut storms = each_seed(plan, seeds.max(1), is_over, |mut storm| {
        on_seed();
        if storm.seed != plan.seed {
            // A thousand seeds would fill the memory with counts that nobody reads.
            storm
                .policies
                .iter_mut()
                .for_each(|run| run.steps = Vec::new());
        }
        storm
    })?;
    #[expect(clippy::expect_used, reason = "no worker ends before its first run")]
    let tally = Tally::of(&storms).expect("the first of all is always simulated");
    Ok((storms.swap_remove(0), tally))
}

/// Simulates a plan with its seed and those that follow it: a result of each storm, in
/// the order of the seeds.
pub(crate) fn each_seed<T: Send>(
    plan: &Plan,
    seeds: u32,
    is_over: &AtomicBool,
    result: impl Fn(Storm) -> T + Sync,
) -> Result<Vec<T>, StormError> {
    let simulated = parallel::each(seeds, is_over, |number| {
        let plan = plan.with_seed(plan.seed.wrapping_add(number.into()));
        let storm = simulate(&plan, |_| {
            if is_over.load(Ordering::Relaxed) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        storm.map(&result)
    });
    simulated.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use std::{sync::atomic::AtomicU32, time::Duration};

    use super::*;
    use crate::STORIES;

    #[test]
    fn many_seeds_give_the_same_words_as_each_seed_alone() {
        // Under the second policy no call succeeds, so there is no word, and no longer storm.
        let mut plan = Plan::of(&STORIES[0]);
        plan.settings.length = Duration::from_secs(40);
        plan.policies.truncate(2);
        plan.policies[1].setup.deadline = Duration::from_millis(1);
        let events = AtomicU32::new(0);
        let on_seed = || {
            events.fetch_add(1, Ordering::Relaxed);
        };

        let simulated = simulate_seeds(&plan, 2, &AtomicBool::new(false), &on_seed);
        let cancelled = simulate_seeds(&plan, 2, &AtomicBool::new(true), &|| {});

        let (storm, tally) = simulated.expect("it can be simulated");
        let of_seed = |seed| {
            let storm = simulate(&plan.with_seed(seed), |_| ControlFlow::Continue(()));
            storm.expect("it can be simulated")
        };
        let alone: Vec<_> = (1..=2).map(of_seed).collect();
        assert_eq!(storm, alone[0]);
        assert_eq!(Some(&tally), Tally::of(&alone).as_ref());
        let counts = tally
            .policies
            .iter()
            .map(|of| (of.words.ok, of.words.no_word));
        assert_eq!(counts.collect::<Vec<_>>(), [(2, 0), (0, 2)]);
        assert_eq!((tally.seeds, events.into_inner()), (2, 2));
        let (_, tally) = cancelled.expect("it can be simulated");
        assert_eq!(tally.seeds, 0);
    }
}
