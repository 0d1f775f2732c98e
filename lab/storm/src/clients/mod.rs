//! The clients of a storm: the real client, configured by a policy.

pub(crate) mod attempts;
pub(crate) mod counts;

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use client::{
    ApiClient, Builder, Clock, ConcurrencyLimit, ConfigError, Endpoint, NoWait, Random,
    RetryBudget, SeededRandom, Timeouts,
};
use futures_executor::LocalSpawner;
use http::{Extensions, header::RETRY_AFTER};
use rand::{RngExt, rngs::ChaCha12Rng};
use reqwest::{Request, Response};
use reqwest_middleware::{Middleware, Next};
use reqwest_retry::{RetryDecision, RetryPolicy};

use crate::{
    Setup,
    model::{
        chance::{Stream, stream},
        layers::Hop,
        service::Service,
        timeline::Timeline,
    },
    policy::{Backoff, RetryAfterIs, Retrying},
};
use counts::ClientCounts;

/// The endpoint of every call.
pub(crate) const CALL: Endpoint = Endpoint::new("storm", "/storm");

/// A placeholder for the service's address. No request is sent there.
const URL: &str = "http://storm.invalid";

/// The clients of one policy.
pub(crate) struct Clients {
    clients: Vec<Client>,
    /// The counts of the clients that call the last service.
    counted: ClientCounts,
}

/// One client: the state that its calls share.
#[derive(Clone)]
pub(crate) struct Client {
    client: ApiClient,
    budget: Option<RetryBudget>,
    limit: Option<ConcurrencyLimit>,
}

impl Clients {
    /// The clients of a service with this setup.
    pub(crate) fn new(
        service: &Service,
        setup: &Setup,
        seed: u64,
        spawner: &LocalSpawner,
    ) -> Result<Self, ConfigError> {
        let number = match setup.own_clients {
            0 => service.settings.clients,
            own => own,
        };
        let counted = ClientCounts::default();
        let mut next = Hop::to(service);
        let mut counts_here = counted.clone();
        for layer in 1..setup.layers {
            let attempts = match setup.retries_in {
                Retrying::EachLayer => setup.attempts,
                Retrying::Client => 1,
            };
            let own = Setup {
                attempts,
                deadline: Duration::ZERO,
                ..*setup
            };
            let random = stream(seed, Stream::Layer(layer));
            let client = connect(&own, random, next, &counts_here)?;
            next = Hop::through(client, service, spawner);
            counts_here = ClientCounts::default();
        }
        let clients = (0..number).map(|number| {
            let random = stream(seed, Stream::Client(number));
            connect(setup, random, next.clone(), &counts_here)
        });
        Ok(Self {
            clients: clients.collect::<Result<_, _>>()?,
            counted,
        })
    }

    /// The client that makes this call: they take turns.
    #[expect(
        clippy::indexing_slicing,
        reason = "it is a remainder of their number, and settings ask for one at least"
    )]
    pub(crate) fn turn(&self, call: usize) -> &Client {
        &self.clients[call % self.clients.len()]
    }

    /// The tokens left in the budget of a client, on average.
    pub(crate) fn tokens(&self) -> Option<f64> {
        self.average(|client| client.budget.as_ref().map(RetryBudget::tokens))
    }

    /// The attempts that a client may have in flight, on average.
    pub(crate) fn limit(&self) -> Option<f64> {
        self.average(|client| Some(client.limit.as_ref()?.current() as f64))
    }

    /// The attempts and the retries that the clients of the last service counted.
    pub(crate) fn counted(&self) -> (u64, u64) {
        (self.counted.attempts(), self.counted.retries())
    }

    fn average(&self, of: impl Fn(&Client) -> Option<f64>) -> Option<f64> {
        let sum: Option<f64> = self.clients.iter().map(of).sum();
        sum.map(|sum| sum / self.clients.len() as f64)
    }
}

impl Client {
    /// Makes a call: whether it succeeded.
    pub(crate) async fn call(&self) -> bool {
        self.client.get(CALL).send().await.is_ok()
    }
}

/// The real client on the transport of a model, without a budget or a limit unless they
/// are set.
pub(crate) fn builder(
    transport: impl Middleware,
    timeline: &Timeline,
    random: impl Random + 'static,
    counted: &ClientCounts,
) -> Builder {
    ApiClient::builder(URL)
        .transport(transport)
        .clock(Arc::new(timeline.clone()))
        .random(Arc::new(random))
        .recorder(counted.recorder())
        .retry_budget(None)
        .concurrency_limit(None)
}

/// Sets the waits of a client, whose ceilings are those of the first wait and of all.
pub(crate) fn backoff(
    builder: Builder,
    backoff: Backoff,
    (base, cap): (Duration, Duration),
    timeline: &Timeline,
) -> Result<Builder, ConfigError> {
    Ok(match backoff {
        Backoff::Jitter => builder.backoff(base, cap),
        Backoff::Exponential | Backoff::Constant => {
            // A wait that may not grow is constant.
            let cap = if backoff == Backoff::Constant {
                base
            } else {
                cap
            };
            let clock = Arc::new(timeline.clone());
            let random = Arc::new(SeededRandom::new(0));
            let ceilings = client::Backoff::new(base, cap, clock, random)?;
            builder.policy(Ceiling(ceilings, timeline.clone()))
        }
        Backoff::None => builder.policy(NoWait),
    })
}

