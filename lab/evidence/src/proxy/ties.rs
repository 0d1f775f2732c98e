//! Which requests are attempts of one call.
//!
//! Two requests are tied only if the second arrived after the failure of the first was
//! delivered; what overlaps is hedging and no retry. A tie by a *mark* is certain: both
//! carry one value in a header that names a call. A tie as *the same request* holds only on
//! a [quiet](super::unfit) route, and a verdict that stands on it needs a confirmation.

use super::{ProxyRequest, Run};

/// A request and the fault before it.
#[derive(Clone, Copy, Debug)]
pub struct Tie<'a> {
    /// The request that met the fault.
    pub first: &'a ProxyRequest,
    /// A later attempt of the same call.
    pub next: &'a ProxyRequest,
    /// How both are tied.
    pub kind: TieKind,
}

/// How two requests are tied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TieKind {
    /// By a value that names a call.
    Marked,
    /// As equal requests.
    Same,
}

/// The later attempts of the call that met the fault of a run, in order of arrival; equal
/// requests only if the route `is_quiet`.
pub fn ties(run: &Run, is_quiet: bool) -> impl Iterator<Item = Tie<'_>> {
    let target = run.target().and_then(|it| Some((it, it.delivered?)));
    target.into_iter().flat_map(move |(first, delivered)| {
        let later = run.of_route(&first.route);
        let later = later.filter(move |it| it.seq > first.seq && it.arrived >= delivered);
        later.filter_map(move |next| {
            let is_marked = first.calls.iter().any(|it| next.calls.contains(it));
            let kind = match is_marked {
                true => TieKind::Marked,
                false if is_quiet && first.is_same_as(next) => TieKind::Same,
                false => return None,
            };
            Some(Tie { first, next, kind })
        })
    })
}
