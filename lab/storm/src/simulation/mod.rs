//! Simulates a storm.

pub(crate) mod counts;
pub(crate) mod loads;
pub(crate) mod parallel;
pub(crate) mod seeds;

use std::{
    ops::ControlFlow,
    rc::Rc,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use client::ConfigError;
use futures_executor::LocalPool;
use wire::GENERATOR;

use crate::{
    Cut, Plan, PolicyRun, Settings, Step, Storm, StormError, StormPolicy,
    clients::Clients,
    model::{
        load::{Calls, all_arrivals},
        service::Service,
    },
    results::{
        STEP, STORM_VERSION,
        figures::{Figures, Periods},
        word::Word,
    },
};
use counts::Counted;

/// The progress of a simulation, with the number of the policy.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'a> {
    /// Another tenth of a second is over, with the counts so far. The calls of a step may still
    /// succeed. There are no further steps once no call starts any more, nor while a longer storm
    /// shows whether the service recovers later.
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
        let run = run.map_err(|error| refused(policy, error))?;
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
    let runs = parallel::each(number, is_over, |number| {
        let policy = plan.policies.get(number as usize)?;
        let run = simulate_one(&plan.settings, plan.seed, policy, progress);
        Some(run.map_err(|error| refused(policy, error)))
    });
    let runs = runs.into_iter().flatten().collect::<Result<_, _>>()?;
    Ok(plan.storm(runs))
}

impl Plan {
    /// The storm of these runs.
    pub(crate) fn storm(&self, runs: Vec<PolicyRun>) -> Storm {
        let is_whole = runs.iter().all(|run| run.cut.is_none());
        let has_all = is_whole && runs.len() == self.policies.len();
        Storm {
            schema_version: STORM_VERSION,
            seed: self.seed,
            generator: GENERATOR,
            command: self.command(),
            story: self.story,
            question: self.question(),
            lesson: (has_all && self.is_of_the_story()).then_some(self.story.lesson),
            settings: self.settings,
            capacity_per_second: self.settings.capacity_per_second(),
            policies: runs,
        }
    }
}

fn refused(policy: &StormPolicy, error: ConfigError) -> StormError {
    StormError::Policy {
        policy: policy.name.to_string(),
        error,
    }
}

/// Simulates one policy. If the service is not up at the end, the longer storm shows whether it
/// recovers later; `on_progress` then receives the steps of the storm itself again.
pub(crate) fn simulate_one(
    settings: &Settings,
    seed: u64,
    policy: &StormPolicy,
    mut on_progress: impl FnMut(&[Step]) -> ControlFlow<()>,
) -> Result<PolicyRun, ConfigError> {
    let mut run = simulate_length(settings, seed, policy, |steps, _| on_progress(steps))?;
    let Some(word @ (Word::Degraded | Word::Down)) = run.word else {
        return Ok(run);
    };
    let longer = settings.longer();
    let end = Periods::of(&longer).end;
    let end_calls = all_arrivals(&longer, seed).filter(|call| end.contains(call));
    let end_calls = end_calls.count() as u64;
    let mut is_cancelled = false;
    let longer = simulate_length(&longer, seed, policy, |_, figures| {
        is_cancelled = on_progress(&run.steps).is_break();
        // The rest of the last quarter decides nothing once too many of its calls have failed.
        if is_cancelled || !Word::can_become_ok(figures, end_calls) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })?;
    run.simulated_requests += longer.simulated_requests;
    if is_cancelled {
        run.cut = Some(Cut::Cancelled);
        run.word = None;
    } else {
        run.word = Some(word.or_later(longer.word));
    }
    Ok(run)
}

/// Simulates one policy for the length of these settings, and until every call has ended.
pub(crate) fn simulate_length(
    settings: &Settings,
    seed: u64,
    policy: &StormPolicy,
    mut on_progress: impl FnMut(&[Step], &Figures) -> ControlFlow<()>,
) -> Result<PolicyRun, ConfigError> {
    let service = Service::new(settings, seed);
    let mut pool = LocalPool::new();
    service.start(&pool.spawner());
    let clients = Clients::new(&service, &policy.setup, seed, &pool.spawner())?;
    let clients = Rc::new(clients);
    let calls = Calls {
        service: service.clone(),
        seed,
        clients: Rc::clone(&clients),
        spawner: pool.spawner(),
    };
    calls.start();

    let counts = &service.counts;
    let (mut simulated, mut cut, mut goes_on) = (0, None, true);
    // No call starts in later steps, but those in flight go on to their end.
    while cut.is_none() && (simulated < settings.steps() || goes_on) {
        // What happens at the very end of a step belongs to the next one.
        let end = STEP * u32::try_from(simulated + 1).unwrap_or(u32::MAX);
        goes_on = service
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

    let Counted {
        steps,
        figures,
        mut totals,
    } = counts.read(simulated);
    (totals.counted_attempts, totals.counted_retries) = clients.counted();
    let word = Word::of(settings, &figures);
    Ok(PolicyRun {
        policy: policy.clone(),
        cut,
        word: word.filter(|_| cut.is_none()),
        figures,
        simulated_requests: totals.requests,
        totals,
        steps,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Incident, STORIES, Setup};

    fn simulated(plan: &Plan) -> Storm {
        let storm = simulate(plan, |_| ControlFlow::Continue(()));
        storm.expect("it can be simulated")
    }

    #[test]
    fn the_first_picture_takes_no_more_than_40_000_requests() {
        let story = &STORIES[0];
        let requests = story.policies.iter().map(|policy| {
            let run = simulate_length(&story.settings, 1, policy, |_, _| ControlFlow::Continue(()));
            run.expect("it can be simulated").totals.requests
        });
        let requests: u64 = requests.sum();

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
        assert_eq!(storm.lesson, None);
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
        assert_eq!(steps.len(), 80);
        assert!(events > 80, "the last calls go on");
        let came: u32 = steps[20..40].iter().map(|step| step.requests).sum();
        assert_eq!(steps[39].waiting, steps[19].waiting + came);
        assert!(
            came > 100 && steps[40].waiting < came - 40,
            "the workers took some"
        );
    }

    #[test]
    fn a_lesson_belongs_to_the_settings_and_policies_of_its_story() {
        let story = crate::story("outage").expect("a story");
        let mut more = Plan::of(story);
        more.policies
            .push(StormPolicy::new("yours", Setup::DEFAULT));
        let mut fewer = Plan::of(story);
        fewer.policies.truncate(1);

        assert_eq!(simulated(&more.with_seed(7)).lesson, Some(story.lesson));
        assert_eq!(simulated(&fewer).lesson, None);
        assert_eq!(simulated(&short(1)).lesson, None);
        for incident in [
            Incident::Cut,
            Incident::Pause,
            Incident::Refusal,
            Incident::None,
        ] {
            let mut other = short(1);
            other.settings.incident = incident;
            other.policies.truncate(1);
            assert_ne!(simulated(&other).question, story.question);
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
        assert_eq!(storm.policies[0].word, None);
    }
}