/// A policy of one's own: it waits for the ceilings of a backoff, without a draw.
struct Ceiling(client::Backoff, Timeline);

impl RetryPolicy for Ceiling {
    fn should_retry(&self, _: SystemTime, past_retries: u32) -> RetryDecision {
        let Self(backoff, timeline) = self;
        RetryDecision::Retry {
            execute_after: timeline.wall() + backoff.ceiling(past_retries),
        }
    }
}

/// Configures the real client by a policy. Features that a policy lacks are off.
fn connect(
    setup: &Setup,
    random: ChaCha12Rng,
    next: Hop,
    counted: &ClientCounts,
) -> Result<Client, ConfigError> {
    let (timeline, timeout) = (next.last.timeline.clone(), next.last.settings.timeout);
    let budget = (setup.budget > 0).then(|| RetryBudget::new(setup.budget));
    let limit = (setup.concurrency > 0).then(|| ConcurrencyLimit::new(setup.concurrency));
    let builder = builder(next, &timeline, Draws(random.into()), counted)
        .timeouts(Timeouts::DEFAULT.connect, timeout)
        .max_attempts(setup.attempts)
        .deadline((!setup.deadline.is_zero()).then_some(setup.deadline))
        .retry_after_spread(setup.spread)
        .retry_budget(budget.clone())
        .concurrency_limit(limit.clone());
    let builder = backoff(builder, setup.backoff, (setup.base, setup.cap), &timeline)?;
    let builder = match setup.retry_after {
        RetryAfterIs::Obeyed => builder,
        RetryAfterIs::Ignored => builder.middleware(IgnoresRetryAfter),
    };
    Ok(Client {
        client: builder.build()?,
        budget,
        limit,
    })
}

/// Hides every `Retry-After` from the client.
struct IgnoresRetryAfter;

#[async_trait::async_trait]
impl Middleware for IgnoresRetryAfter {
    async fn handle(
        &self,
        request: Request,
        extensions: &mut Extensions,
        next: Next<'_>,
    ) -> reqwest_middleware::Result<Response> {
        let mut response = next.run(request, extensions).await?;
        response.headers_mut().remove(RETRY_AFTER);
        Ok(response)
    }
}

/// The source of one client's jitter.
struct Draws(std::sync::Mutex<ChaCha12Rng>);

impl Random for Draws {
    fn unit(&self) -> f64 {
        let random = self.0.lock();
        random
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .random()
    }
}

#[cfg(test)]
mod tests {
    use std::{cell::RefCell, rc::Rc};

    use futures_executor::LocalPool;

    use super::*;
    use crate::{
        Incident, RetryAfter, Settings, model::timeline::spawn, policy::CALLS_PER_RETRY,
        settings::Work,
    };

    /// A service that refuses everything for ten seconds.
    const DOWN: Settings = Settings {
        incident: Incident::Refusal,
        incident_starts: Duration::ZERO,
        incident_lasts: Duration::from_secs(10),
        ..Settings::DEFAULT
    };

    /// A service that takes so long that no client waits for it.
    const SLOW: Settings = Settings {
        incident: Incident::None,
        work: Work::Constant,
        work_time: Duration::from_secs(3),
        timeout: Duration::from_millis(50),
        ..Settings::DEFAULT
    };

    /// A healthy service.
    const UP: Settings = Settings {
        work_time: Duration::from_millis(20),
        timeout: Duration::from_secs(1),
        ..SLOW
    };

    const AT_ONCE: Setup = Setup {
        backoff: Backoff::None,
        ..Setup::DEFAULT
    };

    /// So many calls, one after the other: the clients, whether each call succeeded, and
    /// when it ended.
    fn called(settings: &Settings, setup: Setup, calls: usize) -> (Rc<Clients>, Vec<(bool, u64)>) {
        let mut pool = LocalPool::new();
        let service = Service::new(settings, 1);
        service.start(&pool.spawner());
        let clients = Clients::new(&service, &setup, 1, &pool.spawner());
        let clients = Rc::new(clients.expect("it keeps the client's rules"));
        let ended = Rc::new(RefCell::new(Vec::new()));
        let timeline = service.timeline.clone();
        let (clock, of_all, ends) = (timeline.clone(), Rc::clone(&clients), Rc::clone(&ended));
        spawn(&pool.spawner(), async move {
            for call in 0..calls {
                let has_succeeded = of_all.turn(call).call().await;
                let at = clock.monotonic().as_millis() as u64;
                ends.borrow_mut().push((has_succeeded, at));
            }
        });
        timeline.run(&mut pool, Duration::from_secs(100));
        (clients, ended.take())
    }

