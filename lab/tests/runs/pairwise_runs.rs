//! Every scenario, run by both clients under settings in which every pair of values
//! occurs: once for all tests.

use std::{collections::HashSet, sync::LazyLock};

use scenario::{Client, NAIVE, Overrides, RELIABLE, ScenarioRun, catalogue::Scenario, run};

use crate::runs::{of_the_catalogue, settings};

/// One run, and its settings.
pub(crate) struct PairwiseRun {
    pub(crate) scenario: &'static Scenario,
    pub(crate) overrides: Overrides,
    pub(crate) run: ScenarioRun,
}

impl PairwiseRun {
    /// The run of a scenario with its default settings.
    pub(crate) fn of(name: &str, client: Client) -> &'static Self {
        let found = PAIRWISE_RUNS.iter().find(|tried| {
            tried.scenario.name() == name
                && tried.run.client == client
                && tried.overrides == Overrides::default()
        });
        found.expect("it was run")
    }
}

/// All runs, in the order of the course.
pub(crate) static PAIRWISE_RUNS: LazyLock<Vec<PairwiseRun>> =
    LazyLock::new(|| of_the_catalogue(run_all));

/// Runs scenarios under all settings; the naive client has none.
#[tokio::main(flavor = "current_thread")]
async fn run_all(scenarios: &'static [Scenario]) -> Vec<PairwiseRun> {
    let mut all = Vec::new();
    for scenario in scenarios {
        let reliable = pairwise().map(|overrides| (RELIABLE, overrides));
        for (client, overrides) in reliable.chain([(NAIVE, Overrides::default())]) {
            let run = run(scenario, &settings(client, overrides)).await;
            all.push(PairwiseRun {
                scenario,
                overrides,
                run: run.expect("a run"),
            });
        }
    }
    all
}

/// Sixteen rows of five settings with four values each, in which every two
/// values of two settings meet: an orthogonal array over the field of four.
fn pairwise() -> impl Iterator<Item = Overrides> {
    const ATTEMPTS: [Option<u32>; 4] = [None, Some(1), Some(2), Some(20)];
    const WAITS: [Option<u64>; 4] = [None, Some(0), Some(119), Some(120)];
    const BACKOFFS: [Option<u64>; 4] = [None, Some(100), Some(1_000), Some(5_000)];
    const PAGES: [Option<u32>; 4] = [None, Some(1), Some(2), Some(4)];
    const ITEMS: [Option<u32>; 4] = [None, Some(1), Some(3), Some(10)];
    /// Twice each element.
    const TWICE: [usize; 4] = [0, 2, 3, 1];
    /// Three times each element.
    const THRICE: [usize; 4] = [0, 3, 1, 2];
    let rows = (0..4).flat_map(|one| (0..4).map(move |other| (one, other)));
    rows.map(|(one, other)| Overrides {
        max_attempts: ATTEMPTS[one],
        backoff_ms: BACKOFFS[one ^ THRICE[other]],
        max_retry_after_seconds: WAITS[other],
        max_pages: PAGES[one ^ other],
        max_items: ITEMS[one ^ TWICE[other]],
    })
}

#[test]
fn every_two_values_of_two_settings_are_run_together() {
    let settings = pairwise().map(|overrides| {
        let numbers = [
            overrides.max_attempts,
            overrides.max_pages,
            overrides.max_items,
        ];
        let [attempts, pages, items] = numbers.map(|number| number.map(u64::from));
        [
            attempts,
            overrides.backoff_ms,
            overrides.max_retry_after_seconds,
            pages,
            items,
        ]
    });
    let settings: Vec<_> = settings.collect();

    let pairs = (0..5).flat_map(|one| (0..one).map(move |other| (other, one)));
    for (one, other) in pairs {
        let pairs: HashSet<_> = settings.iter().map(|row| (row[one], row[other])).collect();
        assert_eq!(pairs.len(), 16, "settings {one} and {other}");
    }
}
