//! The service of one case, with a URL that no other case has.

use std::{
    collections::{HashMap, HashSet},
    num::NonZeroUsize,
    sync::{Arc, Mutex, MutexGuard, Once, OnceLock, PoisonError},
    time::{Duration, SystemTime},
};

use axum::{
    Router,
    body::to_bytes,
    extract::{Query, Request},
    response::{IntoResponse, Response},
    routing::{any, post},
};
use host::{
    ConnectionPosition, HeaderCase, Host, IDEMPOTENCY_KEY, Ledger, Problem, RunningService,
    ServiceConfig, StopError, problems,
};
use http::{
    HeaderValue, Method, StatusCode,
    header::{ALLOW, AUTHORIZATION},
};
use judge::rules::{names_another_origin, page_limit};
use process::Context;
use tokio::{
    sync::Notify,
    time::{Instant, sleep},
};
use wire::{WireRecord, header_lines::single};

use super::error::ServiceError;
use super::{
    draw::Draw,
    lab_delay::LabDelay,
    responses::unauthorized,
    task::{Case, Received, Reply, Responder, Task},
    time_zone::TimeZone,
};
use crate::Goal;

/// The most requests of a case. One more is a flood, and ends it.
const MOST_REQUESTS: usize = 3_000;

/// The most requests of an open case, which nobody ends. What comes beyond them is
/// refused, each after [`TARRY`].
const MOST_OPEN: usize = 300;

/// The same where a rule counts the pages of a listing without an end: more than the
/// thousand that it allows.
const MOST_PAGES: usize = 1_500;

/// How many requests a listener keeps that open cases share. It takes more than a few
/// floods at once for one case to lose what it had.
const MOST_KEPT: usize = 16_384;

/// How long a client waits that sends an open case more than it takes, so that it does
/// not crowd out the others.
const TARRY: Duration = Duration::from_secs(1);

/// How many more may come before a flood is ended; all of them are kept.
const IN_FLIGHT: usize = 1_000;

/// The largest body of a request, in bytes.
const MOST_BODY: usize = 64 * 1024;

/// How long what is in flight at the end of a case may go on: not at all.
const AT_ONCE: Duration = Duration::from_millis(1);

/// The service of one case.
pub(super) struct CaseService {
    pub(super) context: Context,
    /// The moment from which its record counts.
    pub(super) begun: Instant,
    pub(super) served: Arc<Served>,
    served_by: ServedBy,
    /// The second origin, if it has one, for as long as it is served.
    _another: Option<RunningService>,
}

/// Where the requests of a case arrive.
enum ServedBy {
    Own(RunningService),
    /// The one of this number among those that open cases share.
    Shared(usize),
}

/// The behaviour of a case's service, and its observations.
pub(super) struct Served {
    method: Method,
    /// The prefix of the task's paths.
    prefix: String,
    token: Option<String>,
    pub(super) case: &'static Case,
    /// Whether other cases are served on its listener.
    is_shared: bool,
    /// The most requests of the case.
    most: usize,
    /// Set before anybody knows its URL.
    started: OnceLock<Started>,
    state: Mutex<State>,
    /// Notified with its first request.
    pub(super) called: Notify,
    /// Notified once there were more requests than a case has room for.
    pub(super) flood: Notify,
    /// How late the runtime is that serves it, from the first request on.
    pub(super) delay: LabDelay,
    measured: Once,
}

/// The addresses and the origin of a service that listens.
struct Started {
    /// The moment from which the record of its listener counts.
    begun: Instant,
    ledger: Ledger,
    /// The prefix of a path in its URLs.
    base_url: String,
    another_origin: Option<String>,
}

struct State {
    responder: Box<dyn Responder>,
    draw: Draw,
    /// The newest request of its listener when it was begun again.
    before: u64,
    /// How many requests of its own came until then.
    own_before: u64,
    /// Whether the second origin got the token.
    token_elsewhere: bool,
    /// The facts about a request that the ledger lacks, by its connection and its position.
    notes: HashMap<(u64, u64), Note>,
    requests: usize,
}

#[derive(Clone, Copy, Default)]
struct Note {
    call: Option<u64>,
    token_in_url: bool,
}

/// In which letter case a service may send the names of headers.
const HEADER_CASES: [HeaderCase; 2] = [HeaderCase::Lower, HeaderCase::Title];

