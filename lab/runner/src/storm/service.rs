//! The service of a storm as a queue: places that work, and a queue of bounded length
//! before them. A request whose client has gone away is worked on all the same: that is
//! what keeps a service down.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Poll, Waker},
    time::Duration,
};

use client::{Clock, Failure, FailureKind};
use futures_util::{
    future::{Either, poll_fn, select},
    pin_mut,
};
use http::{Extensions, Response as HttpResponse, StatusCode, header::CONTENT_TYPE};
use rand::{SeedableRng, rngs::ChaCha12Rng};
use reqwest::{Request, Response};
use reqwest_middleware::{Error, Middleware, Next, Result as Sent};
use tokio::sync::oneshot;

use super::{chance::exponential, counts::Counts, timeline::Timeline};

/// How a service is built.
#[derive(Clone, Copy, Debug)]
pub(super) struct Design {
    /// How many requests it works on at once.
    pub(super) places: usize,
    /// How many more may wait; a request beyond that gets a 503 at once.
    pub(super) queue: usize,
    /// How long one takes on average. Each takes a time drawn from the exponential
    /// distribution.
    pub(super) work: Duration,
}

/// The service, as the transport of any number of clients.
#[derive(Clone)]
pub(super) struct Service {
    timeline: Timeline,
    /// How long a client waits for a response.
    timeout: Duration,
    state: Arc<Mutex<State>>,
    counts: Counts,
}

struct State {
    design: Design,
    queue: VecDeque<oneshot::Sender<()>>,
    /// Places without work, the one that has waited for the longest time first.
    idle: VecDeque<Waker>,
    busy: usize,
    random: ChaCha12Rng,
}

impl Service {
    pub(super) fn new(
        design: Design,
        timeout: Duration,
        timeline: Timeline,
        seed: u64,
        counts: Counts,
    ) -> Self {
        let state = State {
            design,
            queue: VecDeque::new(),
            idle: VecDeque::new(),
            busy: 0,
            random: ChaCha12Rng::seed_from_u64(seed),
        };
        Self {
            timeline,
            timeout,
            state: Arc::new(Mutex::new(state)),
            counts,
        }
    }

    /// One place: works on one request after the other, for ever.
    pub(super) async fn place(self) {
        loop {
            let response = self.next().await;
            let took = self.lock().begin();
            self.timeline.sleep(took).await;
            // Nobody is there to receive what was abandoned.
            let is_useful = response.send(()).is_ok();
            self.counts.worked(self.timeline.monotonic(), is_useful);
            self.lock().busy -= 1;
        }
    }

    /// How many requests wait.
    pub(super) fn waiting(&self) -> usize {
        self.lock().queue.len()
    }

    /// How many requests are worked on.
    pub(super) fn busy(&self) -> usize {
        self.lock().busy
    }

    async fn next(&self) -> oneshot::Sender<()> {
        poll_fn(|cx| {
            let mut state = self.lock();
            match state.queue.pop_front() {
                Some(request) => Poll::Ready(request),
                None => {
                    state.idle.push_back(cx.waker().clone());
                    Poll::Pending
                }
            }
        })
        .await
    }

    /// Takes a request in, if there is room.
    fn admit(&self) -> Option<oneshot::Receiver<()>> {
        let (respond, response) = oneshot::channel();
        let idle = {
            let mut state = self.lock();
            let room = state.design.queue + state.idle.len();
            if state.queue.len() >= room {
                return None;
            }
            state.queue.push_back(respond);
            state.idle.pop_front()
        };
        if let Some(idle) = idle {
            idle.wake();
        }
        Some(response)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Begins to work on a request: how long it takes.
    fn begin(&mut self) -> Duration {
        self.busy += 1;
        exponential(&mut self.random, self.design.work)
    }
}

#[async_trait::async_trait]
impl Middleware for Service {
    async fn handle(&self, _: Request, _: &mut Extensions, _: Next<'_>) -> Sent<Response> {
        self.counts.requested(self.timeline.monotonic());
        let Some(response) = self.admit() else {
            self.counts.rejected();
            return Ok(respond(StatusCode::SERVICE_UNAVAILABLE));
        };
        let timeout = self.timeline.sleep(self.timeout);
        pin_mut!(response);
        match select(response, timeout).await {
            Either::Left(_) => Ok(respond(StatusCode::OK)),
            Either::Right(_) => Err(Error::from(Failure(FailureKind::ReadTimeout))),
        }
    }
}

fn respond(status: StatusCode) -> Response {
    let response = HttpResponse::builder()
        .status(status)
        .header(CONTENT_TYPE, "application/json")
        .body("{}");
    response.expect("a response").into()
}
