//! The service of a storm: workers, and a queue of bounded length before them. Workers
//! also process requests whose client has left, which keeps a service down.

use std::{
    collections::VecDeque,
    future::pending,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

use client::{Clock, Failure, FailureKind, Timeouts};
use evidence::storm::{Abandoned, Incident, Order, RetryAfter, Settings, Setup, Work};
use futures_executor::LocalSpawner;
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
    chance::{Stream, exponential, stream},
    counts::Counts,
    timeline::{Timeline, spawn},
};

/// The service, as the transport of any number of clients.
#[derive(Clone)]
pub(super) struct Service {
    pub(super) settings: Settings,
    pub(super) setup: Setup,
    pub(super) timeline: Timeline,
    pub(super) counts: Counts,
    state: Arc<Mutex<State>>,
}

/// A request in the queue, with the channel of its response.
type Admitted = oneshot::Sender<()>;

struct State {
    /// The requests that wait for a worker. It is empty while one is idle.
    queue: VecDeque<Admitted>,
    /// Workers without work, the one that has waited for the longest time first.
    idle: VecDeque<oneshot::Sender<Admitted>>,
    busy: usize,
    /// A second of the run, and the requests that arrived in it.
    arrived: (u64, u32),
    random: ChaCha12Rng,
}

impl Service {
    /// A service without a worker, with a clock and counts of its own.
    pub(super) fn new(settings: &Settings, setup: &Setup, seed: u64) -> Self {
        let state = State {
            queue: VecDeque::new(),
            idle: VecDeque::new(),
            busy: 0,
            arrived: (0, 0),
            random: stream(seed, Stream::Work),
        };
        let queue = match setup.queue {
            0 => settings.queue,
            own => own,
        };
        Self {
            settings: Settings { queue, ..*settings },
            setup: *setup,
            timeline: Timeline::default(),
            counts: Counts::new(settings.length),
            state: Arc::new(Mutex::new(state)),
        }
    }

    /// Starts the workers.
    pub(super) fn start(&self, spawner: &LocalSpawner) {
        for number in 0..self.settings.workers {
            spawn(spawner, self.clone().worker(number));
        }
    }

