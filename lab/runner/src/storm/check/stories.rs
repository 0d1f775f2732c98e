//! Checks that every seed of a story shows what its answer says.

use std::ops::ControlFlow;

use evidence::storm::{Tally, check::Figure};

use super::super::{Plan, StormError, Story, parallel, simulate};

/// The seeds of each story.
pub(super) const SEEDS: u32 = 200;

/// The results of the seeds of a story.
pub(super) struct Told {
    pub(super) figure: Figure,
    /// Requests that the clients sent.
    pub(super) requests: u64,
    /// Attempts and retries that they have counted too many or too few.
    pub(super) miscounted: u64,
}

/// Simulates a story with this many seeds. `None` if `on_run` ended it early.
pub(super) fn tell(
    story: &'static Story,
    seeds: u32,
    seed: u64,
    on_run: &(dyn Fn() -> ControlFlow<()> + Sync),
) -> Result<Option<Told>, StormError> {
    let plan = Plan::of(story);
    let simulated = parallel::each(seeds, on_run, |number| {
        let plan = plan.with_seed(seed.wrapping_add(number.into()));
        let storm = simulate(&plan, |_| ControlFlow::Continue(()))?;
        let totals = storm.policies.iter().map(|run| run.totals);
        let miscounted = totals.map(|it| {
            let retries = it.retries + it.retries_not_sent;
            it.counted_attempts.abs_diff(it.settled) + it.counted_retries.abs_diff(retries)
        });
        Ok((Tally::of(&storm), miscounted.sum::<u64>()))
    });
    let simulated = simulated
        .into_iter()
        .collect::<Result<Vec<_>, StormError>>()?;
    if simulated.len() < seeds as usize {
        return Ok(None);
    }
    let shown = simulated
        .iter()
        .filter_map(|(tally, _)| tally.show_the_answer);
    let ends = simulated.iter().flat_map(|(tally, _)| &tally.policies);
    let ends = ends.flat_map(|policy| &policy.ends);
    Ok(Some(Told {
        figure: Figure::of_numbers(
            format!("{}, {seeds} seeds", story.words.name),
            "seeds that show what the answer says",
            shown.sum::<u32>().into(),
            seeds.into(),
            0.0,
        ),
        requests: ends.map(|end| end.requests).sum(),
        miscounted: simulated.iter().map(|(_, miscounted)| miscounted).sum(),
    }))
}

#[cfg(test)]
mod tests {
    use super::{super::super::STORIES, *};

    #[test]
    fn every_seed_of_a_story_shows_its_answer() {
        let outage = &STORIES[1];

        let told = tell(outage, 2, 1, &|| ControlFlow::Continue(()));

        let told = told.expect("it can be simulated").expect("to its end");
        assert!(told.figure.held, "{:?}", told.figure);
        assert!(told.requests > 0);
        assert_eq!(told.miscounted, 0);
        let ended = tell(outage, 2_000, 1, &|| ControlFlow::Break(()));
        assert!(ended.expect("it can be simulated").is_none());
    }
}
