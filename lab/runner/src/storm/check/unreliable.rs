//! A service that fails at random, with the same probability under any load.

use std::{
    num::NonZeroU32,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use client::{Clock, ConfigError, NoWait, RetryBudget};
use http::StatusCode;
use rand::{Rng, RngExt, rngs::ChaCha12Rng};

use super::{
    super::{
        chance::{arrivals, exponential},
        timeline::Timeline,
    },
    draw::part,
    experiment::Run,
    stage::{Service, Stage},
};

/// How long calls begin.
const LENGTH: Duration = Duration::from_secs(10);

/// The calls of a second, of all clients together.
const CALLS_PER_SECOND: f64 = 100.0;

/// How long a request is on its way, and a response; on average.
const HOP: Duration = Duration::from_millis(10);

/// Clients of such a service, which retry at once.
pub(super) struct Unreliable {
    pub(super) failure_rate: f64,
    pub(super) clients: u32,
    /// The most attempts of a call.
    pub(super) attempts: u32,
    /// The tokens of each client's budget, if it has one: a tenth for each call.
    pub(super) tokens: Option<u32>,
}

/// The number of first attempts that earn one retry.
const CALLS_PER_RETRY: NonZeroU32 = NonZeroU32::new(10).unwrap();

impl Unreliable {
    pub(super) fn simulate(&self, mut random: ChaCha12Rng) -> Result<Run, ConfigError> {
        let stage = Stage::default();
        let transport = stage.transport(Failing {
            timeline: stage.timeline(),
            failure_rate: self.failure_rate,
            random: Mutex::new(part(&mut random)),
        });
        let budget = || {
            let tokens = self.tokens?;
            Some(RetryBudget::with_ratio(tokens, CALLS_PER_RETRY))
        };
        let rate = CALLS_PER_SECOND / f64::from(self.clients);
        for _ in 0..self.clients {
            let stretches = [(rate, Duration::ZERO, LENGTH).into()];
            let moments = arrivals(&mut random, stretches).collect();
            let client = stage
                .client(&transport, random.next_u64())
                .max_attempts(self.attempts)
                .policy(NoWait)
                .retry_budget(budget());
            stage.calls(client.build()?, moments);
        }
        Ok(stage.simulate(Duration::MAX))
    }
}

struct Failing {
    timeline: Timeline,
    failure_rate: f64,
    random: Mutex<ChaCha12Rng>,
}

impl Service for Failing {
    async fn respond(&self) -> Option<StatusCode> {
        let (took, fails) = {
            let mut random = self.random.lock().unwrap_or_else(PoisonError::into_inner);
            let took = exponential(&mut random, HOP) + exponential(&mut random, HOP);
            (took, random.random_bool(self.failure_rate))
        };
        self.timeline.sleep(took).await;
        Some(match fails {
            true => StatusCode::SERVICE_UNAVAILABLE,
            false => StatusCode::OK,
        })
    }
}
