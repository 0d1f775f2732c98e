//! Plays a storm.

use std::{sync::Arc, time::Duration};

use client::{
    Clock, ConfigError, Endpoint, ReliableApiClient, SeededRandom,
    telemetry::{ATTEMPTS, RETRIES, SharedRecorder},
};
use evidence::storm::{PolicyRun, STEP, STORM_VERSION, Storm};
use futures_executor::LocalPool;
use futures_util::task::LocalSpawnExt;
use rand::{SeedableRng, rngs::ChaCha12Rng};

use super::{
    chance::exponential,
    counts::Counts,
    policy::Policy,
    service::{Design, Service},
    timeline::Timeline,
};
use crate::{run::GENERATOR, totals::Totals};

/// How a storm is played.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// What arrivals, work and jitter are drawn from.
    pub seed: u64,
    /// How many clients there are. The calls go to one after the other.
    pub clients: usize,
    /// The calls of a second, on average.
    pub calls_per_second: f64,
    /// The same during the trouble.
    pub spike_per_second: f64,
    /// When the trouble begins, and when it ends.
    pub trouble: (Duration, Duration),
    /// How long it lasts in all.
    pub length: Duration,
}

impl Default for Settings {
    /// A spike of five seconds to twice of what the service can bear.
    fn default() -> Self {
        Self {
            seed: 1,
            clients: 10,
            calls_per_second: 60.0,
            spike_per_second: 200.0,
            trouble: (Duration::from_secs(20), Duration::from_secs(25)),
            length: Duration::from_secs(80),
        }
    }
}

/// Ten requests at once, a tenth of a second each: a hundred a second. The queue is as
/// long as what it takes three seconds to work off, and nobody waits for as long.
const SERVICE: Design = Design {
    places: 10,
    queue: 300,
    work: Duration::from_millis(100),
};

/// How long a client waits for a response.
const TIMEOUT: Duration = Duration::from_secs(1);

/// How long the calls that began last have to end: longer than any of them takes.
const LAST_CALLS: Duration = Duration::from_secs(30);

const CALL: Endpoint = Endpoint::new("storm", "/storm");

/// Why a storm could not be played.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StormError {
    /// A policy breaks a rule of the client.
    #[error(transparent)]
    Policy(#[from] ConfigError),
}

/// Plays a storm: the same calls for the clients of each policy.
///
/// # Errors
///
/// [`StormError`] if a policy breaks a rule of the client.
pub fn play(settings: &Settings, policies: &[Policy]) -> Result<Storm, StormError> {
    let arrivals = arrivals(settings);
    let runs = policies
        .iter()
        .map(|policy| play_one(settings, policy, &arrivals));
    Ok(Storm {
        schema_version: STORM_VERSION,
        seed: settings.seed,
        generator: GENERATOR,
        length: settings.length,
        calls_per_second: settings.calls_per_second,
        spike_per_second: settings.spike_per_second,
        timeout: TIMEOUT,
        capacity_per_second: SERVICE.places as f64 / SERVICE.work.as_secs_f64(),
        trouble_began: settings.trouble.0,
        trouble_ended: settings.trouble.1,
        policies: runs.collect::<Result<_, _>>()?,
    })
}

/// When calls begin: a Poisson process whose rate is higher during the trouble.
fn arrivals(settings: &Settings) -> Vec<Duration> {
    let mut random = ChaCha12Rng::seed_from_u64(settings.seed);
    let (mut now, mut arrivals) = (Duration::ZERO, Vec::new());
    let (begins, ends) = settings.trouble;
    loop {
        let (rate, until) = if now < begins {
            (settings.calls_per_second, begins)
        } else if now < ends {
            (settings.spike_per_second, ends)
        } else {
            (settings.calls_per_second, settings.length)
        };
        let next = now + exponential(&mut random, Duration::from_secs_f64(1.0 / rate));
        // Where the rate changes, the process begins anew: it has no memory.
        now = next.min(until);
        if now >= settings.length {
            return arrivals;
        }
        if next <= until {
            arrivals.push(next);
        }
    }
}