    /// One worker: works on one request after the other, for ever.
    async fn worker(self, number: u32) {
        loop {
            self.rest(number).await;
            let Some(response) = self.next(number).await else {
                continue;
            };
            let took = self.begin();
            self.timeline.sleep(took).await;
            // The client of an abandoned request no longer receives.
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

    /// Whether this worker works during the incident.
    fn works_during_incident(&self, number: u32) -> bool {
        match self.settings.incident {
            Incident::Cut => number < self.settings.workers_left,
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
    async fn next(&self, number: u32) -> Option<Admitted> {
        let handed = {
            let mut state = self.lock();
            if let Some(request) = self.take(&mut state) {
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

    /// Takes the next request to work on from the queue.
    fn take(&self, state: &mut State) -> Option<Admitted> {
        loop {
            let request = match self.setup.order {
                Order::Oldest => state.queue.pop_front(),
                Order::Newest => state.queue.pop_back(),
            }?;
            if self.setup.abandoned == Abandoned::Worked || !request.is_closed() {
                return Some(request);
            }
            self.counts.dropped();
        }
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

    /// Takes a request in, or refuses it with a status.
    fn admit(&self) -> Result<oneshot::Receiver<()>, StatusCode> {
        let now = self.timeline.monotonic();
        let is_refused =
            self.settings.incident == Incident::Refusal && self.settings.is_during_incident(now);
        if is_refused {
            return Err(StatusCode::SERVICE_UNAVAILABLE);
        }
        let (mut request, response) = oneshot::channel();
        let mut state = self.lock();
        let (second, arrived) = state.arrived;
        let before = if second == now.as_secs() { arrived } else { 0 };
        state.arrived = (now.as_secs(), before + 1);
        if self.setup.rate_limit > 0 && before >= self.setup.rate_limit {
            return Err(StatusCode::TOO_MANY_REQUESTS);
        }
        while let Some(idle) = state.idle.pop_front() {
            match idle.send(request) {
                Ok(()) => return Ok(response),
                // The incident stops this worker.
                Err(back) => request = back,
            }
        }
        if state.queue.len() >= self.settings.queue as usize {
            return Err(StatusCode::SERVICE_UNAVAILABLE);
        }
        state.queue.push_back(request);
        Ok(response)
    }

    /// The Retry-After of a 503 or a 429.
    fn retry_after(&self, status: StatusCode) -> Option<HeaderValue> {
        let now = self.timeline.monotonic();
        let (form, ends) = match status {
            StatusCode::TOO_MANY_REQUESTS => {
                let next = Duration::from_secs(now.as_secs() + 1);
                (self.setup.retry_after_429, next)
            }
            _ if self.settings.is_during_incident(now) => {
                (self.settings.retry_after, self.settings.incident_ends())
            }
            _ => return None,
        };
        let text = match form {
            RetryAfter::None => return None,
            RetryAfter::Seconds => ceiling(ends.saturating_sub(now)).to_string(),
            RetryAfter::Date => {
                let date = SystemTime::UNIX_EPOCH + Duration::from_secs(ceiling(ends));
                httpdate::fmt_http_date(date)
            }
        };
        HeaderValue::try_from(text).ok()
    }

    /// The response, if it comes before the client's timeout or the deadline of the call.
    pub(super) async fn waited_for<T>(
        &self,
        response: impl Future<Output = T>,
        request: &Request,
        extensions: &Extensions,
    ) -> Option<T> {
        let timeouts = extensions.get::<Timeouts>();
        let read = timeouts.map_or(self.settings.timeout, |timeouts| timeouts.read);
        let patience = request.timeout().map_or(read, |whole| read.min(*whole));
        self.timeline.within(patience, response).await
    }

    /// Records the result of a request.
    fn got(&self, what: Before) {
        call::got(Last {
            got: what,
            at: self.timeline.monotonic(),
        });
        self.counts.settled(what);
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
        let response = match self.admit() {
            Ok(response) => response,
            Err(status) => {
                self.counts.rejected();
                self.got(match status {
                    StatusCode::TOO_MANY_REQUESTS => Before::Throttled,
                    _ => Before::Refusal,
                });
                return Ok(respond(status, self.retry_after(status)));
            }
        };
        match self.waited_for(response, &request, extensions).await {
            Some(_) => {
                self.got(Before::Success);
                Ok(respond(StatusCode::OK, None))
            }
            None => {
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

#[cfg(test)]
mod tests {
    use std::{cell::RefCell, rc::Rc};

    use futures_executor::LocalPool;
    use http::Method;
    use reqwest::Url;
    use reqwest_middleware::{ClientBuilder, ClientWithMiddleware};

    use super::*;

    fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    /// One worker that takes a tenth of a second, room for many, and an incident from the
    /// first second to the second.
    const ONE_PLACE: Settings = Settings {
        workers: 1,
        work: Work::Constant,
        work_time: Duration::from_millis(100),
        growth: Duration::from_millis(10),
        timeout: Duration::from_secs(10),
        incident: Incident::None,
        incident_starts: Duration::from_secs(1),
        incident_lasts: Duration::from_secs(1),
        workers_left: 1,
        ..Settings::DEFAULT
    };

    /// The result of a request, and its time in milliseconds of the run.
    type Got = (u64, Option<u16>);

    /// The number of a request, its result, and the Retry-After.
    type Numbered = (usize, Got, Option<String>);

    /// A service with its workers and callers.
    struct Model {
        service: Service,
        pool: LocalPool,
        http: ClientWithMiddleware,
        got: Rc<RefCell<Vec<Numbered>>>,
        asked: usize,
    }

    impl Model {
        fn new(settings: Settings) -> Self {
            Self::with(settings, Setup::DEFAULT)
        }

        fn with(settings: Settings, setup: Setup) -> Self {
            client::install_tls_provider();
            let (service, pool) = (Service::new(&settings, &setup, 1), LocalPool::new());
            service.start(&pool.spawner());
            let session = reqwest::Client::builder().no_proxy().tls_certs_only([]);
            let session = session.build().expect("a session");
            Self {
                http: ClientBuilder::new(session).with(service.clone()).build(),
                service,
                pool,
                got: Rc::default(),
                asked: 0,
            }
        }

        /// Sends a request at a moment, with the time until its deadline if it has one.
        fn ask_until(&mut self, at: u64, left: Option<Duration>) {
            let (timeline, http) = (self.service.timeline.clone(), self.http.clone());
            let (got, number) = (Rc::clone(&self.got), self.asked);
            self.asked += 1;
            spawn(&self.pool.spawner(), async move {
                timeline.reach(millis(at)).await;
                let url = Url::parse("http://storm.invalid").expect("an address");
                let mut request = Request::new(Method::GET, url);
                *request.timeout_mut() = left;
                let response = http.execute(request).await.ok();
                let at = timeline.monotonic().as_millis() as u64;
                let status = response.as_ref().map(|it| it.status().as_u16());
                let retry_after = response.as_ref().and_then(|it| {
                    let value = it.headers().get(RETRY_AFTER)?;
                    value.to_str().ok().map(str::to_owned)
                });
                got.borrow_mut().push((number, (at, status), retry_after));
            });
        }

        fn ask(&mut self, at: u64) {
            self.ask_until(at, None);
        }

        /// Runs until a moment.
        fn run(&mut self, until: u64) {
            self.service.timeline.run(&mut self.pool, millis(until));
        }

        /// The result of each request, in the order in which they were made.
        fn got(&mut self) -> Vec<Got> {
            self.run(10_000);
            let mut got = self.got.borrow().clone();
            got.sort_by_key(|(number, ..)| *number);
            got.into_iter().map(|(_, got, _)| got).collect()
        }
    }

    /// The results of requests that arrive at these moments.
    fn got(settings: Settings, moments: &[u64]) -> Vec<Got> {
        let mut model = Model::new(settings);
        for at in moments {
            model.ask(*at);
        }
        model.got()
    }

    const OK: Option<u16> = Some(200);
    const REFUSED: Option<u16> = Some(503);

    #[test]
    fn a_worker_works_on_one_request_after_the_other() {
        assert_eq!(
            got(ONE_PLACE, &[0, 0, 50, 400]),
            [(100, OK), (200, OK), (300, OK), (500, OK)]
        );
        let two = Settings {
            workers: 2,
            ..ONE_PLACE
        };
        assert_eq!(got(two, &[0, 0, 50]), [(100, OK), (100, OK), (200, OK)]);
    }

    #[test]
    fn a_request_is_refused_at_once_if_all_workers_are_busy_and_the_queue_is_full() {
        let with = |workers, queue| Settings {
            workers,
            queue,
            ..ONE_PLACE
        };

        assert_eq!(got(with(1, 0), &[0, 10]), [(100, OK), (10, REFUSED)]);
        assert_eq!(
            got(with(1, 1), &[0, 10, 20]),
            [(100, OK), (200, OK), (20, REFUSED)]
        );
        assert_eq!(
            got(with(2, 0), &[0, 0, 0]),
            [(100, OK), (100, OK), (0, REFUSED)]
        );
        assert_eq!(got(with(1, 0), &[0, 150]), [(100, OK), (250, OK)]);
    }

    #[test]
    fn work_that_grows_takes_longer_for_each_request_that_is_worked_on() {
        let growing = Settings {
            work: Work::Growing,
            workers: 3,
            ..ONE_PLACE
        };

        let got = got(growing, &[0, 0, 0, 500]);

        assert_eq!(got, [(100, OK), (110, OK), (120, OK), (600, OK)]);
    }

    #[test]
    fn random_work_has_a_different_length_each_time() {
        let drawn = Settings {
            work: Work::Exponential,
            workers: 20,
            ..ONE_PLACE
        };

        let got = got(drawn, &[0; 20]);

        let mut ends: Vec<_> = got.iter().map(|(at, _)| *at).collect();
        ends.sort_unstable();
        ends.dedup();
        assert!(ends.len() > 10, "{ends:?}");
    }

    #[test]
    fn a_request_is_processed_after_its_client_has_left() {
        let impatient = Settings {
            timeout: millis(150),
            ..ONE_PLACE
        };
        let mut model = Model::new(impatient);
        for at in [0, 0, 0, 160] {
            model.ask(at);
        }

        model.run(150);
        let during = (model.service.busy(), model.service.waiting());
        let got = model.got();

        assert_eq!(during, (1, 1));
        // The last one waits for two whose clients have left.
        assert_eq!(got, [(100, OK), (150, None), (150, None), (310, None)]);
        let after = (model.service.busy(), model.service.waiting());
        assert_eq!(after, (0, 0));
        let totals = model.service.counts.read(0).1;
        assert_eq!((totals.useful, totals.abandoned), (1, 3));
        assert_eq!(totals.settled, 4);
    }

    #[test]
    fn a_client_waits_until_its_timeout_or_its_deadline() {
        let slow = Settings {
            work_time: millis(300),
            timeout: millis(200),
            workers: 3,
            ..ONE_PLACE
        };
        let mut model = Model::new(slow);
        for left in [None, Some(millis(50)), Some(millis(250))] {
            model.ask_until(0, left);
        }

        assert_eq!(model.got(), [(200, None), (50, None), (200, None)]);
    }

    #[test]
    fn a_row_sets_the_order_of_its_queue_and_what_becomes_of_abandoned_requests() {
        let impatient = Settings {
            timeout: millis(250),
            ..ONE_PLACE
        };
        let got = |setup| {
            let mut model = Model::with(impatient, setup);
            for at in [0, 10, 20, 30, 300] {
                model.ask(at);
            }
            let got = model.got();
            let totals = model.service.counts.read(0).1;
            (got, totals.abandoned, totals.dropped)
        };
        let newest = Setup {
            order: Order::Newest,
            ..Setup::DEFAULT
        };
        let dropped = Setup {
            abandoned: Abandoned::Dropped,
            ..Setup::DEFAULT
        };
        let short = Setup {
            queue: 1,
            ..Setup::DEFAULT
        };
        let (first, last) = ((100, OK), (280, None));

        // The third and the fourth are worked on until 400 ms.
        let oldest = vec![first, (200, OK), (270, None), last, (500, OK)];
        assert_eq!(got(Setup::DEFAULT), (oldest, 2, 0));
        let latest = vec![first, (260, None), (270, None), (200, OK), (400, OK)];
        assert_eq!(got(newest), (latest, 2, 0));
        let spared = vec![first, (200, OK), (270, None), last, (400, OK)];
        assert_eq!(got(dropped), (spared, 1, 1));
        let full = vec![first, (200, OK), (20, REFUSED), (30, REFUSED), (400, OK)];
        assert_eq!(got(short), (full, 0, 0));
    }

    #[test]
    fn a_rate_limit_sends_429_until_the_next_second_and_names_it() {
        let limited = |retry_after_429| {
            let setup = Setup {
                rate_limit: 2,
                retry_after_429,
                ..Setup::DEFAULT
            };
            let mut model = Model::with(ONE_PLACE, setup);
            for at in [100, 200, 300, 999, 1_000] {
                model.ask(at);
            }
            model.run(10_000);
            let mut got = model.got.take();
            got.sort_by_key(|(number, ..)| *number);
            let got = got.into_iter();
            let got = got.map(|(_, (_, status), after)| (status.unwrap_or(0), after));
            got.collect::<Vec<_>>()
        };

        for (form, after) in [
            (RetryAfter::None, None),
            (RetryAfter::Seconds, Some("1")),
            (RetryAfter::Date, Some("Thu, 01 Jan 1970 00:00:01 GMT")),
        ] {
            let throttled = (429, after.map(str::to_owned));
            let ok = (200, None);
            let expected = [&ok, &ok, &throttled, &throttled, &ok].map(Clone::clone);
            assert_eq!(limited(form), expected, "{form:?}");
        }
    }

    #[test]
    fn a_cut_leaves_workers_that_work_and_the_others_rest_until_it_ends() {
        let cut = Settings {
            incident: Incident::Cut,
            workers: 3,
            workers_left: 2,
            ..ONE_PLACE
        };

        let [before, during, late] = [900, 1_100, 1_950].map(|at| got(cut, &[at; 4]));

        let ends = |ends: [u64; 4]| ends.map(|at| (at, OK));
        assert_eq!(before, ends([1_000, 1_000, 1_000, 1_100]));
        assert_eq!(during, ends([1_200, 1_200, 1_300, 1_300]));
        assert_eq!(late, ends([2_050, 2_050, 2_100, 2_150]));
    }

    #[test]
    fn in_a_pause_no_request_starts_and_new_ones_wait() {
        let pause = Settings {
            incident: Incident::Pause,
            ..ONE_PLACE
        };

        let narrow = Settings { queue: 1, ..pause };
        let narrow = got(narrow, &[1_500, 1_600]);
        let got = got(pause, &[950, 1_000, 1_500, 2_200]);

        assert_eq!(got, [(1_050, OK), (2_100, OK), (2_200, OK), (2_300, OK)]);
        assert_eq!(narrow, [(2_100, OK), (1_600, REFUSED)]);
    }

    #[test]
    fn a_refusal_says_when_it_ends_in_the_form_that_is_set() {
        let refusal = |retry_after| Settings {
            incident: Incident::Refusal,
            incident_lasts: millis(1_200),
            retry_after,
            queue: 0,
            ..ONE_PLACE
        };
        let asked = |retry_after| {
            let mut model = Model::new(refusal(retry_after));
            // The last two come when it is over: one too many.
            for at in [900, 1_000, 1_100, 1_200, 2_199, 2_200, 2_210] {
                model.ask(at);
            }
            let statuses: Vec<_> = model.got().iter().map(|(_, status)| *status).collect();
            let (ok, no) = (OK, REFUSED);
            assert_eq!(statuses, [ok, no, no, no, no, ok, no]);
            let mut got = model.got.take();
            got.sort_by_key(|(number, ..)| *number);
            let asked = got.into_iter().map(|(.., retry_after)| retry_after);
            asked.collect::<Vec<_>>()
        };

        let all = |[at_once, later, then, late]: [&str; 4]| {
            let during = [at_once, later, then, late].map(|it| Some(it.to_owned()));
            [vec![None], during.to_vec(), vec![None; 2]].concat()
        };
        assert_eq!(asked(RetryAfter::Seconds), all(["2", "2", "1", "1"]));
        let date = "Thu, 01 Jan 1970 00:00:03 GMT";
        assert_eq!(asked(RetryAfter::Date), all([date; 4]));
        assert_eq!(asked(RetryAfter::None), vec![None; 7]);
    }
}
