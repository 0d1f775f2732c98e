//! Quiet routes: those on which an equal request is certainly a repetition.

use std::{collections::HashSet, time::Duration};

use crate::{ProxyFault, ProxyRequest, ProxyRun, record::RunKind};

/// Why equal requests of a route need not belong to one call; none if the route is quiet.
///
/// It is quiet if both healthy runs make equally many requests of it and none twice, if none
/// came twice while its response was held in a control that the command bore, and if none
/// came twice in any other run, unless it was the target there.
pub(crate) fn unfit(runs: &[ProxyRun], route: &str) -> Option<String> {
    let healthy = || runs.iter().filter(|run| run.kind == RunKind::Healthy);
    if healthy().next().is_none() {
        return Some("there was no healthy run to compare with".to_owned());
    }
    if runs.iter().any(|run| run.dropped > 0) {
        return Some("not every request was recorded".to_owned());
    }
    let mut counts = healthy().map(|run| run.of_route(route).count());
    let first = counts.next().unwrap_or_default();
    if counts.any(|count| count != first) {
        let why = "the healthy runs made different numbers of its requests: if one depends on \
                   what the last left, --before resets it";
        return Some(why.to_owned());
    }
    if healthy().any(|run| came_twice(run, route)) {
        let why = "the same request is made more than once: a command that makes it once, or \
                   --call-header, tells its calls apart";
        return Some(why.to_owned());
    }
    let controls = || runs.iter().filter(|run| run.is_of(route, ProxyFault::Hold));
    if controls().any(|run| came_twice(run, route)) {
        return Some("the same request came again while its response was held".to_owned());
    }
    // If it bears a control, a longer one only finds out how long it waits.
    let shortest = controls().map(ProxyRun::lasts).min();
    if let (None, Some(late)) = (borne(runs, route), shortest) {
        let late = wire::duration(late);
        return Some(format!(
            "the command does not bear a response that is {late} late"
        ));
    }
    let mut others = runs
        .iter()
        .filter(|run| run.kind != RunKind::Healthy && !run.is_of(route, ProxyFault::Hold));
    let noisy = others.any(|run| came_twice(run, route));
    noisy.then(|| "the same request came twice, and it was not the one that failed".to_owned())
}

/// A time for which the command bears that a response of a route is held: it bore each control
/// of this length or a shorter one. None if it did not bear the shortest one.
/// A command whose timeout is as long as a control bears it by chance, so one that was borne
/// is not enough.
pub(crate) fn borne(runs: &[ProxyRun], route: &str) -> Option<Duration> {
    let controls = || runs.iter().filter(|run| run.is_of(route, ProxyFault::Hold));
    let not_borne = controls().filter(|run| !run.is_borne());
    let too_long = not_borne.map(ProxyRun::lasts).min();
    let lengths = controls().map(ProxyRun::lasts);
    lengths
        .filter(|held| too_long.is_none_or(|too_long| *held < too_long))
        .max()
}

/// The controls of a route that tell something of a wait: the command bears them, and they
/// held the response for longer.
pub(crate) fn controls_of<'a>(
    runs: &'a [ProxyRun],
    route: &'a str,
    wait: Duration,
) -> impl Iterator<Item = &'a ProxyRun> {
    let longest = borne(runs, route);
    let controls = runs.iter().filter(|run| run.is_of(route, ProxyFault::Hold));
    controls.filter(move |run| run.lasts() > wait && Some(run.lasts()) <= longest)
}

/// For how long after its target the longest of these controls watched for what comes by
/// itself; none without a control.
pub(crate) fn watched(runs: &[ProxyRun], route: &str, wait: Duration) -> Option<Duration> {
    controls_of(runs, route, wait).filter_map(watch).max()
}

/// For how long after its target a run went on.
pub(crate) fn watch(run: &ProxyRun) -> Option<Duration> {
    let target = run.target()?;
    Some(run.end.took.saturating_sub(target.arrived))
}

/// Whether all requests of a route carry a value that names their call in good health.
pub(crate) fn is_marked(runs: &[ProxyRun], route: &str) -> bool {
    let healthy = runs.iter().filter(|run| run.kind == RunKind::Healthy);
    let mut requests = healthy.flat_map(|run| run.of_route(route)).peekable();
    requests.peek().is_some() && requests.all(|request| !request.calls.is_empty())
}

/// Whether two requests of a route are the same, except for the attempts of the call that
/// met the fault of the run.
fn came_twice(run: &ProxyRun, route: &str) -> bool {
    let mut seen = HashSet::new();
    let target = run.target();
    let is_control = run.is_of(route, ProxyFault::Hold);
    // A request after the command gave up on the late response is an attempt, too.
    let gave_up = target
        .filter(|target| target.delivered.is_none())
        .and_then(|target| target.closed);
    let is_attempt = |request: &ProxyRequest| match gave_up {
        _ if !target.is_some_and(|target| target.is_same_as(request)) => false,
        Some(gave_up) if is_control => request.arrived >= gave_up,
        _ => !is_control,
    };
    let mut requests = run.of_route(route);
    requests.any(|request| match request.asks_for() {
        Some(_) if is_attempt(request) => false,
        Some(asked) => !seen.insert(asked),
        // It equals no other, and ties nothing.
        None => false,
    })
}
