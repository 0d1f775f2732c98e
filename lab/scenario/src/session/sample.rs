//! Several runs of two clients, for the rules that one run cannot show.

use futures_util::future::{try_join, try_join_all};
use wire::WireRecord;

use super::{RunError, Settings, run};
use crate::{Pace, catalogue::Scenario, clients::ClientUnderTest, compare::Sample};
/// Runs a scenario several times with each client, with successive seeds from the given
/// one, in virtual time: the rules judge waits as they were decided. `None` for a scenario
/// in which the wire record cannot tell a new call from a retry.
///
/// # Errors
///
/// As for [`run()`].
pub async fn sample(
    scenario: &Scenario,
    settings: &Settings,
    clients: [&'static dyn ClientUnderTest; 2],
) -> Result<Option<Sample>, RunError> {
    if !scenario.task.is_one_call() {
        return Ok(None);
    }
    let [one, other] = clients.map(|client| runs(scenario, settings, client));
    let (one, other) = try_join(one, other).await?;
    Ok(Some(Sample([one, other])))
}

async fn runs(
    scenario: &Scenario,
    settings: &Settings,
    client: &'static dyn ClientUnderTest,
) -> Result<Vec<WireRecord>, RunError> {
    let runs = (0..Sample::RUNS.get()).map(async |further| {
        let settings = Settings {
            seed: settings.seed.wrapping_add(further),
            client,
            pace: Pace::Virtual,
            ..*settings
        };
        run(scenario, &settings).await.map(|run| run.wire)
    });
    try_join_all(runs).await
}