fn play_one(
    settings: &Settings,
    policy: &Policy,
    arrivals: &[Duration],
) -> Result<PolicyRun, StormError> {
    let (timeline, mut pool) = (Timeline::default(), LocalPool::new());
    let counts = Counts::new(settings.length);
    let service = Service::new(
        SERVICE,
        TIMEOUT,
        timeline.clone(),
        settings.seed,
        counts.clone(),
    );
    let spawner = pool.spawner();
    let spawn = |task| spawner.spawn_local(task).expect("the pool is there");
    for _ in 0..SERVICE.places {
        spawn(Box::pin(service.clone().place()) as std::pin::Pin<Box<dyn Future<Output = ()>>>);
    }
    let counted = Arc::new(Totals::default());
    let recorder: SharedRecorder = Arc::<Totals>::clone(&counted);
    let clients = (0..settings.clients).map(|number| {
        let seed = settings.seed.rotate_left(17) ^ number as u64;
        let client = ReliableApiClient::builder("http://storm.invalid")
            .transport(service.clone())
            .clock(Arc::new(timeline.clone()))
            .random(Arc::new(SeededRandom::new(seed)))
            .recorder(Arc::clone(&recorder));
        policy.apply(client).build()
    });
    let clients: Vec<_> = clients.collect::<Result<_, _>>()?;

    let calls = {
        let (timeline, counts, arrivals) = (timeline.clone(), counts.clone(), arrivals.to_vec());
        let spawner = pool.spawner();
        async move {
            for (number, arrival) in arrivals.into_iter().enumerate() {
                timeline.reach(arrival).await;
                let client = clients[number % clients.len()].clone();
                let (timeline, counts) = (timeline.clone(), counts.clone());
                counts.called(arrival);
                let call = async move {
                    let called = client.get(CALL).await;
                    counts.ended(arrival, timeline.monotonic(), called.is_ok());
                };
                spawner.spawn_local(call).expect("the pool is there");
            }
        }
    };
    spawn(Box::pin(calls));
    let looks = {
        let (timeline, counts, service) = (timeline.clone(), counts.clone(), service.clone());
        let length = settings.length;
        async move {
            while timeline.monotonic() < length {
                counts.waiting(timeline.monotonic(), service.waiting());
                timeline.sleep(STEP).await;
            }
        }
    };
    spawn(Box::pin(looks));
    timeline.run(&mut pool, settings.length + LAST_CALLS);

    let (steps, mut totals) = counts.read();
    let of_clients = counted.read();
    let count = |name: &str| of_clients.get(name).copied().unwrap_or_default();
    totals.retries = count(RETRIES.name);
    totals.attempts = count(ATTEMPTS.name);
    totals.unfinished = (service.waiting() + service.busy()) as u64;
    Ok(PolicyRun {
        policy: policy.name,
        steps,
        totals,
    })
}

#[cfg(test)]
mod tests {
    use evidence::storm::Step;

    use super::*;
    use crate::storm::POLICIES;

    fn played(settings: &Settings) -> Storm {
        play(settings, &POLICIES).expect("it can be played")
    }

    #[test]
    fn the_first_picture_is_what_it_says_and_nothing_is_lost() {
        let storm = played(&Settings::default());

        let back = storm
            .policies
            .iter()
            .map(|run| storm.back_after(run).is_some());
        assert_eq!(back.collect::<Vec<_>>(), [true, false, false, true]);
        let requests: u64 = storm.policies.iter().map(|run| run.totals.requests).sum();
        assert!(requests <= 40_000, "{requests} requests");
        for run in &storm.policies {
            let totals = run.totals;
            let of_steps = |count: fn(&Step) -> u32| -> u64 {
                run.steps.iter().map(|step| u64::from(count(step))).sum()
            };

            let policy = run.policy;
            assert_eq!(totals.attempts, totals.requests, "{policy}");
            assert_eq!(totals.retries, totals.requests - totals.calls, "{policy}");
            assert_eq!(totals.calls, totals.succeeded + totals.failed, "{policy}");
            let ended = totals.rejected + totals.useful + totals.abandoned;
            assert_eq!(totals.requests, ended + totals.unfinished, "{policy}");
            assert_eq!(totals.succeeded, totals.useful, "{policy}");
            assert_eq!(of_steps(|step| step.calls), totals.calls, "{policy}");
            assert_eq!(of_steps(|step| step.answered), totals.succeeded, "{policy}");
        }
    }

    #[test]
    fn one_seed_is_one_storm() {
        let short = |seed| {
            played(&Settings {
                seed,
                trouble: (Duration::from_secs(2), Duration::from_secs(4)),
                length: Duration::from_secs(8),
                ..Settings::default()
            })
        };

        assert_eq!(short(3), short(3));
        assert_ne!(short(3).policies, short(4).policies);
    }
}
