//! The load of a storm: when calls begin.

use std::{rc::Rc, time::Duration};

use client::Clock;
use futures_executor::LocalSpawner;

use super::{
    chance::{Stream, arrivals, stream},
    service::Service,
    timeline::spawn,
};
use crate::{
    Settings,
    clients::{Clients, attempts::as_one_call},
};

/// The inputs of a call.
#[derive(Clone)]
pub(crate) struct Calls {
    pub(crate) service: Service,
    pub(crate) seed: u64,
    pub(crate) clients: Rc<Clients>,
    pub(crate) spawner: LocalSpawner,
}

impl Calls {
    /// Starts the load: a call at each arrival.
    pub(crate) fn start(self) {
        let spawner = self.spawner.clone();
        spawn(&spawner, self.call_at_each_arrival());
    }

    async fn call_at_each_arrival(self) {
        let all = Rc::new(self);
        for (number, arrival) in all_arrivals(&all.service.settings, all.seed).enumerate() {
            all.service.timeline.reach(arrival).await;
            let calls = Rc::clone(&all);
            spawn(&all.spawner, async move { calls.call(number).await });
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
        let has_succeeded = as_one_call(Box::pin(client.call())).await;
        counts.ended(began, timeline.monotonic(), has_succeeded);
    }
}

/// When calls start: at another rate during a spike.
pub(crate) fn all_arrivals(
    settings: &Settings,
    seed: u64,
) -> impl Iterator<Item = Duration> + use<> {
    let starts = settings.incident_starts.min(settings.length);
    let ends = settings.incident_ends().max(starts);
    let usual = settings.calls_per_second;
    let intervals = [
        (usual, Duration::ZERO, starts),
        (settings.highest_load(), starts, ends),
        (usual, ends, settings.length),
    ];
    arrivals(stream(seed, Stream::Calls), intervals)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Incident;

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
            let arrivals: Vec<_> = all_arrivals(&settings(incident), 1).collect();
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
}
