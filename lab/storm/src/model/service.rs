//! The service of a storm: workers, and a queue of bounded length before them. Workers
//! also process requests whose attempt has timed out, which keeps a service down.

use std::{
    collections::VecDeque,
    future::pending,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

use client::{Clock, Failure, FailureKind, Timeouts};
use futures_executor::LocalSpawner;
use http::{Extensions, HeaderValue, Response as HttpResponse, StatusCode, header::RETRY_AFTER};
use rand::{RngExt, rngs::ChaCha12Rng};
use reqwest::{Request, Response, ResponseBuilderExt};
use reqwest_middleware::{Error, Result as Sent};
use tokio::sync::oneshot;

use super::{
    chance::{Stream, exponential, stream},
    timeline::{Timeline, WaitEnd, WaitId, spawn},
};
use crate::{
    Incident, RetryAfter, Settings,
    clients::attempts::{self, AttemptResult},
    settings::Work,
    simulation::counts::Counts,
};

/// The service, as the transport of any number of clients.
#[derive(Clone)]
pub(crate) struct Service {
    pub(crate) settings: Settings,
    pub(crate) timeline: Timeline,
    pub(crate) counts: Counts,
    state: Arc<Mutex<State>>,
}

struct State {
    /// The requests without a worker, by the waits of their clients, which a response ends
    /// early. It is empty while a worker is idle.
    queue: VecDeque<WaitId>,
    /// Workers without work, the one that has waited for the longest time first.
    idle: VecDeque<oneshot::Sender<WaitId>>,
    /// A second of the run, and the requests that arrived in it.
    arrived: (u64, u32),
    random: ChaCha12Rng,
    /// Draws which requests are refused during the incident.
    refusals: ChaCha12Rng,
}

impl Service {
    /// A service without a worker, with a clock and counts of its own.
    pub(crate) fn new(settings: &Settings, seed: u64) -> Self {
        let state = State {
            queue: VecDeque::new(),
            idle: VecDeque::new(),
            arrived: (0, 0),
            random: stream(seed, Stream::Work),
            refusals: stream(seed, Stream::Refusals),
        };
        Self {
            settings: *settings,
            timeline: Timeline::default(),
            counts: Counts::new(settings),
            state: Arc::new(Mutex::new(state)),
        }
    }

    /// Starts the workers.
    pub(crate) fn start(&self, spawner: &LocalSpawner) {
        for number in 0..self.settings.workers {
            spawn(spawner, self.clone().worker(number));
        }
    }

    /// One worker: works on one request after the other, for ever.
    async fn worker(self, number: u32) {
        loop {
            self.rest(number).await;
            let Some(request) = self.next(number).await else {
                continue;
            };
            let took = self.work_time();
            self.timeline.wait(took).await;
            // The client of an abandoned request no longer waits.
            let is_useful = self.timeline.end_early(request);
            self.counts.worked(self.timeline.monotonic(), is_useful);
        }
    }

    /// How many requests wait.
    pub(crate) fn waiting(&self) -> usize {
        self.lock().queue.len()
    }

    /// Whether this worker works during the incident.
    fn works_during_incident(&self, number: u32) -> bool {
        match self.settings.incident {
            Incident::Cut => number < self.settings.workers_left(),
            Incident::Pause => false,
            Incident::Spike | Incident::Refusal | Incident::None => true,
        }
    }

    /// Waits until this worker may work.
    async fn rest(&self, number: u32) {
        if !self.works_during_incident(number)
            && self.settings.is_during_incident(self.timeline.monotonic())
        {
            self.timeline.reach(self.settings.incident_ends()).await;
        }
    }

    /// The next request for this worker; `None` if an incident that stops this worker began
    /// before it.
    async fn next(&self, number: u32) -> Option<WaitId> {
        let handed = {
            let mut state = self.lock();
            if let Some(request) = state.queue.pop_front() {
                return Some(request);
            }
            let (hand, handed) = oneshot::channel();
            state.idle.push_back(hand);
            handed
        };
        let (begins, now) = (self.settings.incident_starts, self.timeline.monotonic());
        if self.works_during_incident(number) || now >= begins {
            return handed.await.ok();
        }
        self.timeline.within(begins - now, handed).await?.ok()
    }

    /// How long the next request takes.
    fn work_time(&self) -> Duration {
        let mean = self.settings.work_time;
        match self.settings.work {
            Work::Exponential => exponential(&mut self.lock().random, mean),
            Work::Constant => mean,
        }
    }

    /// The status with which a request that arrives now is refused, if it is.
    fn refusal(&self) -> Option<StatusCode> {
        let now = self.timeline.monotonic();
        let mut state = self.lock();
        if self.settings.incident == Incident::Refusal
            && self.settings.is_during_incident(now)
            && state.refusals.random::<f64>() < self.settings.refused
        {
            return Some(StatusCode::SERVICE_UNAVAILABLE);
        }
        let (second, arrived) = state.arrived;
        let before = if second == now.as_secs() { arrived } else { 0 };
        state.arrived = (now.as_secs(), before + 1);
        if self.settings.rate_limit > 0 && before >= self.settings.rate_limit {
            return Some(StatusCode::TOO_MANY_REQUESTS);
        }
        // The incident stops some workers while they are idle.
        while state.idle.front().is_some_and(oneshot::Sender::is_closed) {
            state.idle.pop_front();
        }
        let is_full = state.queue.len() >= self.settings.queue as usize;
        (is_full && state.idle.is_empty()).then_some(StatusCode::SERVICE_UNAVAILABLE)
    }

    /// Hands a request that is not refused to an idle worker, or queues it.
    fn admit(&self, request: WaitId) {
        let mut state = self.lock();
        let idle = state.idle.pop_front();
        if idle.is_none_or(|idle| idle.send(request).is_err()) {
            state.queue.push_back(request);
        }
    }

    /// The Retry-After of a 503 or a 429.
    fn retry_after(&self, status: StatusCode) -> Option<HeaderValue> {
        let now = self.timeline.monotonic();
        let ends = match status {
            StatusCode::TOO_MANY_REQUESTS => Duration::from_secs(now.as_secs() + 1),
            _ if self.settings.is_during_incident(now) => self.settings.incident_ends(),
            _ => return None,
        };
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

    /// How long a client waits for a response: until its timeout or the deadline of the call.
    pub(crate) fn patience(&self, request: &Request, extensions: &Extensions) -> Duration {
        let timeouts = extensions.get::<Timeouts>();
        let read = timeouts.map_or(self.settings.timeout, |timeouts| timeouts.read);
        request.timeout().map_or(read, |whole| read.min(*whole))
    }

    /// Responds to a request, or fails if its attempt times out before.
    pub(crate) async fn exchange(
        &self,
        request: &Request,
        extensions: &Extensions,
    ) -> Sent<Response> {
        let now = self.timeline.monotonic();
        if !self.counts.requested(now, attempts::previous()) {
            // The run is about to end.
            return pending().await;
        }
        if let Some(status) = self.refusal() {
            self.counts.rejected();
            attempts::ended(match status {
                StatusCode::TOO_MANY_REQUESTS => AttemptResult::Throttled,
                _ => AttemptResult::Refusal,
            });
            return Ok(respond(request, status, self.retry_after(status)));
        }
        let wait = self.timeline.begin(self.patience(request, extensions));
        self.admit(wait.id);
        match wait.await {
            WaitEnd::Early => {
                attempts::ended(AttemptResult::Success);
                Ok(respond(request, StatusCode::OK, None))
            }
            WaitEnd::Over => {
                attempts::ended(AttemptResult::Timeout);
                Err(Error::from(Failure(FailureKind::ReadTimeout)))
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whole seconds, rounded up.
pub(crate) fn ceiling(time: Duration) -> u64 {
    time.as_secs() + u64::from(time.subsec_nanos() > 0)
}

/// A response as the clients of a storm get it. It has no body, which no storm reads, and the
/// address of its request: without one, reqwest would parse another for each response.
#[expect(clippy::expect_used, reason = "all of its parts are valid")]
pub(crate) fn respond(
    request: &Request,
    status: StatusCode,
    retry_after: Option<HeaderValue>,
) -> Response {
    let response = HttpResponse::builder().url(request.url().clone()).body("");
    let mut response = response.expect("a response");
    *response.status_mut() = status;
    if let Some(retry_after) = retry_after {
        response.headers_mut().insert(RETRY_AFTER, retry_after);
    }
    response.into()
}

#[cfg(test)]
mod tests {
    use std::{cell::RefCell, collections::BTreeSet, rc::Rc};

    use futures_executor::LocalPool;
    use http::Method;
    use reqwest::Url;
    use reqwest_middleware::ClientBuilder;

    use super::*;
    use crate::{model::layers::Hop, results::Totals};

    fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    /// One worker that takes a tenth of a second, room for many, and an incident from the
    /// first second to the second.
    const ONE_PLACE: Settings = Settings {
        workers: 1,
        work: Work::Constant,
        timeout: Duration::from_secs(10),
        incident: Incident::None,
        incident_starts: Duration::from_secs(1),
        incident_lasts: Duration::from_secs(1),
        ..Settings::DEFAULT
    };

    /// Sends requests at these moments, with the time until the deadline of those that
    /// have one. When each ended, in milliseconds, with the status and the Retry-After of
    /// a failure.
    fn sent(settings: Settings, requests: &[(u64, Option<Duration>)]) -> (String, Totals) {
        client::install_tls_provider();
        let (service, mut pool) = (Service::new(&settings, 1), LocalPool::new());
        service.start(&pool.spawner());
        let session = reqwest::Client::builder().no_proxy().tls_certs_only([]);
        let session = session.build().expect("a session");
        let http = ClientBuilder::new(session).with(Hop::to(&service)).build();
        let ended = Rc::new(RefCell::new(vec![String::new(); requests.len()]));
        for (number, (at, left)) in requests.iter().copied().enumerate() {
            let (timeline, http) = (service.timeline.clone(), http.clone());
            let ended = Rc::clone(&ended);
            spawn(&pool.spawner(), async move {
                timeline.reach(millis(at)).await;
                let url = Url::parse("http://storm.invalid").expect("an address");
                let mut request = Request::new(Method::GET, url);
                *request.timeout_mut() = left;
                let response = http.execute(request).await.ok();
                let at = timeline.monotonic().as_millis();
                let got = response.map(|response| {
                    let retry_after = response.headers().get(RETRY_AFTER).cloned();
                    (response.status(), retry_after)
                });
                ended.borrow_mut()[number] = match got {
                    None => format!("{at}:left"),
                    Some((StatusCode::OK, _)) => at.to_string(),
                    Some((status, None)) => format!("{at}:{}", status.as_str()),
                    Some((status, Some(after))) => {
                        let after = after.to_str().expect("text");
                        format!("{at}:{}={after}", status.as_str())
                    }
                };
            });
        }
        service.timeline.run(&mut pool, Duration::from_secs(10));
        (ended.take().join(" "), service.counts.read(0).totals)
    }

    fn got(settings: Settings, moments: &[u64]) -> (String, Totals) {
        let requests = moments.iter().map(|at| (*at, None));
        sent(settings, &requests.collect::<Vec<_>>())
    }

    #[test]
    fn a_request_waits_for_a_worker_or_is_refused_at_once() {
        let with = |workers, queue| Settings {
            workers,
            queue,
            ..ONE_PLACE
        };
        let cut = Settings {
            incident: Incident::Cut,
            ..with(5, 300)
        };
        let pause = |queue| Settings {
            incident: Incident::Pause,
            ..with(1, queue)
        };
        for (settings, moments, ends) in [
            (with(1, 300), &[0, 0, 50, 400][..], "100 200 300 500"),
            (with(2, 300), &[0, 0, 50], "100 100 200"),
            (with(1, 0), &[0, 10], "100 10:503"),
            (with(1, 0), &[0, 150], "100 250"),
            (with(1, 1), &[0, 10, 20], "100 200 20:503"),
            (with(2, 0), &[0, 0, 0], "100 100 0:503"),
            // One worker goes on, and the others rest until the cut ends.
            (cut, &[900; 6], "1000 1000 1000 1000 1000 1100"),
            (cut, &[1_100; 3], "1200 1300 1400"),
            (cut, &[1_950; 6], "2050 2100 2100 2100 2100 2150"),
            // No request starts, and new ones wait.
            (
                pause(300),
                &[950, 1_000, 1_500, 2_200],
                "1050 2100 2200 2300",
            ),
            (pause(1), &[1_500, 1_600], "2100 1600:503"),
        ] {
            assert_eq!(got(settings, moments).0, ends);
        }
    }

    #[test]
    fn random_work_has_a_different_length_each_time() {
        let drawn = Settings {
            work: Work::Exponential,
            workers: 20,
            ..ONE_PLACE
        };

        let (ends, _) = got(drawn, &[0; 20]);

        let different: BTreeSet<_> = ends.split(' ').collect();
        assert!(different.len() > 10, "{ends}");
    }

    #[test]
    fn a_request_is_processed_after_its_client_has_left() {
        let impatient = Settings {
            timeout: millis(150),
            ..ONE_PLACE
        };

        let (ends, totals) = got(impatient, &[0, 0, 0, 160]);

        // The last one waits for two whose attempts have timed out.
        assert_eq!(ends, "100 150:left 150:left 310:left");
        assert_eq!((totals.useful, totals.abandoned), (1, 3));
    }

    #[test]
    fn a_client_waits_until_its_timeout_or_its_deadline() {
        let slow = Settings {
            work_time: millis(300),
            timeout: millis(200),
            workers: 3,
            ..ONE_PLACE
        };
        let left = [None, Some(50), Some(250)].map(|left| (0, left.map(millis)));

        let (ends, _) = sent(slow, &left);

        assert_eq!(ends, "200:left 50:left 200:left");
    }

    #[test]
    fn a_rate_limit_sends_429_until_the_next_second_and_names_it() {
        for (retry_after, after) in [
            (RetryAfter::None, ""),
            (RetryAfter::Seconds, "=1"),
            (RetryAfter::Date, "=Thu, 01 Jan 1970 00:00:01 GMT"),
        ] {
            let limited = Settings {
                rate_limit: 2,
                retry_after,
                ..ONE_PLACE
            };

            let (ends, _) = got(limited, &[100, 200, 300, 999, 1_000]);

            let throttled = format!("300:429{after} 999:429{after}");
            assert_eq!(ends, format!("200 300 {throttled} 1100"));
        }
    }

    #[test]
    fn a_share_of_the_requests_is_refused_during_the_incident_only() {
        let refused = |share| {
            let settings = Settings {
                incident: Incident::Refusal,
                refused: share,
                workers: 5_000,
                ..ONE_PLACE
            };
            let moments: Vec<_> = (0..3_000).collect();
            let (ends, _) = got(settings, &moments);
            let ends: Vec<_> = ends.split(' ').collect();
            let count = |ends: &[&str]| ends.iter().filter(|end| end.ends_with(":503")).count();
            [&ends[..1_000], &ends[1_000..2_000], &ends[2_000..]].map(count)
        };

        let [before, during, after] = refused(0.3);
        // Four standard errors of a thousand draws.
        assert!(during.abs_diff(300) < 58, "{during}");
        assert_eq!((before, after), (0, 0));
        assert_eq!(refused(0.0), [0, 0, 0]);
        assert_eq!(refused(1.0), [0, 1_000, 0]);
    }

    #[test]
    fn a_refusal_says_when_it_ends_in_the_form_that_is_set() {
        let date = "=Thu, 01 Jan 1970 00:00:03 GMT";
        for (retry_after, [at_once, later, then, late]) in [
            (RetryAfter::None, [""; 4]),
            (RetryAfter::Seconds, ["=2", "=2", "=1", "=1"]),
            (RetryAfter::Date, [date; 4]),
        ] {
            let refusal = Settings {
                incident: Incident::Refusal,
                incident_lasts: millis(1_200),
                retry_after,
                queue: 0,
                ..ONE_PLACE
            };
            // The last two come when it is over: one too many.
            let moments = [900, 1_000, 1_100, 1_200, 2_199, 2_200, 2_210];

            let (ends, _) = got(refusal, &moments);

            let during = format!("1000:503{at_once} 1100:503{later} 1200:503{then} 2199:503{late}");
            assert_eq!(ends, format!("1000 {during} 2300 2210:503"));
        }
    }
}
