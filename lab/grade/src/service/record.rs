//! The requests of one case: its own part of the record of a listener.

use std::collections::HashSet;

use judge::rules::names_another_origin;
use wire::WireRecord;

use super::Served;
use crate::Goal;

impl Served {
    /// The record of its listener.
    pub(super) fn snapshot(&self) -> WireRecord {
        let started = self.started.get();
        started
            .map(|service| service.ledger.snapshot())
            .unwrap_or_default()
    }

    /// How many requests of the case are or were in this ledger.
    pub(super) fn own_total(&self, ledger: &WireRecord) -> u64 {
        let own = ledger.routes.iter().filter(|(route, _)| self.is_own(route));
        own.map(|(_, totals)| totals.requests).sum()
    }

    /// Whether this is a route of the case.
    fn is_own(&self, route: &str) -> bool {
        let rest = route.strip_prefix(&self.prefix);
        !self.is_shared || rest.is_some_and(|rest| rest.starts_with('/'))
    }

    /// A route or a path as the task names it.
    pub(super) fn without_prefix(&self, route: &str) -> String {
        route.strip_prefix(&self.prefix).unwrap_or(route).to_owned()
    }

    /// The case's own part of a ledger, which may be from before it was begun again.
    pub(super) fn record(&self, ledger: &WireRecord) -> (Goal, WireRecord) {
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
        let routes = routes.map(|(route, totals)| (self.without_prefix(route), *totals));
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
            request.route = self.without_prefix(&request.route).into();
            request.token_elsewhere = state.token_elsewhere && names_another_origin(request);
            let position = request.connection.zip(request.position);
            if let Some(note) = position.and_then(|position| state.notes.get(&position)) {
                request.call = note.call;
                request.token_in_url = note.token_in_url;
            }
        }
        (state.responder.goal(), wire)
    }
}