    /// When the one call ended, which failed.
    fn failed_at(settings: &Settings, setup: Setup) -> u64 {
        let (_, ended) = called(settings, setup, 1);
        let [(false, at)] = ended[..] else {
            panic!("a call that fails: {ended:?}")
        };
        at
    }

    #[test]
    fn a_policy_has_as_many_clients_as_the_storm_or_its_own() {
        let number = |own_clients| {
            let setup = Setup {
                own_clients,
                ..AT_ONCE
            };
            called(&DOWN, setup, 0).0.clients.len()
        };

        assert_eq!(number(0), 10);
        assert_eq!(number(3), 3);
    }

    #[test]
    fn calls_take_turns_with_clients_that_have_a_budget_each() {
        let tokens = |calls| {
            let setup = Setup {
                attempts: 2,
                budget: 4,
                own_clients: 2,
                ..AT_ONCE
            };
            called(&DOWN, setup, calls).0.tokens()
        };

        for (calls, expected) in [(0, 4.0), (1, 3.5), (2, 3.0), (3, 2.55), (4, 2.1)] {
            let tokens = tokens(calls).expect("a budget");
            // A call earns a tenth of a token, if its client has room for it.
            assert!((tokens - expected).abs() < 1e-9, "{calls}: {tokens}");
        }
        assert!(tokens(100).expect("a budget") < 1.0);
        assert_eq!(RetryBudget::DEFAULT_CALLS_PER_RETRY.get(), CALLS_PER_RETRY);
    }

    #[test]
    fn a_limit_is_that_of_each_client() {
        let limit = |concurrency| {
            let setup = Setup {
                concurrency,
                budget: concurrency,
                ..AT_ONCE
            };
            let (clients, _) = called(&UP, setup, 3);
            (clients.limit(), clients.tokens())
        };

        assert_eq!(limit(4), (Some(4.0), Some(4.0)));
        assert_eq!(limit(0), (None, None));
    }

    #[test]
    fn the_wait_before_a_retry_is_that_of_the_policy() {
        let exponential = Setup {
            backoff: Backoff::Exponential,
            base: Duration::from_millis(100),
            cap: Duration::from_millis(300),
            attempts: 4,
            ..Setup::DEFAULT
        };
        let jitter = Setup {
            backoff: Backoff::Jitter,
            ..exponential
        };
        let constant = Setup {
            backoff: Backoff::Constant,
            ..exponential
        };
        let dead = Setup {
            deadline: Duration::from_millis(150),
            ..exponential
        };

        assert_eq!(failed_at(&DOWN, exponential), 100 + 200 + 300);
        assert_eq!(failed_at(&DOWN, constant), 100 + 100 + 100);
        assert_eq!(failed_at(&DOWN, dead), 100);
        let drawn = failed_at(&DOWN, jitter);
        assert!((1..600).contains(&drawn), "{drawn}");
        let (_, ended) = called(&DOWN, jitter, 2);
        assert_ne!(ended[1].1, 2 * drawn, "each client draws its own");
    }

    #[test]
    fn attempts_of_the_layers_multiply_and_only_those_to_the_last_service_are_counted() {
        let (each, client_only) = (Retrying::EachLayer, Retrying::Client);
        for (layers, retries_in, counted) in [
            (1, each, (3, 2)),
            (2, each, (9, 6)),
            (3, each, (27, 18)),
            (3, client_only, (3, 0)),
        ] {
            let setup = Setup {
                layers,
                retries_in,
                ..AT_ONCE
            };

            let (clients, ended) = called(&DOWN, setup, 1);
            let (_, slow) = called(&SLOW, setup, 1);
            let (healthy, up) = called(&UP, setup, 1);

            assert_eq!(clients.counted(), counted, "{layers}");
            assert_eq!(healthy.counted(), (1, 0), "{layers}");
            assert_eq!((ended, up), (vec![(false, 0)], vec![(true, 20)]));
            // The client gives up, and the services behind it go on.
            assert_eq!(slow, [(false, 150)], "{layers}");
        }
    }

    #[test]
    fn a_retry_after_is_obeyed_with_a_random_delay_or_ignored() {
        let with_retry_after = Settings {
            retry_after: RetryAfter::Seconds,
            incident_lasts: Duration::from_secs(2),
            work: Work::Constant,
            work_time: Duration::from_millis(20),
            ..DOWN
        };
        let ended = |retry_after, spread| {
            let setup = Setup {
                retry_after,
                spread,
                ..AT_ONCE
            };
            let (_, ended) = called(&with_retry_after, setup, 1);
            ended[0]
        };

        let (_, with) = ended(RetryAfterIs::Obeyed, Duration::from_secs(5));

        assert_eq!(ended(RetryAfterIs::Ignored, Duration::ZERO), (false, 0));
        assert_eq!(ended(RetryAfterIs::Obeyed, Duration::ZERO), (true, 2_020));
        assert!((2_021..7_020).contains(&with), "{with}");
    }
}
