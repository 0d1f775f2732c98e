//! Runs one scenario once and returns the run as a value.
//!
//! It starts a fresh service on a free port, builds a client, performs the task, stops
//! everything, and collects the records of both sides. Nothing here prints; renderers
//! read a [`ScenarioRun`].

mod shared_time;

use std::{
    fmt,
    future::{Future, pending},
    io,
    sync::Arc,
    time::{Duration, SystemTime},
};

use client::{Clock, SystemClock, VirtualClock, telemetry::Injector};
use host::{HostFailure, ServiceConfig, StartError, StopError};
use tokio::time::sleep;
use tracing::{Dispatch, Instrument, instrument::WithSubscriber};
use tracing_subscriber::{
    Layer, Registry,
    layer::{Identity, SubscriberExt},
};
use wire::{GENERATOR, duration};

use crate::{
    Client, Ending, Evidence, Expectation, Outcome, Overrides, Pace, SCHEMA_VERSION,
    ScenarioPolicy, ScenarioRun,
    catalogue::Scenario,
    clients::{ClientUnderTest, Connection, RELIABLE, ScenarioClient, perform},
    judge,
    network::{RequestLimit, RunningNetwork, VirtualTimeouts},
    overrides::MOST,
    recorder::{Recorder, inject},
    telemetry::{Exposition, RunMetrics},
    trace::{Trace, field},
};

pub use shared_time::SharedTime;

/// The settings of a run.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The seed of jitter, keys, cursors and ids. The same seed repeats the run.
    pub seed: u64,
    /// Which client runs: one of [`CLIENTS`](crate::CLIENTS), or one of your own.
    pub client: &'static dyn ClientUnderTest,
    /// Whether the waits are real.
    pub pace: Pace,
    /// Settings that replace those of the scenario.
    pub overrides: Overrides,
}

impl Settings {
    /// A run in virtual time under the limits of the scenario.
    #[must_use]
    pub fn in_virtual_time(client: &'static dyn ClientUnderTest, seed: u64) -> Self {
        Self {
            seed,
            client,
            pace: Pace::Virtual,
            overrides: Overrides::default(),
        }
    }

    /// A random seed. It is short enough to type, and below 2^53, above which JavaScript
    /// rounds whole numbers.
    #[must_use]
    pub fn random_seed() -> u64 {
        rand::random::<u32>().into()
    }
}

/// Where the calendar of a virtual run starts, so that its dates repeat:
/// 2025-01-01 00:00:00 UTC.
const VIRTUAL_EPOCH: Duration = Duration::from_secs(1_735_689_600);

/// The limits of every run, whatever its settings.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    /// The most requests that it sends.
    requests: u64,
    /// The longest that it takes, on the clock of the machine.
    time: Duration,
}

impl Bounds {
    /// As many requests as a reader may ask for pages, and several times the longest waits
    /// of any scenario.
    const DEFAULT: Self = Self {
        requests: MOST,
        time: Duration::from_secs(3600),
    };
}

