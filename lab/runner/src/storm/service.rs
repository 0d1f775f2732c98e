//! The service of a storm as a queue: places that work, and a queue of bounded length
//! before them. A request whose client has gone away is worked on all the same: that is
//! what keeps a service down.

use std::{
    collections::VecDeque,
    future::pending,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Poll, Waker},
    time::{Duration, SystemTime},
};

use client::{Clock, Failure, FailureKind, Timeouts};
use evidence::storm::{RetryAfter, Settings, Trouble, Work};
use futures_util::{
    future::{Either, poll_fn, select},
    pin_mut,
};
use http::{
    Extensions, HeaderValue, Response as HttpResponse, StatusCode,
    header::{CONTENT_TYPE, RETRY_AFTER},
};
use rand::rngs::ChaCha12Rng;
use reqwest::{Request, Response};
use reqwest_middleware::{Error, Middleware, Next, Result as Sent};
use tokio::sync::oneshot;

use super::{
    call::{self, Before, Last},
    chance::exponential,
    counts::Counts,
    timeline::Timeline,
};

/// The service, as the transport of any number of clients.
#[derive(Clone)]
pub(super) struct Service {
    settings: Settings,
    timeline: Timeline,
    state: Arc<Mutex<State>>,
    counts: Counts,
}

struct State {
    queue: VecDeque<oneshot::Sender<()>>,
    /// Places without work, the one that has waited for the longest time first.
    idle: VecDeque<Waker>,
    busy: usize,
    random: ChaCha12Rng,
}

impl Service {
    pub(super) fn new(
        settings: &Settings,
        timeline: Timeline,
        random: ChaCha12Rng,
        counts: Counts,
    ) -> Self {
        let state = State {
            queue: VecDeque::new(),
            idle: VecDeque::new(),
            busy: 0,
            random,
        };
        Self {
            settings: *settings,
            timeline,
            state: Arc::new(Mutex::new(state)),
            counts,
        }
    }

    /// One place: works on one request after the other, for ever.
    pub(super) async fn place(self, number: u32) {
        loop {
            self.rest(number).await;
            let response = self.next().await;
            // Trouble may have come while there was nothing to do.
            self.rest(number).await;
            let took = self.begin();
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

    /// Waits until this place may work.
    async fn rest(&self, number: u32) {
        let works = match self.settings.trouble {
            Trouble::Cut => number < self.settings.places_left,
            Trouble::Pause => false,
            Trouble::Spike | Trouble::Refusal | Trouble::None => true,
        };
        if !works && self.settings.is_troubled(self.timeline.monotonic()) {
            self.timeline.reach(self.settings.trouble_ends()).await;
        }
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

    /// Begins to work on a request: how long it takes.
    fn begin(&self) -> Duration {
        let mut state = self.lock();
        let others = u32::try_from(state.busy).unwrap_or(u32::MAX);
        state.busy += 1;
        let time = self.settings.work_time;
        match self.settings.work {
            Work::Exponential => exponential(&mut state.random, time),
            Work::Constant => time,
            Work::Growing => time + self.settings.growth * others,
        }
    }

    /// Takes a request in, if there is room.
    fn admit(&self) -> Option<oneshot::Receiver<()>> {
        let is_refused = self.settings.trouble == Trouble::Refusal
            && self.settings.is_troubled(self.timeline.monotonic());
        let (respond, response) = oneshot::channel();
        let idle = {
            let mut state = self.lock();
            let room = self.settings.queue as usize + state.idle.len();
            if is_refused || state.queue.len() >= room {
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

    /// What a 503 says of when to come back.
    fn retry_after(&self) -> Option<HeaderValue> {
        let now = self.timeline.monotonic();
        if !self.settings.is_troubled(now) {
            return None;
        }
        let ends = self.settings.trouble_ends();
        let text = match self.settings.retry_after {
            RetryAfter::None => return None,
            RetryAfter::Seconds => ceiling(ends.saturating_sub(now)).to_string(),
            RetryAfter::Date => {
                let date = SystemTime::UNIX_EPOCH + Duration::from_secs(ceiling(ends));
                httpdate::fmt_http_date(date)
            }
        };
        HeaderValue::try_from(text).ok()
    }

    /// The client of a request has got this.
    fn got(&self, what: Before) {
        call::got(Last {
            got: what,
            at: self.timeline.monotonic(),
        });
        self.counts.settled(what);
    }

    /// How long the client waits for the response to this request.
    fn patience(&self, request: &Request, extensions: &Extensions) -> Duration {
        let timeouts = extensions.get::<Timeouts>();
        let read = timeouts.map_or(self.settings.timeout, |timeouts| timeouts.read);
        // What is left until the deadline of the call.
        request.timeout().map_or(read, |whole| read.min(*whole))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait::async_trait]
impl Middleware for Service {
    async fn handle(
        &self,
        request: Request,
        extensions: &mut Extensions,
        _: Next<'_>,
    ) -> Sent<Response> {
        if !self
            .counts
            .requested(self.timeline.monotonic(), call::before())
        {
            // The run is about to end.
            return pending().await;
        }
        let Some(response) = self.admit() else {
            self.counts.rejected();
            self.got(Before::Refusal);
            return Ok(respond(StatusCode::SERVICE_UNAVAILABLE, self.retry_after()));
        };
        let timeout = self.timeline.sleep(self.patience(&request, extensions));
        pin_mut!(response);
        match select(response, timeout).await {
            Either::Left(_) => {
                self.got(Before::Success);
                Ok(respond(StatusCode::OK, None))
            }
            Either::Right(_) => {
                self.got(Before::Timeout);
                Err(Error::from(Failure(FailureKind::ReadTimeout)))
            }
        }
    }
}

/// Whole seconds, rounded up.
fn ceiling(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}

/// A response as the clients of a storm get it.
pub(super) fn respond(status: StatusCode, retry_after: Option<HeaderValue>) -> Response {
    let mut response = HttpResponse::new("{}");
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Some(retry_after) = retry_after {
        headers.insert(RETRY_AFTER, retry_after);
    }
    response.into()
}
