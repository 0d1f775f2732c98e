//! The service of one case, with a URL that no other case has.
//!
//! A case that is run with a process has a listener of its own; [open] cases share two.

mod open;
mod prepared;
mod record;
mod respond;
mod second_origin;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, Once, OnceLock, PoisonError},
};

use host::{HostFailure, Ledger, RunningService, StartError, StopError};
use http::Method;
use process::Context;
use tokio::{sync::Notify, time::Instant};
use wire::WireRecord;

pub(crate) use self::open::start_open;
use self::prepared::Prepared;
use crate::{Goal, Task, draw::Draw, lab_delay::LabDelay, responder::Responder, task::Case};

/// Why a service of a case failed. It says nothing about the client.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServiceError {
    /// It did not start.
    #[error("the service could not be started")]
    Start(#[from] StartError),
    /// It did not stop cleanly.
    #[error("the service could not be stopped")]
    Stop(#[from] StopError),
    /// The lab itself failed while the case went on.
    #[error(transparent)]
    Failed(#[from] HostFailure),
}

/// The service of one case.
pub(crate) struct CaseService {
    pub(crate) context: Context,
    /// The moment from which its record counts.
    pub(crate) begun: Instant,
    pub(crate) served: Arc<Served>,
    served_by: ServedBy,
    /// The second origin, if it has one, for as long as it is served.
    _second_origin: Option<RunningService>,
}

/// Where the requests of a case arrive.
enum ServedBy {
    Own(RunningService),
    /// The one of this number among those that open cases share.
    Shared(usize),
}

/// The behaviour of a case's service, and its observations.
pub(crate) struct Served {
    method: Method,
    /// The prefix of the task's paths.
    prefix: String,
    token: Option<String>,
    pub(crate) case: &'static Case,
    /// Whether other cases are served on its listener.
    is_shared: bool,
    /// The most requests of the case.
    most: usize,
    /// Set before anybody knows its URL.
    started: OnceLock<Started>,
    state: Mutex<State>,
    /// Notified with its first request.
    pub(crate) called: Notify,
    /// Notified once there were more requests than a case has room for.
    pub(crate) flood: Notify,
    /// How late the runtime is that serves it, from the first request on.
    pub(crate) delay: LabDelay,
    measured: Once,
}

/// The addresses and the origin of a service that listens.
struct Started {
    /// The moment from which the record of its listener counts.
    begun: Instant,
    ledger: Ledger,
    /// The prefix of a path in its URLs.
    base_url: String,
    second_origin: Option<String>,
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

impl CaseService {
    /// Starts the service of a case on a listener of its own.
    pub(crate) fn start(
        task: &Task,
        case: &'static Case,
        mut draw: Draw,
    ) -> Result<Self, ServiceError> {
        let prefix = prepared::prefix(&mut draw);
        Prepared::new(task, case, draw, prefix, false).serve()
    }

    /// How many requests came so far if this line is the result of the case; none if it is
    /// not.
    pub(crate) fn is_result(&self, line: &str) -> Option<u64> {
        // Most lines are none, and a record is a copy.
        if !line.starts_with('{') {
            return None;
        }
        let (goal, wire) = self.record(&[]);
        goal.accepts(line).then_some(wire.total)
    }

    /// What the caller must end up with, and what the wire has seen so far: by its own
    /// listener, or by that of its number among those that are shared.
    pub(crate) fn record(&self, shared: &[WireRecord]) -> (Goal, WireRecord) {
        let shared = match &self.served_by {
            ServedBy::Own(_) => None,
            ServedBy::Shared(number) => shared.get(*number),
        };
        match shared {
            Some(ledger) => self.served.record(ledger),
            None => self.served.record(&self.served.snapshot()),
        }
    }

    /// Stops the listener that it has for itself: what the caller must end up with, and
    /// what the wire saw.
    pub(crate) async fn stop(self) -> Result<(Goal, WireRecord), StopError> {
        if let ServedBy::Own(own) = self.served_by {
            own.stop().await?;
        }
        Ok(self.served.record(&self.served.snapshot()))
    }
}

impl Served {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
