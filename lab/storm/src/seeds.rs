//! A storm with many seeds, on all processors.

use std::{
    ops::ControlFlow,
    sync::atomic::{AtomicBool, Ordering},
};

use super::{Plan, StormError, parallel, simulate};
use crate::{Storm, Tally};

/// Simulates a storm with the seed of the plan and those that follow it, and counts their
/// results. `on_seed` is called after each seed, from any thread. All end as soon as
/// `is_over` is set; then only the finished seeds count.
///
/// Returns the storm of the first seed and the counts of all. The results do not depend on
/// the number of processors, because they are counted in the order of the seeds.
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
    let simulated = each_seed(plan, seeds.max(1), is_over, on_seed, |storm| {
        let tally = Tally::of(&storm);
        (tally, (storm.seed == plan.seed).then_some(storm))
    })?;
    let (tallies, storms): (Vec<_>, Vec<_>) = simulated.into_iter().unzip();
    let tally = tallies.into_iter().reduce(|mut sum, more| {
        sum.add(more);
        sum
    });
    let first = storms.into_iter().next().flatten().zip(tally);
    #[expect(clippy::expect_used, reason = "no worker ends before its first run")]
    Ok(first.expect("the first of all is always simulated"))
}

/// Simulates a plan with its seed and those that follow it: a result of each storm, in
/// the order of the seeds.
pub(super) fn each_seed<T: Send>(
    plan: &Plan,
    seeds: u32,
    is_over: &AtomicBool,
    on_seed: &(dyn Fn() + Sync),
    result: impl Fn(Storm) -> T + Sync,
) -> Result<Vec<T>, StormError> {
    let simulated = parallel::each(seeds, is_over, on_seed, |number| {
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
    use crate::{STORIES, Settings};

    /// The first story in eight seconds.
    fn short() -> Plan {
        let mut plan = Plan::of(&STORIES[0]);
        plan.settings = Settings {
            incident_starts: Duration::from_secs(2),
            incident_lasts: Duration::from_secs(2),
            length: Duration::from_secs(8),
            ..plan.settings
        };
        plan.policies.truncate(2);
        plan
    }

    #[test]
    fn many_seeds_give_the_same_results_as_each_seed_alone() {
        let events = AtomicU32::new(0);
        let on_seed = || {
            events.fetch_add(1, Ordering::Relaxed);
        };

        let simulated = simulate_seeds(&short(), 4, &AtomicBool::new(false), &on_seed);

        let (storm, tally) = simulated.expect("it can be simulated");
        let of_seed = |seed| {
            let storm = simulate(&short().with_seed(seed), |_| ControlFlow::Continue(()));
            storm.expect("it can be simulated")
        };
        assert_eq!(storm, of_seed(1));
        assert_eq!(tally.seeds, [1, 2, 3, 4]);
        let mut expected = Tally::of(&of_seed(1));
        (2..=4).for_each(|seed| expected.add(Tally::of(&of_seed(seed))));
        assert_eq!(tally, expected);
        assert_eq!(events.into_inner(), 4);
    }
}
