//! Open cases: they share two listeners, and each can begin again.

use std::collections::HashSet;

use axum::Router;
use host::{HeaderCase, RunningService};
use http::StatusCode;

use super::{
    CaseService, Served, ServiceError,
    prepared::{Prepared, listen, prefix},
};
use crate::{Task, draw::Draw, task::Case};

/// How many requests a listener keeps that open cases share. It takes more than a few
/// floods at once for one case to lose what it had.
const MOST_KEPT: usize = 16_384;

/// In which letter case a service may send the names of headers.
const HEADER_CASES: [HeaderCase; 2] = [HeaderCase::Lower, HeaderCase::Title];

/// Starts the services of open cases on two listeners, one for each case of header names.
///
/// Each can be begun again over HTTP, by a POST to its URL with `/again`.
pub(crate) fn start_open(
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
    let mut shared = Vec::new();
    for header_case in HEADER_CASES {
        let on_it = cases.iter().filter(|case| case.header_case == header_case);
        let routes = on_it.map(|case| case.routes.clone());
        let routes = routes.reduce(Router::merge).unwrap_or_default();
        shared.push(listen(routes, header_case, seed, MOST_KEPT)?);
    }
    let mut services = Vec::new();
    for case in cases {
        let listeners = HEADER_CASES.iter().zip(&shared);
        for (number, (header_case, listener)) in listeners.enumerate() {
            if *header_case == case.header_case {
                services.push(case.serve_on((number, listener))?);
                break;
            }
        }
    }
    Ok((services, shared))
}

impl Served {
    /// Begins the case again: with a service that has seen nothing, and a new record.
    pub(crate) fn again(&self) -> StatusCode {
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
}