/// A case before it is served.
struct Prepared {
    /// The name of its task, and the path.
    task: &'static str,
    path: &'static str,
    served: Arc<Served>,
    routes: Router,
    has_another_origin: bool,
    header_case: HeaderCase,
    seed: u64,
}

/// Starts the services of open cases on two listeners, one for each case of header names.
///
/// Each can be begun again over HTTP, by a POST to its URL with `/again`.
pub(super) fn start_open(
    cases: impl IntoIterator<Item = (&'static Task, &'static Case, Draw)>,
    seed: u64,
) -> Result<(Vec<CaseService>, Vec<RunningService>), ServiceError> {
    let mut prefixes = HashSet::new();
    let mut prepare = |(task, case, mut draw): (&Task, _, Draw)| {
        let prefix = loop {
            let prefix = prefix(&mut draw);
            if prefixes.insert(prefix.clone()) {
                break prefix;
            }
        };
        Prepared::new(task, case, draw, prefix, true)
    };
    let cases: Vec<_> = cases.into_iter().map(&mut prepare).collect();
    let begun = Instant::now();
    let mut shared = Vec::new();
    for header_case in HEADER_CASES {
        let on_it = cases.iter().filter(|case| case.header_case == header_case);
        let routes = on_it.fold(Router::new(), |all, case| all.merge(case.routes.clone()));
        shared.push(listen(routes, header_case, seed, MOST_KEPT)?);
    }
    let serve = |case: Prepared| {
        let mut listeners = HEADER_CASES.iter().zip(&shared).enumerate();
        let own = listeners.find(|(_, (header_case, _))| **header_case == case.header_case);
        case.serve(begun, own.map(|(number, (_, listener))| (number, listener)))
    };
    let services: Result<_, _> = cases.into_iter().map(serve).collect();
    Ok((services?, shared))
}

impl CaseService {
    /// Starts the service of a case on a listener of its own.
    pub(super) fn start(
        task: &Task,
        case: &'static Case,
        mut draw: Draw,
    ) -> Result<Self, ServiceError> {
        let prefix = prefix(&mut draw);
        Prepared::new(task, case, draw, prefix, false).serve(Instant::now(), None)
    }

    /// How many requests came so far if this line is the result of the case; none if it is
    /// not.
    pub(super) fn is_result(&self, line: &str) -> Option<u64> {
        // Most lines are none, and a record is a copy.
        if !line.starts_with('{') {
            return None;
        }
        let (goal, wire) = self.record(&[]);
        goal.accepts(line).then_some(wire.total)
    }

    /// What the caller must end up with, and what the wire has seen so far: by its own
    /// listener, or by that of its number among those that are shared.
    pub(super) fn record(&self, shared: &[WireRecord]) -> (Goal, WireRecord) {
        match &self.served_by {
            ServedBy::Own(own) => self.served.record(&own.ledger()),
            ServedBy::Shared(number) => match shared.get(*number) {
                Some(ledger) => self.served.record(ledger),
                None => self.served.record(&self.served.snapshot()),
            },
        }
    }

    /// Stops the listener that it has for itself: what the caller must end up with, and
    /// what the wire saw.
    pub(super) async fn stop(self) -> Result<(Goal, WireRecord), StopError> {
        if let ServedBy::Own(own) = self.served_by {
            own.stop().await?;
        }
        Ok(self.served.record(&self.served.snapshot()))
    }
}

