//! The load of a storm: when calls begin.

use std::{rc::Rc, time::Duration};

use client::Clock;
use futures_executor::LocalSpawner;

use super::{
    call::as_one_call,
    chance::{Stream, arrivals, exponential, stream},
    clients::Clients,
    service::Service,
    timeline::spawn,
};
use crate::{Incident, Load, Settings};

/// The inputs of a call.
#[derive(Clone)]
pub(super) struct Calls {
    pub(super) service: Service,
    pub(super) seed: u64,
    pub(super) clients: Rc<Clients>,
    pub(super) spawner: LocalSpawner,
}

impl Calls {
    /// Starts the load.
    pub(super) fn start(self) {
        let (spawner, settings) = (self.spawner.clone(), self.service.settings);
        match settings.load {
            Load::Open => spawn(&spawner, self.open()),
            Load::Closed => {
                for number in 0..settings.most_callers() {
                    let (from, until) = if number < settings.callers {
                        (Duration::ZERO, settings.length)
                    } else {
                        (settings.incident_starts, settings.incident_ends())
                    };
                    spawn(&spawner, self.clone().caller(number, from, until));
                }
            }
        }
    }

    /// Starts a call at each arrival.
    async fn open(self) {
        let all = Rc::new(self);
        for (number, arrival) in open_load(&all.service.settings, all.seed).enumerate() {
            all.service.timeline.reach(arrival).await;
            let calls = Rc::clone(&all);
            spawn(&all.spawner, async move { calls.call(number).await });
        }
    }

    /// One caller, who thinks, calls, and waits for the result.
    async fn caller(self, number: u32, from: Duration, until: Duration) {
        let mut random = stream(self.seed, Stream::Caller(number));
        let Service {
            settings, timeline, ..
        } = &self.service;
        timeline.reach(from).await;
        loop {
            let think = exponential(&mut random, settings.think);
            timeline.wait(think).await;
            if timeline.monotonic() >= until {
                return;
            }
            self.call(number as usize).await;
        }
    }

    async fn call(&self, number: usize) {
        let Service {
            timeline, counts, ..
        } = &self.service;
        let began = timeline.monotonic();
        if !counts.called(began) {
            return;
        }
        let client = self.clients.turn(number);
        let (has_succeeded, last) = as_one_call(Box::pin(client.call())).await;
        counts.ended(began, timeline.monotonic(), has_succeeded, last);
    }
}

/// When calls of an open load begin: at another rate during a spike.
fn open_load(settings: &Settings, seed: u64) -> impl Iterator<Item = Duration> + use<> {
    let begins = match settings.incident {
        // The rate never changes, so the draws do not depend on an incident that there is not.
        Incident::None => settings.length,
        _ => settings.incident_starts.min(settings.length),
    };
    let ends = settings.incident_ends().max(begins);
    let usual = settings.calls_per_second;
    let during_incident = match settings.incident {
        Incident::Spike => usual * settings.spike,
        _ => usual,
    };
    let intervals = [
        (usual, Duration::ZERO, begins),
        (during_incident, begins, ends),
        (usual, ends, settings.length),
    ];
    arrivals(stream(seed, Stream::Calls), intervals)
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::{Plan, STORIES, Setup, StormPolicy, per_second, simulate};

    /// Ten seconds, with an incident from the fourth to the sixth.
    const SETTINGS: Settings = Settings {
        calls_per_second: 500.0,
        spike: 3.0,
        incident_starts: Duration::from_secs(4),
        incident_lasts: Duration::from_secs(2),
        length: Duration::from_secs(10),
        ..Settings::DEFAULT
    };

    fn settings(incident: Incident) -> Settings {
        Settings {
            incident,
            ..SETTINGS
        }
    }

    #[test]
    fn only_a_spike_raises_the_rate_of_calls() {
        let per_second = |incident| {
            let arrivals: Vec<_> = open_load(&settings(incident), 1).collect();
            assert!(arrivals.is_sorted());
            [(0, 4), (4, 6), (6, 10)].map(|(from, to)| {
                let interval = Duration::from_secs(from)..Duration::from_secs(to);
                let number = arrivals.iter().filter(|at| interval.contains(at)).count();
                number as f64 / (to - from) as f64
            })
        };
        let usual = |rate: f64| (rate - 500.0).abs() < 64.0;

        let [before, during, after] = per_second(Incident::Spike);
        // Four standard errors of what two seconds bring at most.
        assert!(usual(before) && usual(after), "{before} and {after}");
        assert!((during - 1_500.0).abs() < 110.0, "{during}");
        for incident in [Incident::Cut, Incident::Refusal, Incident::None] {
            let rates = per_second(incident);
            assert!(rates.iter().copied().all(usual), "{incident:?}: {rates:?}");
        }
    }

    #[test]
    fn callers_call_again_when_they_have_thought_and_more_of_them_during_a_spike() {
        let plan = Plan {
            settings: Settings {
                load: Load::Closed,
                callers: 2,
                think: Duration::from_millis(10),
                work_time: Duration::from_millis(1),
                workers: 100,
                ..SETTINGS
            },
            policies: vec![StormPolicy::new("any", Setup::DEFAULT)],
            ..Plan::of(&STORIES[0])
        };

        let storm = simulate(&plan, |_| ControlFlow::Continue(())).expect("it can be simulated");

        let steps = &storm.policies[0].steps;
        let calls =
            |from: usize, to: usize| per_second(&steps[from * 10..to * 10], |step| step.calls);
        // Two callers with a call in 11 ms each, and four more during the spike. Four
        // standard errors of two seconds are a seventh of that, one caller is half of it.
        let within = |rate: f64, expected: f64| (rate / expected - 1.0).abs() < 0.25;
        assert!(within(calls(0, 4), 182.0), "{}", calls(0, 4));
        assert!(within(calls(4, 6), 545.0), "{}", calls(4, 6));
        assert!(within(calls(6, 10), 182.0), "{}", calls(6, 10));
    }
}
