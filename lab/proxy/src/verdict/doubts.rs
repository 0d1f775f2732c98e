//! Why a run does not tell what it seems to tell.

use std::time::Duration;

use wire::duration;

use super::{
    Group,
    attempts::attempts,
    rules::{self, FaultRule, is_safe},
};
use crate::{ProxyFault, ProxyRequest, ProxyRun, routes::base};

/// Why nothing can be told from a run.
pub(super) fn doubt(run: &ProxyRun, fault: ProxyFault) -> Option<String> {
    if run.dropped > 0 {
        return Some("not every request was recorded".to_owned());
    }
    if let Some(refused) = run.refused.first() {
        return Some(format!("a request was refused: {refused}"));
    }
    if run
        .requests
        .iter()
        .any(|request| request.is_repeated_by_a_hop)
    {
        return Some("a proxy before this one sent a request again".to_owned());
    }
    if let Some(request) = run.requests.iter().find(|request| request.is_unanswered()) {
        let upstream = request.upstream.as_ref();
        let failure = upstream.and_then(|upstream| upstream.failure.as_ref());
        let why = failure.map_or_else(String::new, |failure| format!(": {failure}"));
        return Some(format!("your API did not answer a request{why}"));
    }
    // Whether it would have given up is what the fault asks.
    let is_ended = run.end.stopped.is_some() && fault != ProxyFault::Silence;
    is_ended.then(|| "the lab ended the command".to_owned())
}

/// Why an attempt may have been overlooked, so that a rule only seems to be kept or skipped.
pub(super) fn hidden(group: &Group<'_>, run: &ProxyRun) -> Option<String> {
    let Group { rule, within, .. } = *group;
    // This rule reads one connection, and no attempt.
    let target = run
        .target()
        .filter(|_| rule.id() != rules::READ_TIMEOUT.id())?;
    let is_later = |request: &&ProxyRequest| {
        request.seq > target.seq && Some(request.arrived) >= target.delivered
    };
    let is_silent_since = !run
        .of_route(&target.route)
        .any(|request| is_later(&request));
    // Nothing came that could be the same request: no control has to tell it from a heartbeat.
    let shows_by_itself =
        rule.id() == rules::REFUSED_ONCE.id() && is_silent_since && !group.healthy.is_empty();
    if target.calls.is_empty() && !shows_by_itself && group.noise.is_some() {
        return group.noise.clone();
    }
    if let Some(other) = another_way(rule, run, target, &group.healthy) {
        return Some(other);
    }
    if let Some((after, within)) = late(run, within).zip(within) {
        return Some(format!(
            "the same request came after {}, and the control watched for {} only. A header that \
             names the call would tell: --call-header",
            duration(after),
            duration(within),
        ));
    }
    let tied = attempts(run, within).count();
    let others = run.of_route(&target.route).count().saturating_sub(tied);
    let is_untied_later = run.of_route(&target.route).filter(is_later).count() > tied;
    let healthy = || {
        let runs = group.healthy.iter();
        runs.map(|run| run.of_route(&target.route).count())
    };
    match (healthy().min(), healthy().max()) {
        (Some(least), Some(most)) if least != most => Some("the healthy runs differ".to_owned()),
        (_, Some(most)) if others > most => {
            let more = others - most;
            let s = if more == 1 { "" } else { "s" };
            Some(format!(
                "{more} more request{s} of this route than in a healthy run: another call, or an \
                 attempt with another target or body. A header that names the call would tell: \
                 --call-header"
            ))
        }
        (Some(least), _) if others < least && is_untied_later => Some(
            "fewer requests of this route than in a healthy run, and one of them may be an attempt"
                .to_owned(),
        ),
        (None, _) if is_untied_later => {
            Some("a later request of this route may be an attempt".to_owned())
        }
        _ => None,
    }
}

/// How long after the target of a run the same request came, if that was later than its controls
/// watched.
pub(super) fn late(run: &ProxyRun, within: Option<Duration>) -> Option<Duration> {
    let (target, within) = run.target().zip(within)?;
    let same = run
        .of_route(&target.route)
        .filter(|request| request.seq > target.seq && target.is_same_as(request));
    let mut gaps = same.map(|request| request.arrived.saturating_sub(target.arrived));
    gaps.find(|gap| *gap > within)
}

/// A request that may be an attempt on another route, as far as a rule forbids it: one that
/// changes something, came after the failure, and is not made in good health.
fn another_way(
    rule: &FaultRule,
    run: &ProxyRun,
    target: &ProxyRequest,
    healthy: &[&ProxyRun],
) -> Option<String> {
    let most = |route: &str| {
        let counts = healthy.iter().map(|run| run.of_route(route).count());
        counts.max()
    };
    let mut later = run.requests.iter().filter(|request| {
        request.route != target.route
            && Some(request.arrived) >= target.delivered
            // The text may be missing in another attempt of the same route.
            && (rule.id() == rules::ONCE.id() || base(&request.route) == base(&target.route))
            && !is_safe(&request.route)
    });
    let other = later.find(|request| {
        most(&request.route).is_some_and(|most| run.of_route(&request.route).count() > most)
    })?;
    Some(format!(
        "{} was sent after the failure, and is not in a healthy run: it may do the same",
        other.route
    ))
}
