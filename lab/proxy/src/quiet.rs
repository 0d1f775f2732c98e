//! Quiet routes: those on which an equal request is certainly a repetition.

use std::{collections::HashSet, time::Duration};

use super::{ProxyFault, ProxyRun, RunKind};

/// Why equal requests of a route need not belong to one call; none if the route is quiet.
///
/// It is quiet if both healthy runs make equally many requests of it and none twice, if none
/// came twice while its response was held in a control that the command bore, and if none
/// came twice in any other run, unless it was the target there.
#[must_use]
pub fn unfit(runs: &[ProxyRun], route: &str) -> Option<String> {
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
        return Some("the healthy runs made different numbers of its requests".to_owned());
    }
    if healthy().any(|run| came_twice(run, route)) {
        return Some("the same request is made more than once".to_owned());
    }
    let controls: Vec<_> = runs
        .iter()
        .filter(|it| it.is_of(route, ProxyFault::Hold))
        .collect();
    if controls.iter().any(|run| came_twice(run, route)) {
        return Some("the same request came again while its response was held".to_owned());
    }
    let bore_it = |run: &&ProxyRun| {
        let target = run.target();
        target.is_some_and(|it| it.delivered.is_some()) && run.end.exit == Some(0)
    };
    if !controls.iter().all(bore_it) {
        return Some("the command does not bear a response that is 3 s late".to_owned());
    }
    let others = runs.iter().filter(|run| run.kind != RunKind::Healthy);
    let mut others = others.filter(|run| !run.is_of(route, ProxyFault::Hold));
    let noisy = others.any(|run| came_twice(run, route));
    noisy.then(|| "the same request came twice, and it was not the one that failed".to_owned())
}

/// For how long after its target each control of a route watched for what comes by itself;
/// none without a control.
pub(super) fn watched(runs: &[ProxyRun], route: &str) -> Option<Duration> {
    let controls = runs.iter().filter(|run| run.is_of(route, ProxyFault::Hold));
    let watched = controls.filter_map(|run| {
        let target = run.target()?;
        Some(run.end.took.saturating_sub(target.arrived))
    });
    watched.min()
}

/// Whether two requests of a route are the same, except for the attempts of the call that
/// met the fault of the run.
fn came_twice(run: &ProxyRun, route: &str) -> bool {
    let mut seen = HashSet::new();
    let target = run.target().filter(|_| !run.is_of(route, ProxyFault::Hold));
    let mut requests = run.of_route(route);
    requests.any(|request| match request.asks_for() {
        Some(_) if target.is_some_and(|target| target.is_same_as(request)) => false,
        Some(asked) => !seen.insert(asked),
        // It equals no other, and ties nothing.
        None => false,
    })
}
