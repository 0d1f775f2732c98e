//! The verdicts on records made by hand and on simulated plans, and the cards of such verdicts.

mod cards;
mod simulated;
mod tables;

use std::time::Duration;

use wire::ValueHash;

pub(super) use testkit::ms;

use super::{
    Declared, ProxyFault, ProxyRequest, ProxyRun, UpstreamResponse,
    record::{CommandEnd, RunKind},
    verdict::{CaseRuns, Judged, judge},
};

pub(super) const ROUTE: &str = "POST /orders";

/// A request of the route at this moment, with a target of this number.
pub(super) fn request(at: u64, target: u64) -> ProxyRequest {
    ProxyRequest {
        arrived: ms(at),
        route: ROUTE.to_owned(),
        target: ValueHash(target),
        upstream: Some(UpstreamResponse {
            status: Some(200),
            ..UpstreamResponse::default()
        }),
        status: Some(200),
        ..ProxyRequest::default()
    }
}

/// The same with this idempotency key.
pub(super) fn keyed(at: u64, key: u64) -> ProxyRequest {
    ProxyRequest {
        idempotency_key: Some(ValueHash(key)),
        calls: vec![ValueHash(key)],
        ..request(at, 1)
    }
}

/// A run of a command that ends with this code, in which the first request of the route
/// meets the fault at once. The requests are numbered in order of arrival.
pub(super) fn run(fault: Option<ProxyFault>, requests: Vec<ProxyRequest>, exit: i32) -> ProxyRun {
    let lasts = fault.map(ProxyFault::lasts).unwrap_or_default();
    run_for(fault, lasts, requests, exit)
}

/// The same with a fault that lasts for so long.
pub(super) fn run_for(
    fault: Option<ProxyFault>,
    lasts: Duration,
    mut requests: Vec<ProxyRequest>,
    exit: i32,
) -> ProxyRun {
    requests.sort_by_key(|request| request.arrived);
    for (request, seq) in requests.iter_mut().zip(1..) {
        request.seq = seq;
    }
    let target = requests.iter_mut().find(|request| request.route == ROUTE);
    if let (Some(fault), Some(target)) = (fault, target) {
        target.fault = Some(fault);
        let late = if fault == ProxyFault::Hold {
            lasts
        } else {
            Duration::ZERO
        };
        target.delivered = Some(target.arrived + late);
        target.head = target.delivered;
        if !matches!(fault, ProxyFault::Hold | ProxyFault::LostResponse) {
            target.upstream = None;
        }
    }
    let last = requests
        .last()
        .map_or(Duration::ZERO, |request| request.arrived);
    let held = match fault {
        Some(ProxyFault::Hold) => lasts,
        _ => Duration::ZERO,
    };
    let took = last.max(held) + ms(10);
    ProxyRun {
        kind: match fault {
            None => RunKind::Healthy,
            Some(fault) => RunKind::Fault {
                route: ROUTE.to_owned(),
                fault,
                lasts,
            },
        },
        requests,
        dropped: 0,
        refused: Vec::new(),
        names_upstream: false,
        end: CommandEnd {
            exit: Some(exit),
            took,
            ..CommandEnd::default()
        },
    }
}

/// The verdict on a rule of the route.
pub(super) fn verdict(
    runs: &[ProxyRun],
    fault: ProxyFault,
    rule: &str,
    declared: &Declared,
) -> Judged {
    let case = CaseRuns {
        runs,
        route: ROUTE,
        fault,
    };
    let judged = judge(case, declared).into_iter();
    let mut judged = judged.filter(|judgement| judgement.rule == rule);
    judged.next().expect("a rule of the fault")
}

pub(super) fn once() -> Declared {
    Declared {
        once: vec![ROUTE.to_owned()],
        give_up_within: Some(ms(20_000)),
    }
}
