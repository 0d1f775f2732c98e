//! The service of one play, with a URL that no other play has.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::{
    Router,
    body::to_bytes,
    extract::{Query, Request},
    response::{IntoResponse, Response},
    routing::any,
};
use evidence::{grade::Goal, wire::WireRecord};
use http::{HeaderValue, Method, StatusCode, header::ALLOW};
use server::{ConnectionPlace, Problem, RunningApi, ServiceConfig, TeachingApi};
use tokio::{sync::Notify, time::Instant};

use super::{
    command::Context,
    draw::Draw,
    task::{Part, Received, Responder, Task},
};
use crate::{run_error::RunError, wire};

/// The most requests of a play. One more is a flood, and ends it.
const MOST_REQUESTS: usize = 3_000;

/// The largest body of a request, in bytes.
const MOST_BODY: usize = 64 * 1024;

/// How long what is in flight at the end of a play may go on: not at all.
const AT_ONCE: Duration = Duration::from_millis(1);

/// The service of one play.
pub(super) struct PlayService {
    pub(super) context: Context,
    /// The moment from which its record counts.
    pub(super) begun: Instant,
    prefix: String,
    served: Arc<Served>,
    running: RunningApi,
}

/// What a play's service does, and what it noticed.
struct Served {
    method: Method,
    token: Option<String>,
    state: Mutex<State>,
    flood: Notify,
}

struct State {
    responder: Box<dyn Responder>,
    /// What the ledger does not know of a request, by its connection and its place.
    notes: HashMap<(u64, u64), Note>,
    requests: usize,
}

#[derive(Clone, Copy, Default)]
struct Note {
    call: Option<u64>,
    token_in_url: bool,
}

impl PlayService {
    /// Starts the service of a play.
    pub(super) fn start(task: &Task, part: &Part, mut draw: Draw) -> Result<Self, RunError> {
        let prefix = format!("/{}", draw.word(6));
        let token = task.has_token.then(|| draw.word(24));
        let served = Arc::new(Served {
            method: task.method.clone(),
            token: token.clone(),
            state: Mutex::new(State {
                responder: (part.responder)(&mut draw),
                notes: HashMap::new(),
                requests: 0,
            }),
            flood: Notify::new(),
        });
        let respond = {
            let served = Arc::clone(&served);
            any(move |request| async move { served.respond(request).await })
        };
        let routes = Router::new()
            .route(&format!("{prefix}{}", task.words.path), respond)
            .route(
                &format!("{prefix}/{{*path}}"),
                any(async || Problem::NOT_FOUND),
            );
        let config = ServiceConfig::builder()
            .port(0)
            .seed(draw.seed())
            .lessons(false)
            .routes(routes)
            .one_caller(true)
            .ledger_capacity(MOST_REQUESTS)
            .drain_deadline(AT_ONCE)
            .build()?;
        let begun = Instant::now();
        let running = TeachingApi::start(config)?;
        let base_url = format!("{}{prefix}", running.base_url());
        Ok(Self {
            context: Context {
                task: task.words.name,
                url: format!("{base_url}{}", task.words.path),
                base_url,
                token,
            },
            begun,
            prefix,
            served,
            running,
        })
    }

    /// Ready once there were more requests than a play has room for.
    pub(super) async fn flood(&self) {
        self.served.flood.notified().await;
    }

    /// Stops the service: what the caller must end up with, and what the wire saw.
    pub(super) async fn stop(self) -> Result<(Goal, WireRecord), RunError> {
        let ledger = self.running.ledger_handle();
        self.running.stop().await?;
        let mut wire = wire::record(ledger.snapshot(), true);
        let state = self.served.lock();
        for request in &mut wire.entries {
            request.route = without(&self.prefix, &request.route);
            let place = request.connection.zip(request.place);
            if let Some(note) = place.and_then(|place| state.notes.get(&place)) {
                request.call = note.call;
                request.token_in_url = note.token_in_url;
            }
        }
        let routes = std::mem::take(&mut wire.routes).into_iter();
        wire.routes = routes
            .map(|(route, totals)| (without(&self.prefix, &route), totals))
            .collect();
        Ok((state.responder.goal(), wire))
    }
}

/// A route as the task names it.
fn without(prefix: &str, route: &str) -> String {
    route.strip_prefix(prefix).unwrap_or(route).to_owned()
}

impl Served {
    async fn respond(&self, request: Request) -> Response {
        if request.method() != self.method {
            return self.another_method(request.method());
        }
        let place = request.extensions().get::<ConnectionPlace>().copied();
        let token = self.token.as_deref();
        let token_in_url = token.is_some_and(|token| request.uri().to_string().contains(token));
        let (head, body) = request.into_parts();
        // A play that fails a request has read it first, so that its end is not taken
        // for the failure.
        let Ok(body) = to_bytes(body, MOST_BODY).await else {
            return Problem::INTERNAL_ERROR.into_response();
        };
        let key = head.headers.get("idempotency-key");
        let received = Received {
            is_fresh: place.is_none_or(|place| place.place == 1),
            cursor: cursor(&head.uri),
            key: key.and_then(|key| Some(key.to_str().ok()?.to_owned())),
            body,
        };
        let mut state = self.lock();
        state.requests += 1;
        if state.requests > MOST_REQUESTS {
            self.flood.notify_one();
        }
        let reply = state.responder.respond(&received);
        if let Some(place) = place {
            let note = Note {
                call: reply.call,
                token_in_url,
            };
            state.notes.insert((place.connection, place.place), note);
        }
        reply.response
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
