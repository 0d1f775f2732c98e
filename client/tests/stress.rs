//! The state that all clones share, under calls of several threads that end in every way or are
//! dropped at any moment: no slot and no token is lost, and no bound is passed.
//!
//! The log of a round is kept in a file, which a failure names. `STRESS_ROUNDS` sets the
//! number of rounds.

use std::{
    collections::HashSet,
    env,
    fmt::Debug,
    fs::File,
    io::Write,
    path::Path,
    sync::{Arc, Mutex},
    thread,
};

use client::{
    ConcurrencyLimit, Endpoint, Failure, FailureKind, NoWait, Random, RetryBudget, SeededRandom,
    teaching::ReliableApiClient,
};
use futures_util::future::join_all;
use reqwest::Request;
use reqwest_middleware::Result;

use crate::bench::{Reply, retry_after, status};
use crate::support::{drive::give_way, offline, scripted::scripted};

const CALL: Endpoint = Endpoint::new("call", "/call");
const TOGETHER: Endpoint = Endpoint::new("together", "/together");

/// The settings of a round, all drawn from its seed.
#[derive(Debug, Clone, Copy)]
struct Round {
    seed: u64,
    threads: u64,
    /// The calls that each thread makes at once, and how often it does.
    at_once: u64,
    turns: u64,
    slots: u32,
    tokens: u32,
    /// Whether no request succeeds, so that the budget is never full again.
    is_down: bool,
}

/// The requests that the service has seen.
#[derive(Debug, Default)]
struct Seen {
    in_flight: usize,
    most_in_flight: usize,
    calls: HashSet<String>,
    retries: u32,
    gathered: usize,
}

/// A request in flight, until it ends or is dropped.
struct Entered(Arc<Mutex<Seen>>);

impl Drop for Entered {
    fn drop(&mut self) {
        self.0.lock().expect("no panic while held").in_flight -= 1;
    }
}

/// A whole number from `from` to `to`.
fn draw(random: &dyn Random, from: u64, to: u64) -> u64 {
    let width = (to - from + 1) as f64;
    from + (random.unit() * width) as u64
}

impl Round {
    fn of(seed: u64) -> Self {
        let random = SeededRandom::new(seed);
        Self {
            seed,
            threads: draw(&random, 2, 6),
            at_once: draw(&random, 1, 8),
            turns: draw(&random, 1, 20),
            slots: draw(&random, 1, 6) as u32,
            tokens: draw(&random, 0, 20) as u32,
            is_down: random.unit() < 0.5,
        }
    }

    /// Makes the calls; returns what is left afterwards, and what was seen.
    fn run(self) -> (ConcurrencyLimit, RetryBudget, Seen) {
        let seen = Arc::<Mutex<Seen>>::default();
        let limit = ConcurrencyLimit::new(self.slots);
        let budget = RetryBudget::new(self.tokens);
        let client = self.client(&seen, &limit, &budget);

        thread::scope(|scope| {
            for number in 0..self.threads {
                let client = client.clone();
                scope.spawn(move || self.work(number, &client));
            }
        });

        // They are answered only once all of them are in flight.
        let slots = limit.current();
        let together = (0..slots).map(|_| client.get(TOGETHER).send());
        let answered = runtime().block_on(async {
            let limit = std::time::Duration::from_secs(10);
            tokio::time::timeout(limit, join_all(together)).await
        });
        assert!(answered.is_ok(), "a slot of {slots} is lost");
        let seen = std::mem::take(&mut *seen.lock().expect("no panic while held"));
        (limit, budget, seen)
    }

    fn client(
        self,
        seen: &Arc<Mutex<Seen>>,
        limit: &ConcurrencyLimit,
        budget: &RetryBudget,
    ) -> ReliableApiClient {
        let (seen, slots) = (Arc::clone(seen), limit.clone());
        let random = Arc::new(SeededRandom::new(self.seed + 1));
        let transport = scripted(move |request: Request| {
            let (seen, slots) = (Arc::clone(&seen), slots.clone());
            let random = Arc::clone(&random);
            async move { self.respond(&request, seen, &slots, &*random).await }
        });
        let (client, _) = offline(transport, |builder| {
            builder
                .policy(NoWait)
                .max_attempts(4)
                .concurrency_limit(limit.clone())
                .retry_budget(budget.clone())
        });
        client
    }

