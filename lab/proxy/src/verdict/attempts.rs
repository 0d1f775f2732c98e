//! Which requests are attempts of one call.
//!
//! Two requests are tied only if the second arrived after the failure of the first was
//! delivered; what overlaps is hedging and no retry. A tie by a *mark* is certain: both
//! carry one value in a header that names a call. A tie as *the same request* holds only on
//! a [quiet](super::quiet) route, and only for as long as the controls of the route watched
//! for what comes by itself; a verdict that stands on it needs a confirmation.

use std::time::Duration;

use crate::{ProxyRequest, ProxyRun};

/// A later attempt of a call that met a fault.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attempt<'a> {
    /// The request that met the fault.
    pub(crate) first: &'a ProxyRequest,
    /// The later request of the same call.
    pub(crate) next: &'a ProxyRequest,
    /// How both are tied.
    pub(crate) tie: TieKind,
}

/// How two requests are tied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TieKind {
    /// By a value that names a call.
    Marked,
    /// As equal requests.
    Same,
}

/// The later attempts of the call that met the fault of a run, in order of arrival; equal
/// requests only if they came `within` this time after it, on a quiet route.
pub(crate) fn attempts(
    run: &ProxyRun,
    within: Option<Duration>,
) -> impl Iterator<Item = Attempt<'_>> {
    let target = run
        .target()
        .and_then(|target| Some((target, target.delivered?)));
    target.into_iter().flat_map(move |(first, delivered)| {
        let is_later =
            move |request: &&ProxyRequest| request.seq > first.seq && request.arrived >= delivered;
        let later = run.of_route(&first.route).filter(is_later);
        later.filter_map(move |next| {
            let is_marked = first.calls.iter().any(|call| next.calls.contains(call));
            let in_time = within.is_some_and(|within| next.arrived <= first.arrived + within);
            let tie = if is_marked {
                TieKind::Marked
            } else if in_time && first.is_same_as(next) {
                TieKind::Same
            } else {
                return None;
            };
            Some(Attempt { first, next, tie })
        })
    })
}
