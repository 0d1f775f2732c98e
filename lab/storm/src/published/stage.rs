//! The parts of a simulated experiment: real clients, a model as their transport, and one
//! timeline for both.

use std::{
    cell::RefCell,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use client::{ApiClient, Builder, Clock, Failure, FailureKind, SeededRandom};
use futures_executor::LocalPool;
use http::{Extensions, StatusCode};
use reqwest::{Request, Response};
use reqwest_middleware::{Middleware, Next, Result};

use super::experiment::{Call, ExperimentRun};
use crate::{
    clients::{self, CALL, counts::ClientCounts},
    model::{
        service::respond,
        timeline::{Timeline, spawn},
    },
};

/// A model of a service: the result of a request, and its time.
pub(super) trait ModelledService: Send + Sync + 'static {
    /// Responds to a request when its work is done, which takes as long if the client has
    /// left; then there is no response.
    fn respond(&self) -> impl Future<Output = Option<StatusCode>> + Send;
}

/// One run of an experiment.
#[derive(Default)]
pub(super) struct Stage {
    timeline: Timeline,
    pool: LocalPool,
    calls: Rc<RefCell<Vec<Call>>>,
    /// The counts of the transport.
    sent: Arc<Sent>,
    /// The counts of the clients.
    counted: ClientCounts,
}

#[derive(Default)]
struct Sent {
    requests: AtomicU64,
    ended: AtomicU64,
}

impl Stage {
    pub(super) fn timeline(&self) -> Timeline {
        self.timeline.clone()
    }

    /// The service, as a transport for any number of clients.
    pub(super) fn transport<S: ModelledService>(&self, service: S) -> Transport<S> {
        Transport {
            service: Arc::new(service),
            sent: Arc::clone(&self.sent),
        }
    }

    /// A client on this transport: without a budget and without a limit, unless they
    /// are set.
    pub(super) fn client<S: ModelledService>(
        &self,
        transport: &Transport<S>,
        seed: u64,
    ) -> Builder {
        let random = SeededRandom::new(seed);
        clients::builder(transport.clone(), &self.timeline, random, &self.counted)
    }

    /// Makes a client call at each of these moments, without waiting for the last call.
    pub(super) fn calls(&self, client: ApiClient, moments: Vec<Duration>) {
        let (timeline, calls) = (self.timeline(), Rc::clone(&self.calls));
        let spawner = self.pool.spawner();
        let begin = async move {
            for moment in moments {
                timeline.reach(moment).await;
                let call = call(client.clone(), timeline.clone(), Rc::clone(&calls));
                spawn(&spawner, call);
            }
        };
        spawn(&self.pool.spawner(), begin);
    }

    /// Simulates until everything has ended, or until the end.
    pub(super) fn simulate(mut self, end: Duration) -> ExperimentRun {
        self.timeline.run(&mut self.pool, end);
        ExperimentRun {
            calls: self.calls.take(),
            requests: self.sent.requests.load(Ordering::Relaxed),
            ended: self.sent.ended.load(Ordering::Relaxed),
            attempts: self.counted.attempts(),
        }
    }
}

#[expect(
    clippy::indexing_slicing,
    reason = "it was pushed, and none is taken while calls are under way"
)]
async fn call(client: ApiClient, timeline: Timeline, calls: Rc<RefCell<Vec<Call>>>) {
    let number = {
        let mut calls = calls.borrow_mut();
        calls.push(Call {
            began: timeline.monotonic(),
            ended: None,
            has_succeeded: false,
        });
        calls.len() - 1
    };
    let result = client.get(CALL).send().await;
    let call = &mut calls.borrow_mut()[number];
    call.ended = Some(timeline.monotonic());
    call.has_succeeded = result.is_ok();
}

/// A service as the transport of clients.
pub(super) struct Transport<S> {
    service: Arc<S>,
    sent: Arc<Sent>,
}

impl<S> Clone for Transport<S> {
    fn clone(&self) -> Self {
        Self {
            service: Arc::clone(&self.service),
            sent: Arc::clone(&self.sent),
        }
    }
}

#[async_trait::async_trait]
impl<S: ModelledService> Middleware for Transport<S> {
    async fn handle(&self, request: Request, _: &mut Extensions, _: Next<'_>) -> Result<Response> {
        self.sent.requests.fetch_add(1, Ordering::Relaxed);
        let status = self.service.respond().await;
        self.sent.ended.fetch_add(1, Ordering::Relaxed);
        let status = status.ok_or(Failure(FailureKind::ReadTimeout))?;
        Ok(respond(&request, status, None))
    }
}