impl Prepared {
    fn new(
        task: &Task,
        case: &'static Case,
        mut draw: Draw,
        prefix: String,
        is_open: bool,
    ) -> Self {
        let seed = draw.seed();
        let token = task.has_token.then(|| draw.word(24));
        let header_case = match draw.number(0..=1) {
            0 => HeaderCase::Lower,
            _ => HeaderCase::Title,
        };
        let responder = (case.responder)(&mut draw);
        let has_another_origin = responder.has_another_origin();
        let served = Arc::new(Served {
            method: task.method.clone(),
            prefix: prefix.clone(),
            token,
            case,
            is_shared: is_open,
            most: match is_open {
                false => MOST_REQUESTS,
                true if task.rules().any(|rule| rule.id == page_limit::RULE.id) => MOST_PAGES,
                true => MOST_OPEN,
            },
            started: OnceLock::new(),
            state: Mutex::new(State {
                responder,
                draw,
                before: 0,
                own_before: 0,
                token_elsewhere: false,
                notes: HashMap::new(),
                requests: 0,
            }),
            called: Notify::new(),
            flood: Notify::new(),
            delay: LabDelay::default(),
            measured: Once::new(),
        });
        let respond = {
            let served = Arc::clone(&served);
            any(move |request| async move { served.respond(request).await })
        };
        let path = format!("{prefix}{}", task.words.path);
        let mut routes = Router::new();
        if is_open {
            let served = Arc::clone(&served);
            let again = post(async move || served.again());
            routes = routes.route(&format!("{path}/again"), again);
        }
        for route in task.more_routes {
            routes = routes.route(&format!("{prefix}{route}"), respond.clone());
        }
        let routes = routes.route(&path, respond).route(
            &format!("{prefix}/{{*path}}"),
            any(async || Problem::NOT_FOUND),
        );
        Self {
            task: task.words.name,
            path: task.words.path,
            served,
            routes,
            has_another_origin,
            header_case,
            seed,
        }
    }

    /// On the listener of this number among those that are shared, or on one of its own.
    fn serve(
        self,
        begun: Instant,
        shared: Option<(usize, &RunningService)>,
    ) -> Result<CaseService, ServiceError> {
        let (served_by, (context, another)) = match shared {
            Some((number, running)) => (ServedBy::Shared(number), self.locate(running, begun)?),
            None => {
                let capacity = self.served.most + IN_FLIGHT;
                let own = listen(self.routes.clone(), self.header_case, self.seed, capacity)?;
                let located = self.locate(&own, begun)?;
                (ServedBy::Own(own), located)
            }
        };
        Ok(CaseService {
            context,
            begun,
            served: self.served,
            served_by,
            _another: another,
        })
    }

    /// The context of its clients, and the second origin if it has one.
    fn locate(
        &self,
        running: &RunningService,
        begun: Instant,
    ) -> Result<(Context, Option<RunningService>), ServiceError> {
        let another = if self.has_another_origin {
            let served = Arc::clone(&self.served);
            let respond =
                move |request: Request| async move { served.respond_elsewhere(request).await };
            let routes = Router::new().route("/{*path}", any(respond));
            Some(listen(routes, self.header_case, self.seed, IN_FLIGHT)?)
        } else {
            None
        };
        let base_url = format!("{}{}", running.base_url(), self.served.prefix);
        self.served.started.get_or_init(|| Started {
            ledger: running.ledger_handle(),
            begun,
            base_url: base_url.clone(),
            another_origin: another.as_ref().map(RunningService::base_url),
        });
        let zone = self.served.case.time_zone;
        let query = match self.served.lock().responder.query() {
            query if query.is_empty() => query,
            query => format!("?{query}"),
        };
        let context = Context {
            set: zone.into_iter().map(TimeZone::variable).collect(),
            task: Some(self.task),
            url: format!("{base_url}{}{query}", self.path),
            base_url,
            token: self.served.token.clone(),
        };
        Ok((context, another))
    }
}

/// Serves these routes on a free port.
fn listen(
    routes: Router,
    header_case: HeaderCase,
    seed: u64,
    ledger_capacity: usize,
) -> Result<RunningService, ServiceError> {
    let config = ServiceConfig {
        seed,
        header_case,
        one_call: true,
        ledger_capacity: NonZeroUsize::new(ledger_capacity).unwrap_or(NonZeroUsize::MIN),
        drain_deadline: AT_ONCE,
        ..ServiceConfig::default()
    };
    Ok(Host::start(config, routes)?)
}

/// The prefix of a case's paths.
fn prefix(draw: &mut Draw) -> String {
    format!("/{}", draw.word(6))
}

/// A route as the task names it.
fn without(prefix: &str, route: &str) -> String {
    route.strip_prefix(prefix).unwrap_or(route).to_owned()
}

