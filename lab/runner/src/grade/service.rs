//! The service of one case, with a URL that no other case has.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::{Duration, SystemTime},
};

use axum::{
    Router,
    body::to_bytes,
    extract::{Query, Request},
    response::{IntoResponse, Response},
    routing::{any, post},
};
use evidence::{grade::Goal, wire::WireRecord};
use host::{ConnectionPosition, HeaderCase, Host, Ledger, Problem, RunningService, ServiceConfig};
use http::{
    HeaderValue, Method, StatusCode,
    header::{ALLOW, AUTHORIZATION},
};
use tokio::{
    net::TcpSocket,
    sync::Notify,
    time::{Instant, sleep},
};

use super::{
    command::Context,
    draw::Draw,
    responses::unauthorized,
    task::{Case, Listener, Received, Reply, Responder, Task},
};
use crate::{network::refusing_port, run_error::RunError};

/// The most requests of a case. One more is a flood, and ends it.
const MOST_REQUESTS: usize = 3_000;

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
    served: Arc<Served>,
    running: RunningService,
    /// Holds the port of a door that is closed.
    _refusing: Option<TcpSocket>,
}

/// What a case's service does, and what it noticed.
struct Served {
    method: Method,
    /// What stands before the paths of the task.
    prefix: String,
    token: Option<String>,
    case: &'static Case,
    /// Set before anybody knows its URL.
    started: OnceLock<Started>,
    state: Mutex<State>,
    called: Notify,
    flood: Notify,
}

/// What is known of a service once it listens.
struct Started {
    ledger: Ledger,
    /// What stands before a path in its URLs.
    base_url: String,
}

struct State {
    responder: Box<dyn Responder>,
    draw: Draw,
    /// How many requests came before it was begun again.
    before: u64,
    /// What the ledger does not know of a request, by its connection and its position.
    notes: HashMap<(u64, u64), Note>,
    requests: usize,
}

#[derive(Clone, Copy, Default)]
struct Note {
    call: Option<u64>,
    token_in_url: bool,
}

