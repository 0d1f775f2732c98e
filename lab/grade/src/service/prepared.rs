//! A case before it is served: its routes, and what they know of it.

use std::{
    collections::HashMap,
    num::NonZeroUsize,
    sync::{Arc, Mutex, Once, OnceLock},
    time::Duration,
};

use axum::{
    Router,
    routing::{any, post},
};
use host::{HeaderCase, Host, Problem, RunningService, ServiceConfig};
use judge::rules::page_limit;
use process::Context;
use tokio::{sync::Notify, time::Instant};

use super::{CaseService, Served, ServedBy, ServiceError, Started, State};
use crate::{Task, draw::Draw, lab_delay::LabDelay, task::Case, time_zone::TimeZone};

/// The most requests of a case. One more is a flood, and ends it.
const MOST_REQUESTS: usize = 3_000;

/// The most requests of an open case, which no process ends. Later requests are
/// refused.
pub(super) const MOST_OPEN: usize = 300;

/// The same where a rule counts the pages of a listing without an end: more than the
/// thousand that it allows.
pub(super) const MOST_PAGES: usize = 1_500;

/// How many more may come before a flood is ended; all of them are kept.
pub(super) const IN_FLIGHT: usize = 1_000;

/// How long what is in flight at the end of a case may go on: not at all.
const AT_ONCE: Duration = Duration::from_millis(1);

/// A case before it is served.
pub(super) struct Prepared {
    /// The name of its task, and the path.
    task: &'static str,
    path: &'static str,
    pub(super) served: Arc<Served>,
    pub(super) routes: Router,
    has_second_origin: bool,
    pub(super) header_case: HeaderCase,
    seed: u64,
}

impl Prepared {
    pub(super) fn new(
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
        let has_second_origin = responder.has_second_origin();
        let most = if !is_open {
            MOST_REQUESTS
        } else if task.rules().any(|rule| rule.id == page_limit::RULE.id) {
            MOST_PAGES
        } else {
            MOST_OPEN
        };
        let served = Arc::new(Served {
            method: task.method.clone(),
            prefix,
            token,
            case,
            is_shared: is_open,
            most,
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
        Self {
            task: task.words.name,
            path: task.words.path,
            routes: routes(task, &served),
            served,
            has_second_origin,
            header_case,
            seed,
        }
    }

    /// Serves it on a listener of its own.
    pub(super) fn serve(self) -> Result<CaseService, ServiceError> {
        let capacity = self.served.most + IN_FLIGHT;
        let own = listen(self.routes.clone(), self.header_case, self.seed, capacity)?;
        let (context, second_origin) = self.locate(&own)?;
        Ok(CaseService {
            context,
            begun: begun(&own),
            served: self.served,
            served_by: ServedBy::Own(own),
            _second_origin: second_origin,
        })
    }

    /// Serves it on a listener that has its routes already.
    pub(super) fn serve_on(
        self,
        (number, listener): (usize, &RunningService),
    ) -> Result<CaseService, ServiceError> {
        let (context, second_origin) = self.locate(listener)?;
        Ok(CaseService {
            context,
            begun: begun(listener),
            served: self.served,
            served_by: ServedBy::Shared(number),
            _second_origin: second_origin,
        })
    }

    /// The context of its clients, and the second origin if it has one.
    fn locate(
        &self,
        listener: &RunningService,
    ) -> Result<(Context, Option<RunningService>), ServiceError> {
        let second_origin = if self.has_second_origin {
            let routes = Served::second_origin(&self.served);
            Some(listen(routes, self.header_case, self.seed, IN_FLIGHT)?)
        } else {
            None
        };
        let base_url = format!("{}{}", listener.base_url(), self.served.prefix);
        self.served.started.get_or_init(|| Started {
            ledger: listener.ledger_handle(),
            begun: begun(listener),
            base_url: base_url.clone(),
            second_origin: second_origin.as_ref().map(RunningService::base_url),
        });
        let zone = self.served.case.time_zone;
        let query = self.served.lock().responder.query();
        let query = if query.is_empty() {
            query
        } else {
            format!("?{query}")
        };
        let context = Context {
            set: zone.into_iter().map(TimeZone::variable).collect(),
            task: Some(self.task),
            url: format!("{base_url}{}{query}", self.path),
            base_url,
            token: self.served.token.clone(),
            marks: Vec::new(),
        };
        Ok((context, second_origin))
    }
}

/// The routes of a case. An open one can be begun again by a POST.
fn routes(task: &Task, served: &Arc<Served>) -> Router {
    let respond = {
        let served = Arc::clone(served);
        any(move |request| async move { served.respond(request).await })
    };
    let prefix = &served.prefix;
    let path = format!("{prefix}{}", task.words.path);
    let mut routes = Router::new();
    if served.is_shared {
        let served = Arc::clone(served);
        let again = post(async move || served.again());
        routes = routes.route(&format!("{path}/again"), again);
    }
    for route in task.more_routes {
        routes = routes.route(&format!("{prefix}{route}"), respond.clone());
    }
    routes.route(&path, respond).route(
        &format!("{prefix}/{{*path}}"),
        any(async || Problem::NOT_FOUND),
    )
}

/// Serves these routes on a free port.
pub(super) fn listen(
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

/// The moment from which the record of a listener counts.
fn begun(listener: &RunningService) -> Instant {
    Instant::from_std(listener.begun())
}

/// The prefix of a case's paths.
pub(super) fn prefix(draw: &mut Draw) -> String {
    format!("/{}", draw.word(6))
}
