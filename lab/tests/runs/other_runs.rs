//! Every scenario, run by each client that is compared with the reliable one: once for all tests.

use std::sync::LazyLock;

use scenario::{
    ClientUnderTest, Naive, Overrides, RELIABLE, ScenarioRun, Settings, WITHOUT, Without,
    catalogue::Scenario, run,
};

use crate::runs::{of_the_catalogue, pairwise_runs::PairwiseRun, settings};

/// A run with another client than the reliable one.
pub(crate) struct OtherRun {
    pub(crate) scenario: &'static Scenario,
    pub(crate) run: ScenarioRun,
}

impl OtherRun {
    /// The run of a scenario by the client without a defence.
    pub(crate) fn of(without: &'static Without, name: &str) -> &'static Self {
        let found = OTHER_RUNS.iter().find(|other_run| {
            other_run.scenario.name() == name && other_run.run.client == without.identity()
        });
        found.expect("it was run")
    }

    /// The run of the reliable client with which it is compared.
    pub(crate) fn reliable(&self) -> &'static ScenarioRun {
        let run = &PairwiseRun::of(self.scenario.name(), RELIABLE).run;
        assert!(run.passed(), "{}", self.scenario.name());
        run
    }
}

/// All runs, in the order of the course.
pub(crate) static OTHER_RUNS: LazyLock<Vec<OtherRun>> = LazyLock::new(|| of_the_catalogue(run_all));

#[tokio::main(flavor = "current_thread")]
async fn run_all(scenarios: &'static [Scenario]) -> Vec<OtherRun> {
    let mut all = Vec::new();
    for scenario in scenarios {
        let without = WITHOUT
            .iter()
            .map(|without| *without as &dyn ClientUnderTest);
        for client in [&Naive as &dyn ClientUnderTest].into_iter().chain(without) {
            let settings = Settings {
                client,
                ..settings(RELIABLE, Overrides::default())
            };
            let run = run(scenario, &settings).await.expect("a run");
            all.push(OtherRun { scenario, run });
        }
    }
    all
}
