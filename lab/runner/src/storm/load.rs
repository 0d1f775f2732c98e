//! The load of a storm: when calls begin.

use std::{rc::Rc, time::Duration};

use client::Clock;
use evidence::storm::{Load, Settings, Trouble};
use futures_executor::LocalSpawner;
use futures_util::task::LocalSpawnExt;

use super::{
    call::as_one_call,
    chance::{Stream, Stretch, arrivals, exponential, stream},
    clients::Clients,
    counts::Counts,
    timeline::Timeline,
};

/// What a call needs.
#[derive(Clone)]
pub(super) struct Calls {
    pub(super) settings: Settings,
    pub(super) seed: u64,
    pub(super) timeline: Timeline,
    pub(super) counts: Counts,
    pub(super) clients: Rc<Clients>,
    pub(super) spawner: LocalSpawner,
}

impl Calls {
    /// Starts the load.
    pub(super) fn start(self) {
        let spawner = self.spawner.clone();
        match self.settings.load {
            Load::Open => spawn(&spawner, self.open()),
            Load::Closed => {
                let usual = self.settings.callers;
                for number in 0..self.settings.most_callers() {
                    let (from, until) = match number < usual {
                        true => (Duration::ZERO, self.settings.length),
                        false => (self.settings.trouble_begins, self.settings.trouble_ends()),
                    };
                    spawn(&spawner, self.clone().caller(number, from, until));
                }
            }
        }
    }

    /// Begins a call whenever one comes from outside.
    async fn open(self) {
        for (number, arrival) in open_load(&self.settings, self.seed).enumerate() {
            self.timeline.reach(arrival).await;
            let calls = self.clone();
            spawn(&self.spawner, async move { calls.call(number).await });
        }
    }

    /// One caller, who thinks, calls, and waits for the result.
    async fn caller(self, number: u32, from: Duration, until: Duration) {
        let mut random = stream(self.seed, Stream::Caller(number));
        self.timeline.reach(from).await;
        loop {
            let think = exponential(&mut random, self.settings.think);
            self.timeline.sleep(think).await;
            if self.timeline.monotonic() >= until {
                return;
            }
            self.call(number as usize).await;
        }
    }

    async fn call(&self, number: usize) {
        let began = self.timeline.monotonic();
        if !self.counts.called(began) {
            return;
        }
        let client = self.clients.turn(number);
        let (has_succeeded, last) = as_one_call(client.call()).await;
        let now = self.timeline.monotonic();
        self.counts.ended(began, now, has_succeeded, last);
    }
}

/// Begins a task on a pool that is still there.
#[expect(
    clippy::expect_used,
    reason = "the pool ends after whoever can spawn on it"
)]
pub(super) fn spawn(spawner: &LocalSpawner, task: impl Future<Output = ()> + 'static) {
    spawner.spawn_local(task).expect("the pool is there");
}

/// When calls of an open load begin: at another rate during a spike.
fn open_load(settings: &Settings, seed: u64) -> impl Iterator<Item = Duration> + use<> {
    let begins = settings.trouble_begins.min(settings.length);
    let ends = settings.trouble_ends().max(begins);
    let usual = settings.calls_per_second;
    let in_trouble = match settings.trouble {
        Trouble::Spike => usual * settings.spike,
        _ => usual,
    };
    let stretches = [
        (usual, Duration::ZERO, begins),
        (in_trouble, begins, ends),
        (usual, ends, settings.length),
    ];
    arrivals(stream(seed, Stream::Calls), stretches.map(Stretch::from))
}