    async fn respond(
        self,
        request: &Request,
        seen: Arc<Mutex<Seen>>,
        limit: &ConcurrencyLimit,
        random: &dyn Random,
    ) -> Result<Reply> {
        let change = |change: &dyn Fn(&mut Seen)| change(&mut seen.lock().expect("no panic"));
        let call = request.url().query().map(str::to_owned);
        change(&|seen| {
            seen.in_flight += 1;
            seen.most_in_flight = seen.most_in_flight.max(seen.in_flight);
            match &call {
                Some(call) if seen.calls.contains(call) => seen.retries += 1,
                Some(call) => drop(seen.calls.insert(call.clone())),
                None => seen.gathered += 1,
            }
        });
        let _entered = Entered(Arc::clone(&seen));
        if call.is_none() {
            while seen.lock().expect("no panic").gathered < limit.current() {
                give_way(1).await;
            }
            return Ok(status(404));
        }
        give_way(draw(random, 0, 3) as usize).await;
        match random.unit() {
            unit if unit < 0.15 => Ok(retry_after(429, "0")),
            unit if unit < 0.4 => Ok(status(503)),
            unit if unit < 0.5 => Err(Failure(FailureKind::ReadTimeout).into()),
            _ if self.is_down => Ok(status(500)),
            _ => Ok(status(204)),
        }
    }

    /// The work of one thread: calls of which every third is dropped after some polls.
    fn work(self, thread: u64, client: &ReliableApiClient) {
        let random = SeededRandom::new(self.seed + 2 + thread);
        runtime().block_on(async {
            for turn in 0..self.turns {
                let calls = (0..self.at_once).map(|number| {
                    let patience = match draw(&random, 0, 2) {
                        0 => draw(&random, 0, 12) as usize,
                        _ => usize::MAX,
                    };
                    let target = CALL.query("n", format!("{thread}.{turn}.{number}"));
                    let call = client.get(target).send();
                    async move {
                        tokio::select! {
                            biased;
                            _ = call => {}
                            () = give_way(patience) => {}
                        }
                    }
                });
                join_all(calls).await;
            }
        });
    }

    /// The first violation after the round, if there is one.
    fn verdict(self, limit: &ConcurrencyLimit, budget: &RetryBudget, seen: &Seen) -> Vec<String> {
        let calls = (seen.calls.len() + seen.gathered) as f64;
        let retries = f64::from(seen.retries);
        let tokens = f64::from(self.tokens);
        let earned = calls / 10.0;
        // A deposit into a full budget is lost. While the service is down, a budget that holds
        // more than all calls in flight can earn is full only until the first have come back.
        let stays_below = self.is_down && self.tokens > 5;
        let at_first = (self.threads * self.at_once) as f64 / 10.0;
        let least = tokens + earned - at_first - retries;
        let rows = [
            ("requests are in flight", seen.in_flight == 0),
            (
                "more in flight than slots",
                seen.most_in_flight <= self.slots as usize,
            ),
            (
                "a limit above its maximum",
                limit.current() <= self.slots as usize,
            ),
            (
                "more retries than tokens",
                retries <= tokens + earned + 1e-6,
            ),
            (
                "more tokens than there can be",
                budget.tokens() <= tokens + 1e-6,
            ),
            (
                "tokens out of nothing",
                budget.tokens() <= tokens + earned - retries + 1e-6,
            ),
            (
                "a token is lost",
                !stays_below || budget.tokens() >= least - 1e-6,
            ),
        ];
        let wrong = rows.into_iter().filter(|(_, holds)| !holds);
        wrong.map(|(row, _)| row.to_owned()).collect()
    }
}

fn runtime() -> tokio::runtime::Runtime {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.expect("a runtime")
}

#[test]
fn nothing_shared_is_lost_or_passes_its_bound_under_the_calls_of_many_threads() {
    let rounds = env::var("STRESS_ROUNDS");
    let rounds = rounds.map_or(8, |rounds| rounds.parse().expect("a number"));
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stress.log");
    let mut output = File::create(&kept).expect("a file");
    let mut keep = |what: &dyn Debug| writeln!(output, "{what:?}").expect("written");
    for round in (0..rounds).map(Round::of) {
        keep(&round);

        let (limit, budget, seen) = round.run();

        keep(&(
            &limit,
            &budget,
            &seen.retries,
            &seen.calls.len(),
            &seen.most_in_flight,
        ));
        let wrong = round.verdict(&limit, &budget, &seen);
        keep(&wrong);
        let wrong = wrong.join(", ");
        assert!(
            wrong.is_empty(),
            "{wrong}: see the end of {}",
            kept.display()
        );
    }
}
