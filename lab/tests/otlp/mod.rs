//! The export of a run, as a receiver sees it, which decodes what arrives. Two tests run the real
//! binary.

mod content;
mod delivery;
mod opentelemetry;
mod receiver;

use std::time::SystemTime;

use lab::otlp::{self, Endpoint};
use scenario::{Overrides, Reliable, ScenarioRun, Settings, catalogue};

use receiver::Receiver;

/// Runs a scenario in virtual time.
async fn run(name: &str, overrides: Overrides) -> ScenarioRun {
    let settings = Settings {
        overrides,
        ..Settings::in_virtual_time(&Reliable, 7)
    };
    let scenario = catalogue::find(name).expect("known");
    scenario::run(scenario, &settings).await.expect("a run")
}

/// Exports a run to a receiver, and returns the warning if not all of it arrived.
async fn export(run: &ScenarioRun, base: &str) -> Result<(), String> {
    let endpoint = Endpoint::choose(Some(base), |_| None).expect("valid");
    let endpoint = endpoint.expect("chosen");
    let sent = otlp::export(&run.trace, &endpoint, SystemTime::now()).await;
    sent.map_err(|error| error.to_string())
}

/// Exports a run of `flaky` to a receiver.
async fn export_flaky(receiver: &Receiver) -> Result<(), String> {
    export(&run("flaky", Overrides::default()).await, &receiver.base).await
}
