//! Who was told to wait, and until when.
//!
//! A request is called early only where it is known to belong to the one that was
//! told to wait. Of anything else nothing is claimed: a judge that guesses is worse
//! than none. The memory is bounded, oldest first; to forget is to claim nothing.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use crate::seed_key::Fingerprint;

/// What ties a request to others on the same route.
#[derive(Debug, Clone)]
pub(crate) struct Bonds {
    pub(crate) route: String,
    pub(crate) trace_id: Option<String>,
    pub(crate) idempotency_key: Option<Fingerprint>,
}

impl Bonds {
    fn iter(&self) -> impl Iterator<Item = Bond> {
        let trace = self.trace_id.clone().map(Tie::Trace);
        let key = self.idempotency_key.map(Tie::IdempotencyKey);
        trace.into_iter().chain(key).map(|tie| Bond {
            route: self.route.clone(),
            tie,
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Bond {
    route: String,
    tie: Tie,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Tie {
    Trace(String),
    IdempotencyKey(Fingerprint),
}

/// The waits in force.
#[derive(Debug)]
pub(crate) struct Waits {
    capacity: usize,
    until: HashMap<Bond, Duration>,
    oldest_first: VecDeque<Bond>,
}

impl Waits {
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            capacity,
            until: HashMap::new(),
            oldest_first: VecDeque::new(),
        }
    }

    /// How much of a wait was left at this moment; none if it was kept.
    pub(crate) fn remaining(&self, bonds: &Bonds, now: Duration) -> Option<Duration> {
        let until = bonds
            .iter()
            .filter_map(|bond| self.until.get(&bond).copied())
            .max()?;
        until.checked_sub(now).filter(|left| !left.is_zero())
    }

    /// An answer asked for a wait until this moment, or for none. The newest answer
    /// counts, so that one without a wait ends an older wait.
    pub(crate) fn told(&mut self, bonds: &Bonds, until: Option<Duration>) {
        for bond in bonds.iter() {
            match (self.until.get_mut(&bond), until) {
                (Some(known), until) => *known = until.unwrap_or_default(),
                (None, Some(until)) => self.remember(bond, until),
                (None, None) => {}
            }
        }
    }

    fn remember(&mut self, bond: Bond, until: Duration) {
        if self.oldest_first.len() >= self.capacity
            && let Some(oldest) = self.oldest_first.pop_front()
        {
            self.until.remove(&oldest);
        }
        self.oldest_first.push_back(bond.clone());
        self.until.insert(bond, until);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Bonds, Waits};
    use crate::seed_key::SeedKey;

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn bonds(route: &str, trace: Option<&str>, key: Option<&str>) -> Bonds {
        Bonds {
            route: route.into(),
            trace_id: trace.map(Into::into),
            idempotency_key: key.map(|key| SeedKey::new(0).fingerprint("key", key.as_bytes())),
        }
    }

    #[test]
    fn a_wait_is_over_at_its_end_and_not_before() {
        let mut waits = Waits::new(4);
        let caller = bonds("/a", Some("t"), None);

        waits.told(&caller, Some(seconds(10)));

        assert_eq!(waits.remaining(&caller, seconds(9)), Some(seconds(1)));
        assert_eq!(waits.remaining(&caller, seconds(10)), None);
        assert_eq!(waits.remaining(&caller, seconds(11)), None);
    }

    #[test]
    fn one_common_bond_on_the_same_route_is_enough() {
        let mut waits = Waits::new(4);
        waits.told(&bonds("/a", Some("t"), Some("k")), Some(seconds(10)));

        let at = seconds(0);
        assert!(waits.remaining(&bonds("/a", Some("t"), None), at).is_some());
        assert!(
            waits
                .remaining(&bonds("/a", Some("other"), Some("k")), at)
                .is_some()
        );
    }

    #[test]
    fn nothing_is_claimed_without_a_bond() {
        let mut waits = Waits::new(4);
        waits.told(&bonds("/a", Some("t"), Some("k")), Some(seconds(10)));
        waits.told(&bonds("/a", None, None), Some(seconds(10)));

        for stranger in [
            bonds("/a", None, None),
            bonds("/a", Some("other"), Some("other")),
            bonds("/b", Some("t"), Some("k")),
        ] {
            assert_eq!(waits.remaining(&stranger, seconds(0)), None, "{stranger:?}");
        }
    }

    #[test]
    fn the_newest_answer_counts() {
        let mut waits = Waits::new(4);
        let caller = bonds("/a", Some("t"), None);

        waits.told(&caller, Some(seconds(10)));
        waits.told(&caller, None);

        assert_eq!(waits.remaining(&caller, seconds(0)), None);
    }

    #[test]
    fn its_memory_is_bounded() {
        let mut waits = Waits::new(2);
        let caller = |trace| bonds("/a", Some(trace), None);

        for trace in ["1", "2", "3"] {
            waits.told(&caller(trace), Some(seconds(10)));
        }

        assert_eq!(waits.remaining(&caller("1"), seconds(0)), None);
        assert!(waits.remaining(&caller("2"), seconds(0)).is_some());
        assert!(waits.remaining(&caller("3"), seconds(0)).is_some());
    }
}