impl Served {
    async fn respond(&self, request: Request) -> Response {
        self.called.notify_one();
        self.measured.call_once(|| {
            tokio::spawn(self.delay.clone().measure());
        });
        if request.method() != self.method {
            return self.another_method(request.method());
        }
        let Some(started) = self.started.get() else {
            return Problem::NOT_FOUND.into_response();
        };
        if self.is_shared && self.lock().requests >= self.most {
            sleep(TARRY).await;
            return TOO_MANY.into_response();
        }
        let position = request.extensions().get::<ConnectionPosition>().copied();
        let token = self.token.as_deref();
        let token_in_url = token.is_some_and(|token| request.uri().to_string().contains(token));
        let bearer = request.headers().get(AUTHORIZATION);
        let bearer = bearer.and_then(|value| value.to_str().ok()?.split_once(' '));
        let is_authorized = token.is_none_or(|token| {
            bearer.is_some_and(|(scheme, sent)| {
                scheme.eq_ignore_ascii_case("bearer") && sent.trim() == token
            })
        });
        let (head, body) = request.into_parts();
        // A case that fails a request has read it first, so that its end is not taken
        // for the failure.
        let Ok(body) = to_bytes(body, MOST_BODY).await else {
            return Problem::INTERNAL_ERROR.into_response();
        };
        let key = single(&head.headers, &IDEMPOTENCY_KEY);
        let received = Received {
            path: without(&self.prefix, head.uri.path()),
            base_url: started.base_url.clone(),
            another_origin: started.another_origin.clone(),
            at: SystemTime::now(),
            is_fresh: position.is_none_or(|position| position.position == 1),
            query: query(&head.uri),
            key: key.and_then(|key| Some(key.to_str().ok()?.to_owned())),
            body,
        };
        let reply = self.reply(position, token_in_url, |responder| {
            if is_authorized {
                responder.respond(&received)
            } else {
                unauthorized().into()
            }
        });
        if !reply.takes.is_zero() {
            sleep(reply.takes).await;
        }
        // What it occupies is free again before the response is there.
        drop(reply.worker);
        reply.response
    }

    /// Responds to a request to the second origin.
    async fn respond_elsewhere(&self, request: Request) -> Response {
        let token = self.token.as_deref();
        let holds_token = |text: &str| token.is_some_and(|token| text.contains(token));
        let values = request.headers().values();
        let mut texts = values.filter_map(|value| value.to_str().ok());
        let got_it = texts.any(holds_token) || holds_token(&request.uri().to_string());
        self.lock().token_elsewhere |= got_it;
        if request.method() != self.method {
            return self.another_method(request.method());
        }
        let (head, body) = request.into_parts();
        let Ok(body) = to_bytes(body, MOST_BODY).await else {
            return Problem::INTERNAL_ERROR.into_response();
        };
        let received = Received {
            at: SystemTime::now(),
            body,
            ..Received::of(head.uri.path())
        };
        self.lock().responder.respond(&received).response
    }

    fn reply(
        &self,
        position: Option<ConnectionPosition>,
        token_in_url: bool,
        respond: impl FnOnce(&mut dyn Responder) -> Reply,
    ) -> Reply {
        let mut state = self.lock();
        state.requests += 1;
        if state.requests > self.most {
            self.flood.notify_one();
        }
        let reply = respond(&mut *state.responder);
        if let Some(position) = position {
            let note = Note {
                call: reply.call,
                token_in_url,
            };
            state
                .notes
                .insert((position.connection, position.position), note);
        }
        reply
    }

    /// Begins the case again: with a service that has seen nothing, and a new record.
    pub(super) fn again(&self) -> StatusCode {
        let mut state = self.lock();
        state.responder = (self.case.responder)(&mut state.draw);
        let ledger = self.snapshot();
        state.before = ledger.total;
        state.own_before = self.own_total(&ledger);
        state.notes.clear();
        state.token_elsewhere = false;
        state.requests = 0;
        StatusCode::NO_CONTENT
    }

    fn snapshot(&self) -> WireRecord {
        let started = self.started.get();
        started
            .map(|service| service.ledger.snapshot())
            .unwrap_or_default()
    }

    /// How many requests of the case are or were in this ledger.
    fn own_total(&self, ledger: &WireRecord) -> u64 {
        let own = ledger.routes.iter().filter(|(route, _)| self.is_own(route));
        own.map(|(_, totals)| totals.requests).sum()
    }

    /// Whether this is a route of the case.
    fn is_own(&self, route: &str) -> bool {
        let rest = route.strip_prefix(&self.prefix);
        !self.is_shared || rest.is_some_and(|rest| rest.starts_with('/'))
    }

