//! What a row of a run shows when it is opened: its times, and its request and response.

use std::collections::HashMap;

use maud::{Markup, html};
use render::timeline::{Kind, Row, Timeline};
use wire::{WireRecord, WireRequest, duration};

use super::exchange;
use crate::{ScenarioRun, chart};

/// The facts of the rows of one run.
pub(super) struct RowFacts<'a> {
    requests: HashMap<String, &'a WireRequest>,
    record: Option<&'a WireRecord>,
    service: &'a str,
}

impl<'a> RowFacts<'a> {
    /// The facts for the rows of this timeline. Those of a run that goes on have no requests.
    pub(super) fn of(run: Option<&'a ScenarioRun>, timeline: &Timeline, service: &'a str) -> Self {
        let requests = run.map(|run| chart::shown_requests(&run.trace, &run.wire, &timeline.rows));
        Self {
            requests: requests.unwrap_or_default(),
            record: run.map(|run| &run.wire),
            service,
        }
    }

    pub(super) fn draw(&self, row: &Row) -> Markup {
        let request = self.requests.get(&row.id);
        let exchange = self.record.zip(request);
        let exchange = exchange.and_then(|(record, request)| record.exchange(request.seq));
        html! {
            p.remark {
                @if row.kind == Kind::Wait { "Decided: " (row.label) ". " }
                "Started at " (duration(row.at)) ", "
                @match row.lasted() {
                    Some(lasted) => { "lasted " (lasted) "." },
                    None => "still open.",
                }
            }
            @if let Some(exchange) = exchange { (exchange::exchange(exchange, self.service)) }
        }
    }
}
