//! A storm at several loads, with many seeds, on all processors.

use std::{
    collections::BTreeSet,
    ops::ControlFlow,
    sync::atomic::{AtomicBool, Ordering},
};

use wire::GENERATOR;

use super::{parallel, refused, simulate_one};
use crate::{
    Cut, Loads, Plan, Settings, StormError, StormPolicy,
    results::{
        STORM_VERSION,
        loads::{LoadCell, LoadRow, LoadTable},
        tally::WordCounts,
        word::NoWord,
    },
};

/// Simulates a storm at each of these loads, with the seed of the plan and those that follow it,
/// and counts the words of each policy. `on_run` is called after each run, from any thread. All
/// end as soon as `is_over` is set; the table then has the words so far.
///
/// # Errors
///
/// [`StormError`] if the plan cannot be simulated, or if there are too many runs.
pub fn simulate_loads(
    plan: &Plan,
    loads: &Loads,
    seeds: u32,
    is_over: &AtomicBool,
    on_run: &(dyn Fn() + Sync),
) -> Result<LoadTable, StormError> {
    let runs = plan.check_loads(loads, seeds)?;
    plan.check()?;
    let progress = |_: &[_]| {
        if is_over.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let cell_plan = |policy: &StormPolicy, load: f64| Plan {
        settings: Settings {
            calls_per_second: load,
            ..plan.settings
        },
        policies: vec![policy.clone()],
        ..plan.clone()
    };
    let of_a_row = |policy| loads.0.iter().map(move |load| cell_plan(policy, *load));
    let plans: Vec<_> = plan.policies.iter().flat_map(of_a_row).collect();

    // All cells of one seed come before those of the next seed, so that a table that ends early
    // has about as many seeds in each cell.
    let simulated = parallel::each(runs, is_over, |run| {
        let (cell, seed) = (run as usize % plans.len(), run as usize / plans.len());
        let seed = plan.seed.wrapping_add(seed as u64);
        let Plan {
            settings, policies, ..
        } = plans.get(cell)?;
        let policy = policies.first()?;
        let run = simulate_one(settings, seed, policy, progress);
        on_run();
        Some(match run {
            Ok(run) => Ok((cell, run.cut, run.word, NoWord::of(settings, &run.figures))),
            Err(error) => Err(refused(policy, error)),
        })
    });

    let cells = plans.iter().map(|plan| LoadCell {
        calls_per_second: plan.settings.calls_per_second,
        words: WordCounts::default(),
        cut_short: 0,
        command: format!("{} --seeds {seeds}", plan.command()),
    });
    let mut cells: Vec<_> = cells.collect();
    let mut reasons = BTreeSet::new();
    for run in simulated.into_iter().flatten() {
        let (cell, cut, word, reason) = run?;
        let Some(cell) = cells.get_mut(cell) else {
            continue;
        };
        match cut {
            None => {
                cell.words.count(word);
                reasons.extend(reason);
            }
            Some(Cut::Requests | Cut::InFlight) => cell.cut_short += 1,
            Some(Cut::Cancelled) => {}
        }
    }
    let rows = plan.policies.iter().zip(cells.chunks(loads.0.len()));
    let rows = rows.map(|(policy, cells)| LoadRow {
        policy: policy.clone(),
        cells: cells.to_vec(),
    });
    Ok(LoadTable {
        schema_version: STORM_VERSION,
        story: plan.story,
        settings: plan.settings,
        generator: GENERATOR,
        seed: plan.seed,
        seeds,
        policies: rows.collect(),
        no_word: reasons,
    })
}

#[cfg(test)]
mod tests {
    use std::{sync::atomic::AtomicU32, time::Duration};

    use super::*;
    use crate::{STORIES, simulate_seeds};

    /// The first and the third policy of the first story, which end differently.
    fn plan() -> Plan {
        let mut plan = Plan::of(&STORIES[0]);
        plan.settings.length = Duration::from_secs(40);
        plan.policies.remove(1);
        plan.policies.truncate(2);
        plan
    }

    #[test]
    fn a_cell_has_the_words_of_its_storm_and_its_command() {
        let (plan, loads) = (plan(), "40,65".parse().expect("loads"));
        let runs = AtomicU32::new(0);
        let on_run = || {
            runs.fetch_add(1, Ordering::Relaxed);
        };

        let table = simulate_loads(&plan, &loads, 1, &AtomicBool::new(false), &on_run);

        let table = table.expect("it can be simulated");
        assert_eq!((table.runs(), runs.into_inner()), ((4, 4), 4));
        for (policy, row) in plan.policies.iter().zip(&table.policies) {
            for (load, cell) in loads.0.iter().zip(&row.cells) {
                let mut alone = plan.clone();
                alone.policies = vec![policy.clone()];
                alone.settings.calls_per_second = *load;
                let is_over = AtomicBool::new(false);
                let (_, tally) = simulate_seeds(&alone, 1, &is_over, &|| {}).expect("a storm");
                assert_eq!(cell.words, tally.policies[0].words);
                assert_eq!(cell.command, format!("{} --seeds 1", alone.command()));
                assert_eq!(cell.calls_per_second, *load);
            }
        }
        let texts = table.policies.iter().flat_map(|row| &row.cells);
        let texts: Vec<_> = texts.map(LoadCell::text).collect();
        // At 40 calls/s the last quarter has 250 calls.
        assert_eq!(texts[..2], ["no word 1", "ok 1"]);
        assert_eq!(table.no_word, BTreeSet::from([NoWord::FewCalls]));
        assert_eq!(texts[3], "DOWN 1");
    }

    #[test]
    fn a_table_that_ends_early_has_the_words_so_far() {
        let loads = "40,60".parse().expect("loads");
        let is_over = AtomicBool::new(false);
        let on_run = || is_over.store(true, Ordering::Relaxed);

        let table = simulate_loads(&plan(), &loads, 50, &is_over, &on_run);

        let table = table.expect("it can be simulated");
        let (simulated, all) = table.runs();
        assert!((1..100).contains(&simulated), "{simulated}");
        assert_eq!(all, 200);
        let error = simulate_loads(&plan(), &loads, 51, &is_over, &|| {});
        assert!(matches!(error, Err(StormError::TooManyRuns(_))));
    }
}