    /// The case's own part of a ledger, which may be from before it was begun again.
    fn record(&self, ledger: &WireRecord) -> (Goal, WireRecord) {
        let prefix = &self.prefix;
        let state = self.lock();
        let entries = ledger.entries.iter();
        let own = entries.filter(|entry| entry.seq > state.before && self.is_own(&entry.route));
        let entries: Vec<_> = own.cloned().collect();
        // Where others connect as well, only a request tells that a connection is the case's.
        let brought: HashSet<_> = entries
            .iter()
            .filter_map(|entry| entry.connection)
            .collect();
        let connections = ledger.connections.iter();
        let connections = connections
            .filter(|connection| !self.is_shared || brought.contains(&connection.number));
        let routes = ledger.routes.iter().filter(|(route, _)| self.is_own(route));
        let routes = routes.map(|(route, totals)| (without(prefix, route), *totals));
        let (refused, connections_dropped) = if self.is_shared {
            (Vec::new(), 0)
        } else {
            (ledger.refused.clone(), ledger.connections_dropped)
        };
        let total = self.own_total(ledger).saturating_sub(state.own_before);
        let begun = self.started.get().map(|started| started.begun);
        let mut wire = WireRecord {
            total,
            dropped: total.saturating_sub(entries.len() as u64),
            entries,
            routes: routes.collect(),
            connections: connections.copied().collect(),
            refused,
            connections_dropped,
            exchanges: Vec::new(),
            one_call: true,
            delays: begun.map_or_else(Vec::new, |begun| self.delay.since(begun)),
        };
        for (seq, request) in (wire.dropped + 1..).zip(&mut wire.entries) {
            request.seq = seq;
            request.route = without(prefix, &request.route).into();
            request.token_elsewhere = state.token_elsewhere && names_another_origin(request);
            let position = request.connection.zip(request.position);
            if let Some(note) = position.and_then(|position| state.notes.get(&position)) {
                request.call = note.call;
                request.token_in_url = note.token_in_url;
            }
        }
        (state.responder.goal(), wire)
    }

    /// A client may look before it asks; it learns nothing, and nothing has happened.
    fn another_method(&self, method: &Method) -> Response {
        let mut response = match *method {
            Method::HEAD => StatusCode::OK.into_response(),
            Method::OPTIONS => StatusCode::NO_CONTENT.into_response(),
            _ => Problem::METHOD_NOT_ALLOWED.into_response(),
        };
        if let Ok(allow) = HeaderValue::from_str(self.method.as_str()) {
            response.headers_mut().insert(ALLOW, allow);
        }
        response
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

problems! { ,
TOO_MANY = TOO_MANY_REQUESTS, "too_many_requests", "the case has had as many requests as it takes; begin it again";
}

/// The parameters of a query, decoded.
fn query(uri: &http::Uri) -> Vec<(String, String)> {
    let query = Query::<Vec<(String, String)>>::try_from_uri(uri);
    query.map(|Query(pairs)| pairs).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;
    use crate::find;

    /// An open case of a task, which no listener serves.
    fn open_case(task: &str) -> Arc<Served> {
        let task = find(task).expect("a task");
        let draw = Draw::new(7, task.words.name, 0);
        let case = Prepared::new(task, task.cases(7)[0], draw, "/case".to_owned(), true);
        let config = ServiceConfig::default();
        case.served.started.get_or_init(|| Started {
            begun: Instant::now(),
            ledger: host::router(&config, Router::new()).1,
            base_url: String::new(),
            another_origin: None,
        });
        case.served
    }

    #[tokio::test(start_paused = true)]
    async fn an_open_case_takes_so_many_requests_and_refuses_the_rest_without_haste() {
        let case = open_case("down");
        assert_eq!(open_case("long-list").most, MOST_PAGES);
        let ask = async || {
            let position = ConnectionPosition {
                connection: 1,
                position: case.lock().requests as u64 + 1,
            };
            let mut request = Request::new(Body::empty());
            request.extensions_mut().insert(position);
            case.respond(request).await.status()
        };

        for _ in 0..MOST_OPEN {
            assert_eq!(ask().await, StatusCode::SERVICE_UNAVAILABLE);
        }
        let begun = Instant::now();
        let status = ask().await;

        assert_eq!(status, StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(begun.elapsed(), TARRY);
        assert_eq!(case.lock().notes.len(), MOST_OPEN);
        case.again();
        assert_eq!(ask().await, StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(case.lock().notes.len(), 1);
    }
}