impl CaseService {
    /// Starts the service of a case. It can be begun again over HTTP where `is_open`:
    /// by a POST to its URL with `/again`.
    pub(super) fn start(
        task: &Task,
        case: &'static Case,
        mut draw: Draw,
        is_open: bool,
    ) -> Result<Self, RunError> {
        let seed = draw.seed();
        let prefix = format!("/{}", draw.word(6));
        let token = task.has_token.then(|| draw.word(24));
        let header_case = match draw.number(0..=1) {
            0 => HeaderCase::Lower,
            _ => HeaderCase::Title,
        };
        let responder = (case.responder)(&mut draw);
        let door = responder.listener();
        let served = Arc::new(Served {
            method: task.method.clone(),
            prefix: prefix.clone(),
            token: token.clone(),
            case,
            started: OnceLock::new(),
            state: Mutex::new(State {
                responder,
                draw,
                before: 0,
                notes: HashMap::new(),
                requests: 0,
            }),
            called: Notify::new(),
            flood: Notify::new(),
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
        let config = ServiceConfig::builder()
            .port(0)
            .seed(seed)
            .header_case(header_case)
            .one_caller(true)
            .ledger_capacity(MOST_REQUESTS + IN_FLIGHT)
            .drain_deadline(AT_ONCE)
            .build()?;
        let begun = Instant::now();
        let running = Host::start(config, routes)?;
        let (origin, refusing) = match door {
            Listener::Open => (running.base_url(), None),
            Listener::PlainHttps => (format!("https://{}", running.local_addr()), None),
            Listener::Closed => {
                let socket = refusing_port().map_err(RunError::Network)?;
                let address = socket.local_addr().map_err(RunError::Network)?;
                (format!("http://{address}"), Some(socket))
            }
        };
        let base_url = format!("{origin}{prefix}");
        served.started.get_or_init(|| Started {
            ledger: running.ledger_handle(),
            base_url: base_url.clone(),
        });
        Ok(Self {
            context: Context {
                task: task.words.name,
                url: format!("{base_url}{}", task.words.path),
                base_url,
                token,
            },
            begun,
            served,
            running,
            _refusing: refusing,
        })
    }

    /// What it does, in words.
    pub(super) fn name(&self) -> &'static str {
        self.served.case.name
    }

    /// Ready with its first request.
    pub(super) async fn called(&self) {
        self.served.called.notified().await;
    }

    /// Ready once there were more requests than a case has room for.
    pub(super) async fn flood(&self) {
        self.served.flood.notified().await;
    }

    /// Begins the case again: with a service that has seen nothing, and a new record.
    pub(super) fn again(&self) {
        self.served.again();
    }

    /// What the caller must end up with, and what the wire has seen so far.
    pub(super) fn record(&self) -> (Goal, WireRecord) {
        self.served.record()
    }

    /// Stops the service: what the caller must end up with, and what the wire saw.
    pub(super) async fn stop(self) -> Result<(Goal, WireRecord), RunError> {
        self.running.stop().await?;
        Ok(self.served.record())
    }
}

/// A route as the task names it.
fn without(prefix: &str, route: &str) -> String {
    route.strip_prefix(prefix).unwrap_or(route).to_owned()
}

impl Served {
    async fn respond(&self, request: Request) -> Response {
        self.called.notify_one();
        if request.method() != self.method {
            return self.another_method(request.method());
        }
        let Some(started) = self.started.get() else {
            return Problem::NOT_FOUND.into_response();
        };
        let position = request.extensions().get::<ConnectionPosition>().copied();
        let token = self.token.as_deref();
        let token_in_url = token.is_some_and(|token| request.uri().to_string().contains(token));
        let bearer = request.headers().get(AUTHORIZATION);
        let bearer = bearer.and_then(|it| it.to_str().ok()?.split_once(' '));
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
        let key = head.headers.get("idempotency-key");
        let received = Received {
            path: without(&self.prefix, head.uri.path()),
            base_url: started.base_url.clone(),
            at: SystemTime::now(),
            is_fresh: position.is_none_or(|position| position.position == 1),
            cursor: cursor(&head.uri),
            key: key.and_then(|key| Some(key.to_str().ok()?.to_owned())),
            body,
        };
        let reply = self.reply(position, token_in_url, |responder| match is_authorized {
            true => responder.respond(&received),
            false => unauthorized().into(),
        });
        if !reply.takes.is_zero() {
            sleep(reply.takes).await;
        }
        // What it occupies is free again before the response is there.
        drop(reply.worker);
        reply.response
    }

    fn reply(
        &self,
        position: Option<ConnectionPosition>,
        token_in_url: bool,
        respond: impl FnOnce(&mut dyn Responder) -> Reply,
    ) -> Reply {
        let mut state = self.lock();
        state.requests += 1;
        if state.requests > MOST_REQUESTS {
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

    fn again(&self) -> StatusCode {
        let mut state = self.lock();
        state.responder = (self.case.responder)(&mut state.draw);
        state.before = self.snapshot().total;
        state.notes.clear();
        state.requests = 0;
        StatusCode::NO_CONTENT
    }

    fn snapshot(&self) -> WireRecord {
        let started = self.started.get();
        started.map(|it| it.ledger.snapshot()).unwrap_or_default()
    }

    fn record(&self) -> (Goal, WireRecord) {
        let prefix = &self.prefix;
        // Held from here on, so that the case cannot begin again after what is read of it.
        let state = self.lock();
        let mut wire = self.snapshot();
        wire.entries.retain(|request| request.seq > state.before);
        wire.total -= state.before;
        wire.dropped = wire.total - wire.entries.len() as u64;
        for request in &mut wire.entries {
            request.route = without(prefix, &request.route).into();
            let position = request.connection.zip(request.position);
            if let Some(note) = position.and_then(|position| state.notes.get(&position)) {
                request.call = note.call;
                request.token_in_url = note.token_in_url;
            }
        }
        let routes = std::mem::take(&mut wire.routes).into_iter();
        wire.routes = routes
            .map(|(route, totals)| (without(prefix, &route), totals))
            .collect();
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

/// The cursor of a query, decoded.
fn cursor(uri: &http::Uri) -> Option<String> {
    let Query(pairs) = Query::<Vec<(String, String)>>::try_from_uri(uri).ok()?;
    let mut cursors = pairs.into_iter().filter(|(name, _)| name == "cursor");
    cursors.next().map(|(_, cursor)| cursor)
}
