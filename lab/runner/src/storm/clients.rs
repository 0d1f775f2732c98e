//! The clients of a storm: the one that ships, set up by a policy, and the one that is
//! written first.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use client::{
    Builder, ConcurrencyLimit, ConfigError, Endpoint, NoWait, Random, ReliableApiClient,
    RetryBudget, Timeouts, install_tls_provider,
    telemetry::{ATTEMPTS, RETRIES, SharedRecorder},
};
use evidence::storm::{Backoff, ClientKind, Settings, Setup};
use http::Extensions;
use rand::{RngExt, rngs::ChaCha12Rng};
use reqwest::{Method, Request, Url};
use reqwest_middleware::{ClientWithMiddleware, Middleware};

use super::{
    chance::{Stream, stream},
    exponential::Exponential,
    service::Service,
    timeline::Timeline,
};
use crate::totals::Totals;

/// What every call asks for.
pub(super) const CALL: Endpoint = Endpoint::new("storm", "/storm");

/// Where the service is said to be. Nothing is sent there.
const URL: &str = "http://storm.invalid";

/// The clients of one policy.
pub(super) struct Clients {
    clients: Vec<Client>,
    counted: Arc<Totals>,
}

/// One of them: what calls through it share.
#[derive(Clone)]
pub(super) enum Client {
    Reliable {
        client: ReliableApiClient,
        budget: Option<RetryBudget>,
        limit: Option<ConcurrencyLimit>,
    },
    Naive(Arc<NaiveClient>),
}

