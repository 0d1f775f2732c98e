//! Refuses settings that would have no effect on the runs that they are given for.

use evidence::{Overrides, Setting};

use crate::{clients::ClientUnderTest, scenario::Scenario};

/// A setting that would have no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("has no effect on {kind} {name}: {why}")]
pub struct UnusedSetting {
    /// The setting.
    pub setting: Setting,
    /// What ignores it: the scenario or the client.
    pub kind: &'static str,
    /// The name of the scenario or client.
    pub name: &'static str,
    /// Why it has no effect.
    pub why: &'static str,
}

/// Checks that each of these settings has an effect on at least one run of a scenario
/// by a client.
///
/// # Errors
///
/// [`UnusedSetting`] with the first setting that has none.
pub fn check_overrides(
    overrides: &Overrides,
    scenarios: &[&Scenario],
    clients: &[&dyn ClientUnderTest],
) -> Result<(), UnusedSetting> {
    let runs = || {
        scenarios
            .iter()
            .flat_map(|it| clients.iter().map(move |client| (it, client)))
    };
    overrides.settings().try_for_each(|setting| {
        let mut ignored = None;
        for (scenario, client) in runs() {
            match unused(setting, scenario, *client) {
                Some(unused) => ignored = ignored.or(Some(unused)),
                None => return Ok(()),
            }
        }
        ignored.map_or(Ok(()), Err)
    })
}

fn unused(
    setting: Setting,
    scenario: &Scenario,
    client: &dyn ClientUnderTest,
) -> Option<UnusedSetting> {
    let of_client = client.ignores(setting).map(|why| UnusedSetting {
        setting,
        kind: "client",
        name: client.identity().name,
        why,
    });
    of_client.or_else(|| {
        let why = scenario.task.ignores(setting)?;
        let (kind, name) = ("scenario", scenario.name());
        Some(UnusedSetting {
            setting,
            kind,
            name,
            why,
        })
    })
}