/// Why a scenario could not be run. It says nothing about the client.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The settings break a rule of the client.
    #[error(transparent)]
    Settings(#[from] client::ConfigError),
    /// The service did not start.
    #[error("the service could not be started")]
    Start(#[from] StartError),
    /// The service did not stop cleanly.
    #[error("the service could not be stopped")]
    Stop(#[from] StopError),
    /// The process failed while the run went on.
    #[error(transparent)]
    Failed(#[from] HostFailure),
    /// The network between client and service could not be set up.
    #[error("no port for the faults of the network")]
    Network(#[source] io::Error),
}

/// Runs a scenario.
///
/// # Errors
///
/// [`RunError`] if it could not be run at all. An expectation that fails is not an
/// error: the [`ScenarioRun`] records it.
pub async fn run(scenario: &Scenario, settings: &Settings) -> Result<ScenarioRun, RunError> {
    run_until(pending(), Identity::new(), scenario, settings).await
}

/// Runs a scenario until it ends or is `cancelled`, with one more layer, which sees the
/// same spans as the recorder: for logs, for example.
///
/// A cancelled run stops like any other. It has the ending [`Ending::Cancelled`], the
/// records until then, and no verdict.
///
/// # Errors
///
/// As for [`run()`].
pub async fn run_until<L>(
    cancelled: impl Future<Output = ()>,
    layer: L,
    scenario: &Scenario,
    settings: &Settings,
) -> Result<ScenarioRun, RunError>
where
    L: Layer<Registry> + Send + Sync,
{
    let session = Session::new(scenario, settings, &Exposition::new());
    session.run_until(cancelled, layer).await
}

/// Everything that one run needs.
///
/// To watch the run, take the [`recorder`](Self::recorder) before it starts.
pub struct Session<'a> {
    scenario: &'a Scenario,
    settings: Settings,
    policy: ScenarioPolicy,
    clock: Arc<dyn Clock>,
    time: SharedTime,
    virtual_clock: Option<VirtualClock>,
    recorder: Recorder,
    metrics: RunMetrics,
    bounds: Bounds,
}

impl fmt::Debug for Session<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("scenario", &self.scenario)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

impl<'a> Session<'a> {
    /// Sets a run up. Nothing starts yet. What it counts also counts towards
    /// `exposition`.
    pub fn new(scenario: &'a Scenario, settings: &Settings, exposition: &Exposition) -> Self {
        let virtual_clock = (settings.pace == Pace::Virtual)
            .then(|| VirtualClock::starting_at(SystemTime::UNIX_EPOCH + VIRTUAL_EPOCH));
        let clock: Arc<dyn Clock> = match &virtual_clock {
            Some(clock) => Arc::new(clock.clone()),
            None => Arc::new(SystemClock::new()),
        };
        let time = SharedTime::new(Arc::clone(&clock));
        let recorder = {
            // With one seed, two scenarios or two clients are two traces all the
            // same, wherever they are sent together.
            let names = [scenario.words.name, settings.client.identity().name];
            let ids = names.concat().bytes().fold(settings.seed, |ids, byte| {
                ids.rotate_left(8) ^ u64::from(byte)
            });
            let time = time.clone();
            Recorder::new(Arc::new(move || time.elapsed()), ids, Recorder::SPANS)
        };
        Self {
            scenario,
            settings: *settings,
            policy: scenario.policy_with(&settings.overrides),
            clock,
            time,
            virtual_clock,
            recorder,
            metrics: RunMetrics::new(exposition, settings.client.identity(), settings.pace),
            bounds: Bounds::DEFAULT,
        }
    }

    /// Which client runs.
    pub fn client(&self) -> Client {
        self.settings.client.identity()
    }

    /// The limits of the reference client.
    pub fn policy(&self) -> ScenarioPolicy {
        self.policy
    }

    /// How the client works and its limits, term by term.
    #[must_use]
    pub fn terms(&self) -> Vec<String> {
        let request = self.scenario.words.request.to_owned();
        let client = self.settings.client;
        let terms = client.terms(&self.policy, self.scenario.task);
        [request].into_iter().chain(terms).collect()
    }

    /// The recorder of the run.
    pub fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// Runs until the run ends or is `cancelled`, with one more layer.
    pub async fn run_until<L>(
        self,
        cancelled: impl Future<Output = ()>,
        layer: L,
    ) -> Result<ScenarioRun, RunError>
    where
        L: Layer<Registry> + Send + Sync,
    {
        let subscriber = Registry::default().with(layer).with(self.recorder.clone());
        self.perform(cancelled)
            .with_subscriber(Dispatch::new(subscriber))
            .await
    }

    async fn perform(self, cancelled: impl Future<Output = ()>) -> Result<ScenarioRun, RunError> {
        let added = self.scenario.added(Arc::clone(&self.clock));
        let failures = host::FailureWatch::start();
        let network = self.scenario.network;
        let network =
            RunningNetwork::start(network, self.settings.pace, self.service(), added).await?;
        let limit = RequestLimit::new(self.bounds.requests);
        let client = self.connect(&network, &limit)?;

        self.time.begin();
        let name = self.scenario.words.name;
        let span = tracing::info_span!(
            target: "lab", "run", otel.name = name, otel.kind = "internal", lab.scenario = name
        );
        let outcome = tokio::select! {
            biased;
            outcome = perform(&*client, self.scenario.task).instrument(span) => outcome,
            () = cancelled => Outcome::cancelled(limit.sent()),
            () = limit.exceeded() => Outcome::stopped_by_the_lab(format!(
                "stopped by the lab after {} requests, the most that a run may send",
                limit.sent()
            )),
            () = sleep(self.bounds.time) => Outcome::stopped_by_the_lab(format!(
                "stopped by the lab after {}, the longest that a run may take",
                duration(self.bounds.time)
            )),
        };
        drop(client);

        let mut wire = network.take_down().await?;
        failures.check()?;
        let mut trace = self.recorder.snapshot();
        if self.settings.pace == Pace::Virtual {
            forget_port(&mut trace);
            // The machine decides which side hangs up first when a run ends.
            for connection in &mut wire.connections {
                connection.closed = None;
            }
        }
        let expectations = self.expectations();
        let terms = self.terms();
        let counters = self.metrics.counters();
        let evidence = Evidence {
            outcome: &outcome,
            wire: &wire,
            counters: &counters,
            is_one_call: self.scenario.task.is_one_call(),
        };
        let verdict = match outcome.ending {
            Ending::Cancelled => Vec::new(),
            _ => judge(expectations, evidence),
        };
        let client = self.settings.client.identity();
        let as_expected = client != RELIABLE || verdict.iter().all(|check| check.held);
        let typical = outcome.ending != Ending::Cancelled && as_expected;
        let lesson = self.scenario.lesson(&self.policy, client, typical);
        let mut run = ScenarioRun {
            schema_version: SCHEMA_VERSION,
            scenario: name,
            client,
            seed: self.settings.seed,
            generator: GENERATOR,
            pace: self.settings.pace,
            policy: self.policy,
            terms,
            outcome,
            trace,
            wire,
            counters,
            verdict,
            answer: None,
            lesson,
        };
        run.answer = self.scenario.words.question.answer(&run);
        Ok(run)
    }

    fn expectations(&self) -> Vec<Expectation> {
        let unseen = (self.scenario.unseen)(&self.policy);
        let mut expectations = (self.scenario.expect)(&self.policy);
        expectations.extend(Expectation::of_every_run(unseen));
        expectations
    }

    fn service(&self) -> ServiceConfig {
        ServiceConfig {
            seed: self.settings.seed,
            clock: Arc::new(self.time.clone()),
            metrics: self.metrics.service(),
            one_call: self.scenario.task.is_one_call(),
            record_exchanges: true,
            ..ServiceConfig::default()
        }
    }

    fn connect(
        &self,
        wire: &RunningNetwork,
        limit: &RequestLimit,
    ) -> Result<Box<dyn ScenarioClient>, RunError> {
        let function = wire.function.clone();
        let clock = self.virtual_clock.clone();
        let silence = Arc::clone(&wire.silence);
        let timeouts = clock.map(|clock| VirtualTimeouts::new(clock, silence));
        let connection = Connection {
            base_url: wire.base_url.clone(),
            task: self.scenario.task,
            policy: self.policy,
            seed: self.settings.seed,
            pace: self.settings.pace,
            clock: Arc::clone(&self.clock),
            recorder: self.metrics.recorder(),
            injector: self.injector(),
            limit: limit.clone(),
            function,
            timeouts,
        };
        Ok(self.settings.client.connect(connection)?)
    }

    fn injector(&self) -> Injector {
        let recorder = self.recorder.clone();
        Arc::new(move |span, headers| inject(&recorder, span, headers))
    }
}

/// Removes the free port of this run: nothing else in a virtual run depends on chance.
fn forget_port(trace: &mut Trace) {
    for span in &mut trace.spans {
        span.fields.remove(field::SERVER_PORT);
    }
}

#[cfg(test)]
mod repeatable;
#[cfg(test)]
mod tests;