impl Clients {
    pub(super) fn new(
        settings: &Settings,
        setup: &Setup,
        seed: u64,
        service: &Service,
        timeline: &Timeline,
    ) -> Result<Self, ConfigError> {
        let number = match setup.clients {
            0 => settings.clients,
            own => own,
        };
        let counted = Arc::new(Totals::default());
        let clients = (0..number).map(|number| match setup.client {
            ClientKind::Reliable => {
                let random = stream(seed, Stream::Client(number));
                reliable(settings, setup, random, service, timeline, &counted)
            }
            ClientKind::Naive => NaiveClient::new(settings, setup, service)
                .map(|client| Client::Naive(Arc::new(client))),
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
    pub(super) fn turn(&self, call: usize) -> Client {
        self.clients[call % self.clients.len()].clone()
    }

    /// The tokens left in the budget of a client, on average.
    pub(super) fn tokens(&self) -> Option<f64> {
        self.average(|client| match client {
            Client::Reliable { budget, .. } => budget.as_ref().map(RetryBudget::tokens),
            Client::Naive(_) => None,
        })
    }

    /// The attempts that a client may have in flight, on average.
    pub(super) fn limit(&self) -> Option<f64> {
        self.average(|client| match client {
            Client::Reliable { limit, .. } => limit.as_ref().map(|limit| limit.current() as f64),
            Client::Naive(_) => None,
        })
    }

    /// The attempts and the retries that the clients counted.
    pub(super) fn counted(&self) -> (u64, u64) {
        let read = self.counted.read();
        let count = |name: &str| read.get(name).copied().unwrap_or_default();
        let naive = self.clients.iter().filter_map(|client| match client {
            Client::Reliable { .. } => None,
            Client::Naive(client) => Some((
                client.attempts.load(Ordering::Relaxed),
                client.retries.load(Ordering::Relaxed),
            )),
        });
        naive.fold((count(ATTEMPTS.name), count(RETRIES.name)), |sum, naive| {
            (sum.0 + naive.0, sum.1 + naive.1)
        })
    }

    fn average(&self, of: impl Fn(&Client) -> Option<f64>) -> Option<f64> {
        let sum: Option<f64> = self.clients.iter().map(of).sum();
        sum.map(|sum| sum / self.clients.len() as f64)
    }
}

impl Client {
    /// Makes a call: whether it succeeded.
    pub(super) async fn call(&self) -> bool {
        match self {
            Self::Reliable { client, .. } => client.get(CALL).await.is_ok(),
            Self::Naive(client) => client.call().await,
        }
    }
}

/// A client that ships, on the transport of a model: without a budget and without a limit,
/// unless they are set.
pub(super) fn builder(
    transport: impl Middleware,
    timeline: &Timeline,
    random: impl Random + 'static,
    counted: &Arc<Totals>,
) -> Builder {
    let recorder: SharedRecorder = Arc::<Totals>::clone(counted);
    ReliableApiClient::builder(URL)
        .transport(transport)
        .clock(Arc::new(timeline.clone()))
        .random(Arc::new(random))
        .recorder(recorder)
        .retry_budget(None)
        .concurrency_limit(None)
}

/// Sets the client that ships up by a policy. What a policy does not have is turned off.
fn reliable(
    settings: &Settings,
    setup: &Setup,
    random: ChaCha12Rng,
    service: &Service,
    timeline: &Timeline,
    counted: &Arc<Totals>,
) -> Result<Client, ConfigError> {
    let budget = (setup.budget > 0).then(|| {
        let ratio = setup.calls_per_retry.try_into();
        RetryBudget::with_ratio(
            setup.budget,
            ratio.unwrap_or(RetryBudget::DEFAULT_CALLS_PER_RETRY),
        )
    });
    let limit = (setup.concurrency > 0).then(|| ConcurrencyLimit::new(setup.concurrency));
    let builder = builder(service.clone(), timeline, Draws(random.into()), counted)
        .timeouts(Timeouts::DEFAULT.connect, settings.timeout)
        .max_attempts(setup.attempts)
        .deadline((!setup.deadline.is_zero()).then_some(setup.deadline))
        .retry_after_spread(setup.spread)
        .retry_budget(budget.clone())
        .concurrency_limit(limit.clone());
    let builder = match setup.backoff {
        Backoff::Jitter => builder.backoff(setup.base, setup.cap),
        Backoff::Exponential => builder.policy(Exponential {
            base: setup.base,
            cap: setup.cap,
            timeline: timeline.clone(),
        }),
        Backoff::None => builder.policy(NoWait),
    };
    Ok(Client::Reliable {
        client: builder.build()?,
        budget,
        limit,
    })
}

/// What the jitter of one client is drawn from.
struct Draws(std::sync::Mutex<ChaCha12Rng>);

impl Random for Draws {
    fn unit(&self) -> f64 {
        let random = self.0.lock();
        random
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .random()
    }
}

/// The loop of many a first version: it tries again at once, whatever it was told. A
/// timeout it has all the same, since a run has to end.
pub(super) struct NaiveClient {
    http: ClientWithMiddleware,
    attempts_allowed: u32,
    timeouts: Timeouts,
    attempts: AtomicU64,
    retries: AtomicU64,
}

impl NaiveClient {
    fn new(settings: &Settings, setup: &Setup, service: &Service) -> Result<Self, ConfigError> {
        install_tls_provider();
        // It sends nothing: the model of the service is in its place.
        let session = reqwest::Client::builder().no_proxy().tls_certs_only([]);
        let session = session
            .build()
            .map_err(|error| ConfigError::Session(error.without_url()))?;
        Ok(Self {
            http: reqwest_middleware::ClientBuilder::new(session)
                .with(service.clone())
                .build(),
            attempts_allowed: setup.attempts,
            timeouts: Timeouts {
                read: settings.timeout,
                ..Timeouts::DEFAULT
            },
            attempts: AtomicU64::new(0),
            retries: AtomicU64::new(0),
        })
    }

    async fn call(&self) -> bool {
        for attempt in 1..=self.attempts_allowed {
            if attempt > 1 {
                self.retries.fetch_add(1, Ordering::Relaxed);
            }
            #[expect(clippy::expect_used, reason = "a constant of this file")]
            let url = Url::parse(URL).expect("an address of the lab's own");
            let request = Request::new(Method::GET, url);
            let mut extensions = Extensions::new();
            extensions.insert(self.timeouts);
            let sent = self.http.execute_with_extensions(request, &mut extensions);
            let response = sent.await;
            self.attempts.fetch_add(1, Ordering::Relaxed);
            if response.is_ok_and(|response| response.status().is_success()) {
                return true;
            }
        }
        false
    }
}
