//! Two runs with one seed are alike in virtual time, however late each thread is.

use std::{future::pending, sync::Mutex, thread, time::Duration};

use rand::{RngExt, SeedableRng, rngs::ChaCha12Rng};
use tracing::{Subscriber, span};
use tracing_subscriber::{Layer, layer::Context};

use crate::{
    CLIENTS, ClientUnderTest, DEFAULT_POLICY, Settings,
    catalogue::{self, CATALOGUE, Scenario},
    run_until,
};

/// Holds up a thread at each event of a span, on both sides of the wire.
struct Delays {
    random: Mutex<ChaCha12Rng>,
    /// How long each request takes on its way to its handler.
    of_requests: Duration,
}

impl Delays {
    fn new(seed: u64, of_requests: Duration) -> Self {
        let random = Mutex::new(ChaCha12Rng::seed_from_u64(seed));
        Self {
            random,
            of_requests,
        }
    }

    fn hold_up(&self) {
        let delay = self.random.lock().expect("no panic").random_range(0..1_000);
        thread::sleep(Duration::from_micros(delay));
    }
}

impl<S: Subscriber> Layer<S> for Delays {
    fn on_new_span(&self, span: &span::Attributes<'_>, _: &span::Id, _: Context<'_, S>) {
        self.hold_up();
        if span.metadata().name() == "request" {
            thread::sleep(self.of_requests);
        }
    }

    fn on_record(&self, _: &span::Id, _: &span::Record<'_>, _: Context<'_, S>) {
        self.hold_up();
    }

    fn on_close(&self, _: span::Id, _: Context<'_, S>) {
        self.hold_up();
    }
}

async fn finished(
    scenario: &Scenario,
    client: &'static dyn ClientUnderTest,
    delays: Delays,
) -> String {
    let settings = Settings::in_virtual_time(client, 7);
    let run = run_until(pending(), delays, scenario, &settings).await;
    serde_json::to_string_pretty(&run.expect("a run")).expect("JSON")
}

#[tokio::test]
async fn a_service_slower_than_the_read_timeout_changes_nothing() {
    let scenario = catalogue::find("read-timeout").expect("known");
    let read_timeout = (scenario.policy)(DEFAULT_POLICY).read_timeout;
    for client in CLIENTS {
        let on_time = finished(scenario, *client, Delays::new(1, Duration::ZERO)).await;

        let late = finished(scenario, *client, Delays::new(1, read_timeout * 5 / 4)).await;

        assert_eq!(on_time, late);
    }
}

#[tokio::test]
async fn threads_that_are_late_change_nothing() {
    for scenario in CATALOGUE {
        let client = CLIENTS[0];
        let [one, other] = [1, 2].map(|seed| Delays::new(seed, Duration::ZERO));

        let one = finished(scenario, client, one).await;
        let other = finished(scenario, client, other).await;

        assert_eq!(one, other, "{}", scenario.words.name);
    }
}
