//! Simulates a storm.

use std::{
    ops::ControlFlow,
    rc::Rc,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use client::ConfigError;
use futures_executor::LocalPool;
use wire::GENERATOR;

use super::{Plan, clients::Clients, load::Calls, parallel, service::Service};
use crate::{
    Cut, PolicyRun, STEP, STORM_VERSION, Settings, SettingsError, Setup, Step, Storm, StormPolicy,
};

/// The most policies of one storm.
pub const MOST_POLICIES: usize = 12;

/// Why a storm could not be simulated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StormError {
    /// The settings do not go together.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// A policy breaks a rule of the client.
    #[error("{policy}: {error}")]
    Policy {
        /// Its name.
        policy: String,
        /// The rule.
        error: ConfigError,
    },
    /// There are more policies than the lab simulates at once.
    #[error("there must be from 1 to {MOST_POLICIES} policies, got {0}")]
    Policies(usize),
}

/// The progress of a simulation, with the number of the policy.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'a> {
    /// A step of a tenth of a second is over, with the counts so far. The calls of a step
    /// may still succeed.
    Steps(usize, &'a [Step]),
    /// The policy has ended, with these results.
    Ended(usize, &'a PolicyRun),
}

/// Simulates a storm: the same calls for the clients of each policy, one policy after the
/// other. `on_progress` receives the progress and can cancel it with [`ControlFlow::Break`]; the
/// storm then has the results so far.
///
/// It occupies one thread. Its memory and the requests of each policy are bounded under
/// all settings ([`Cut`]).
///
/// # Errors
///
/// [`StormError`] if the settings do not go together, or if a policy breaks a rule of
/// the client.
pub fn simulate(
    plan: &Plan,
    mut on_progress: impl FnMut(Progress<'_>) -> ControlFlow<()>,
) -> Result<Storm, StormError> {
    plan.check()?;
    let Plan {
        settings,
        policies,
        seed,
        ..
    } = plan;
    let mut runs = Vec::new();
    for (number, policy) in policies.iter().enumerate() {
        let run = simulate_one(settings, *seed, policy, |steps| {
            on_progress(Progress::Steps(number, steps))
        });
        let run = run.map_err(|error| StormError::of(policy, error))?;
        let is_over = on_progress(Progress::Ended(number, &run)).is_break();
        let is_cancelled = run.cut == Some(Cut::Cancelled);
        runs.push(run);
        if is_over || is_cancelled {
            break;
        }
    }
    Ok(plan.storm(runs))
}

/// Simulates a storm with its policies side by side on all processors: the same storm, without
/// progress. All end as soon as `is_over` is set; the storm then has the results so far.
///
/// # Errors
///
/// As [`simulate`].
pub fn simulate_in_parallel(plan: &Plan, is_over: &AtomicBool) -> Result<Storm, StormError> {
    plan.check()?;
    let progress = |_: &[Step]| {
        if is_over.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let number = u32::try_from(plan.policies.len()).unwrap_or(u32::MAX);
    let runs = parallel::each(number, is_over, &|| {}, |number| {
        let policy = plan.policies.get(number as usize)?;
        let run = simulate_one(&plan.settings, plan.seed, policy, progress);
        Some(run.map_err(|error| StormError::of(policy, error)))
    });
    let runs = runs.into_iter().flatten().collect::<Result<_, _>>()?;
    Ok(plan.storm(runs))
}

impl Plan {
    /// The storm of these runs.
    fn storm(&self, runs: Vec<PolicyRun>) -> Storm {
        let mut storm = Storm {
            schema_version: STORM_VERSION,
            seed: self.seed,
            generator: GENERATOR,
            story: self.words(),
            shows_the_answer: None,
            settings: self.settings,
            capacity_per_second: self.settings.capacity_per_second(),
            policies: runs,
        };
        let has_answer = storm.story.answer.is_some();
        storm.shows_the_answer = has_answer.then(|| (self.story.shows)(&storm)).flatten();
        storm
    }

    /// Checks the settings.
    ///
    /// # Errors
    ///
    /// [`StormError`] if it cannot.
    pub fn check(&self) -> Result<(), StormError> {
        self.settings.check()?;
        if !(1..=MOST_POLICIES).contains(&self.policies.len()) {
            return Err(StormError::Policies(self.policies.len()));
        }
        let pool = LocalPool::new();
        self.policies.iter().try_for_each(|policy| {
            let one = Setup {
                clients: 1,
                ..policy.setup
            };
            let service = Service::new(&self.settings, &one, self.seed);
            let client = Clients::new(&service, self.seed, &pool.spawner());
            client
                .map(|_| ())
                .map_err(|error| StormError::of(policy, error))
        })
    }
}

impl StormError {
    fn of(policy: &StormPolicy, error: ConfigError) -> Self {
        Self::Policy {
            policy: policy.name.to_string(),
            error,
        }
    }
}

fn simulate_one(
    settings: &Settings,
    seed: u64,
    policy: &StormPolicy,
    mut on_progress: impl FnMut(&[Step]) -> ControlFlow<()>,
) -> Result<PolicyRun, ConfigError> {
    let (service, mut pool) = (
        Service::new(settings, &policy.setup, seed),
        LocalPool::new(),
    );
    service.start(&pool.spawner());
    let clients = Rc::new(Clients::new(&service, seed, &pool.spawner())?);
    let calls = Calls {
        service: service.clone(),
        seed,
        clients: Rc::clone(&clients),
        spawner: pool.spawner(),
    };
    calls.start();

    let (all, counts) = (settings.steps(), &service.counts);
    let (mut simulated, mut cut) = (0, None);
    while simulated < all && cut.is_none() {
        // What happens at the very end of a step belongs to the next one.
        let end = STEP * u32::try_from(simulated + 1).unwrap_or(u32::MAX);
        service
            .timeline
            .run(&mut pool, end - Duration::from_nanos(1));
        counts.step_ended(simulated, |step| {
            step.waiting = u32::try_from(service.waiting()).unwrap_or(u32::MAX);
            step.tokens = clients.tokens();
            step.limit = clients.limit();
        });
        simulated += 1;
        cut = counts.cut();
        if counts.so_far(simulated, &mut on_progress).is_break() {
            cut = Some(Cut::Cancelled);
        }
    }

    let (steps, mut totals) = counts.read(simulated);
    (totals.counted_attempts, totals.counted_retries) = clients.counted();
    totals.unfinished = (service.waiting() + service.busy()) as u64;
    Ok(PolicyRun::of(settings, policy.clone(), cut, steps, totals))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Incident, STORIES, counts::MOST_IN_FLIGHT};

    fn simulated(plan: &Plan) -> Storm {
        let storm = simulate(plan, |_| ControlFlow::Continue(()));
        storm.expect("it can be simulated")
    }

    #[test]
    fn the_first_picture_takes_no_more_than_40_000_requests() {
        let storm = simulated(&Plan::of(&STORIES[0]));

        let requests: u64 = storm.policies.iter().map(|run| run.totals.requests).sum();
        assert!(requests <= 40_000, "{requests} requests");
    }

    /// The first story in eight seconds.
    fn short(seed: u64) -> Plan {
        Plan {
            settings: Settings {
                incident_starts: Duration::from_secs(2),
                incident_lasts: Duration::from_secs(2),
                length: Duration::from_secs(8),
                ..Settings::DEFAULT
            },
            seed,
            ..Plan::of(&STORIES[0])
        }
    }

    #[test]
    fn a_cancelled_storm_keeps_its_results_so_far() {
        let mut events = 0;

        let storm = simulate(&short(1), |news| {
            let Progress::Steps(_, so_far) = news else {
                return ControlFlow::Continue(());
            };
            events += 1;
            assert_eq!(so_far.len(), events);
            match events {
                10 => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        });

        let storm = storm.expect("it can be simulated");
        assert_eq!(storm.policies.len(), 1);
        assert_eq!(storm.policies[0].cut, Some(Cut::Cancelled));
        assert_eq!(storm.policies[0].steps.len(), 10);
        assert!(storm.policies[0].totals.calls > 0);
        assert_eq!(storm.shows_the_answer, None);
    }

    #[test]
    fn policies_side_by_side_make_the_same_storm() {
        let (plan, is_over) = (short(1), AtomicBool::new(false));

        let storm = simulate_in_parallel(&plan, &is_over).expect("it can be simulated");
        is_over.store(true, Ordering::Relaxed);
        let cancelled = simulate_in_parallel(&plan, &is_over).expect("it can be simulated");

        assert_eq!(storm, simulated(&plan));
        let cuts = cancelled.policies.iter().map(|run| run.cut);
        assert!(cuts.into_iter().all(|cut| cut == Some(Cut::Cancelled)));
    }

    #[test]
    fn a_break_at_the_end_of_a_policy_skips_the_others() {
        let storm = simulate(&short(1), |news| match news {
            Progress::Ended(..) => ControlFlow::Break(()),
            Progress::Steps(..) => ControlFlow::Continue(()),
        });

        let storm = storm.expect("it can be simulated");
        assert_eq!(storm.policies.len(), 1);
        assert_eq!(storm.policies[0].cut, None);
    }

    #[test]
    fn a_step_ends_before_what_happens_at_its_end() {
        let settings = Settings {
            calls_per_second: 100.0,
            workers: 50,
            queue: 1_000,
            timeout: Duration::from_secs(10),
            incident: Incident::Pause,
            ..short(1).settings
        };
        let policies = vec![StormPolicy::new("any", Setup::DEFAULT)];
        let plan = Plan {
            settings,
            policies,
            ..short(1)
        };
        let mut events = 0;

        let storm = simulate(&plan, |news| {
            events += usize::from(matches!(news, Progress::Steps(..)));
            ControlFlow::Continue(())
        });

        let steps = &storm.expect("it can be simulated").policies[0].steps;
        assert_eq!((events, steps.len()), (80, 80));
        let came: u32 = steps[20..40].iter().map(|step| step.requests).sum();
        assert_eq!(steps[39].waiting, steps[19].waiting + came);
        assert!(
            came > 100 && steps[40].waiting < came - 40,
            "the workers took some"
        );
    }

    #[test]
    fn another_incident_than_the_storys_removes_the_answer() {
        let mut plan = short(1);
        plan.policies.truncate(1);
        let mut storm_of = |incident| {
            plan.settings.incident = incident;
            simulated(&plan)
        };

        let own = storm_of(Incident::Spike);
        assert_eq!(own.story, STORIES[0].words);
        for incident in [
            Incident::Cut,
            Incident::Pause,
            Incident::Refusal,
            Incident::None,
        ] {
            let other = storm_of(incident);
            assert_eq!((other.story.answer, other.shows_the_answer), (None, None));
            assert_ne!(other.story.question, own.story.question);
        }
    }

    #[test]
    fn a_policy_that_breaks_a_rule_of_the_client_is_named_before_anything_is_played() {
        let setup = Setup {
            base: Duration::from_secs(2),
            cap: Duration::from_secs(1),
            ..Setup::DEFAULT
        };
        let mut plan = short(1);
        plan.policies.push(StormPolicy::new("hasty", setup));

        let error = simulate(&plan, |_| panic!("nothing is simulated")).expect_err("a rule");

        assert!(error.to_string().starts_with("hasty: "), "{error}");
    }

    #[test]
    fn a_load_beyond_all_bounds_is_cut_short() {
        let mut plan = short(1);
        plan.settings.calls_per_second = 1_000.0;
        plan.settings.spike = 100.0;
        plan.settings.timeout = Duration::from_secs(60);
        plan.settings.queue = 100_000;
        plan.policies.truncate(1);

        let storm = simulated(&plan);

        assert_eq!(storm.policies[0].cut, Some(Cut::InFlight));
        assert_eq!(storm.policies[0].totals.in_flight, MOST_IN_FLIGHT);
    }
}
