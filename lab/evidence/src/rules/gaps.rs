//! The gaps between failures and the requests that repeat them: were they pauses?
//!
//! A machine may be slow at any moment, and then a client that does not pause seems to.
//! So a single long gap proves nothing, and neither do a few among many short ones.

use std::time::Duration;

use super::{Judgement, Play, RequestRef};
use crate::{duration_left, wire::WireRequest};

/// A gap shorter than this is no pause.
pub(super) const PAUSE: Duration = Duration::from_millis(5);

/// A gap of this length is a pause even on a machine that runs eight interpreters at
/// once: one that comes back at once was seen to take up to 30 ms there.
const SURE: Duration = Duration::from_millis(40);

/// Broken if every gap after such a failure is shorter than `limit` allows where there
/// are so many; kept if most of them, and more than one, were pauses beyond doubt.
///
/// The gaps of all plays are one sample, since a process makes few retries.
pub(super) fn judged(
    plays: &[Play<'_>],
    failed: fn(&WireRequest) -> bool,
    limit: fn(usize) -> Duration,
) -> Judgement {
    if !plays.iter().any(|it| it.wire.entries.iter().any(failed)) {
        return Judgement::not_exercised();
    }
    let gaps = plays.iter().enumerate().flat_map(|(play, it)| {
        let retries = it.wire.repetitions().filter(|(first, _)| failed(first));
        retries.filter_map(move |(first, next)| {
            let seq = next.seq;
            let gap = next.arrived.saturating_sub(first.head?);
            Some((RequestRef { play, seq }, gap))
        })
    });
    let judgement = of_sample(gaps.collect(), limit);
    plays.iter().fold(judgement, Judgement::unless_dropped)
}

fn of_sample(gaps: Vec<(RequestRef, Duration)>, limit: fn(usize) -> Duration) -> Judgement {
    let number = gaps.len();
    let Some(longest) = gaps.iter().map(|(_, gap)| *gap).max() else {
        return Judgement::skipped();
    };
    let pauses = gaps.iter().filter(|(_, gap)| *gap >= SURE).count();
    if longest < limit(number) {
        let requests = gaps.into_iter().map(|(request, _)| request);
        let found = format!("{number} retries, each within {}", duration_left(longest));
        Judgement::broken_by(requests.collect(), found)
    } else if pauses > 1 && pauses > number / 2 {
        Judgement::kept()
    } else if pauses > 0 {
        Judgement::cannot_tell("too few of the pauses were long enough to be sure of")
    } else {
        Judgement::cannot_tell("so few short gaps may be chance")
    }
}
