//! Refuses settings that would have no effect on the runs that they are given for.

use crate::{Overrides, Setting, catalogue::Scenario, clients::ClientUnderTest};

/// A setting that would have no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("has no effect on {kind} {name}: {why}")]
pub struct UnusedSetting {
    /// The setting.
    pub setting: Setting,
    /// The part that ignores it: the scenario or the client.
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
            .flat_map(|scenario| clients.iter().map(move |client| (scenario, client)))
    };
    overrides.settings().try_for_each(|setting| {
        let unused = runs().map(|(scenario, client)| unused(setting, scenario, *client));
        let unused: Option<Vec<_>> = unused.collect();
        unused.into_iter().flatten().next().map_or(Ok(()), Err)
    })
}

fn unused(
    setting: Setting,
    scenario: &Scenario,
    client: &dyn ClientUnderTest,
) -> Option<UnusedSetting> {
    let of_scenario = || Some(("scenario", scenario.name(), scenario.task.ignores(setting)?));
    let of_client = client.ignores(setting);
    let of_client = of_client.map(|why| ("client", client.identity().name, why));
    let (kind, name, why) = of_client.or_else(of_scenario)?;
    Some(UnusedSetting {
        setting,
        kind,
        name,
        why,
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{CLIENTS, Exposition, Session, Settings, WITHOUT, catalogue::CATALOGUE};

    /// One setting each.
    const SETTINGS: [fn(&mut Overrides, u32); 5] = [
        |it, number| it.max_attempts = Some(number),
        |it, number| it.backoff = Some(Duration::from_millis(number.into())),
        |it, number| it.max_retry_after = Some(Duration::from_secs(number.into())),
        |it, number| it.max_pages = Some(number),
        |it, number| it.max_items = Some(number),
    ];

    #[test]
    fn a_setting_is_accepted_only_if_it_changes_what_a_run_is_allowed() {
        let without = WITHOUT
            .iter()
            .map(|without| *without as &dyn ClientUnderTest);
        let clients: Vec<_> = CLIENTS.iter().copied().chain(without).collect();
        for scenario in CATALOGUE {
            for (&client, setting) in clients
                .iter()
                .flat_map(|client| SETTINGS.map(|set| (client, set)))
            {
                let terms = |number| {
                    let mut settings = Settings::in_virtual_time(client, 7);
                    setting(&mut settings.overrides, number);
                    check_overrides(&settings.overrides, &[scenario], &[client])?;
                    Ok::<_, UnusedSetting>(
                        Session::new(scenario, &settings, &Exposition::new()).terms(),
                    )
                };

                let case = format!("{} {client:?}", scenario.name());
                match [700, 800].map(terms) {
                    [Ok(seven), Ok(eight)] => assert_ne!(seven, eight, "{case}"),
                    [Err(unused), Err(_)] => {
                        let names = [scenario.name(), client.identity().name];
                        assert!(names.contains(&unused.name), "{case}: {unused}");
                    }
                    mixed => panic!("{case}: {mixed:?}"),
                }
            }
        }
    }
}
