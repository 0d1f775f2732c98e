//! A bounded sequence of numbered events, and readers with positions in it. A plain data
//! structure: no clock, no socket, no lock.
//!
//! Readers have no queues. A reader is only the number of the last event that it received,
//! so readers cost nothing, and a slow one does not block the others: it misses the events
//! that were dropped, and is told so.

use std::collections::VecDeque;

/// The newest events, numbered from 1 without gaps.
#[derive(Debug)]
pub(super) struct Ring<T> {
    limits: RingLimits,
    /// The number of the oldest kept event, or of the next one.
    oldest: u64,
    events: VecDeque<(T, usize)>,
    weight: usize,
}

/// The limits of a ring. The oldest events are dropped first.
#[derive(Clone, Copy, Debug)]
pub(super) struct RingLimits {
    pub(super) events: usize,
    /// The maximum sum of the events' weights.
    pub(super) weight: usize,
}

/// The position of a reader whose last event is not from this ring.
pub(super) const LOST: u64 = u64::MAX;

/// The next delivery to a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Delivery<T> {
    Event(T),
    /// The events in this range were dropped. The number 0 stands for everything before
    /// this ring.
    Missed {
        from: u64,
        to: u64,
    },
}

impl<T: Clone> Ring<T> {
    pub(super) fn new(limits: RingLimits) -> Self {
        Self {
            limits,
            oldest: 1,
            events: VecDeque::new(),
            weight: 0,
        }
    }

    /// The number of the newest event; 0 before the first.
    pub(super) fn newest(&self) -> u64 {
        self.oldest + self.events.len() as u64 - 1
    }

    /// Appends an event.
    pub(super) fn push(&mut self, event: T, weight: usize) {
        self.events.push_back((event, weight));
        self.weight += weight;
        while self.events.len() > self.limits.events || self.weight > self.limits.weight {
            let Some((_, weight)) = self.events.pop_front() else {
                return;
            };
            self.weight -= weight;
            self.oldest += 1;
        }
    }

    /// The next delivery to a reader, whose position advances; none if it has received
    /// everything. A position beyond the newest event is not from this ring.
    pub(super) fn next(&self, position: &mut u64) -> Option<Delivery<T>> {
        let (newest, had) = (self.newest(), *position);
        if had == newest {
            return None;
        }
        let missed = |from, to| (Delivery::Missed { from, to }, to);
        let (delivery, had) = if had > newest {
            missed(0, newest)
        } else if let Some(index) = (had + 1).checked_sub(self.oldest) {
            let (event, _) = self.events.get(usize::try_from(index).ok()?)?;
            (Delivery::Event(event.clone()), had + 1)
        } else {
            missed(had + 1, self.oldest - 1)
        };
        *position = had;
        Some(delivery)
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;

    /// The possible steps, in any order.
    #[derive(Clone, Copy, Debug)]
    enum Step {
        /// An event of this weight.
        Publish(usize),
        /// The reader takes a delivery.
        Read,
        /// The reader resumes from here: from an event that it may not have received, or
        /// from one that this ring never had.
        Resume(u64),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            4 => (0..12_usize).prop_map(Step::Publish),
            8 => Just(Step::Read),
            1 => (0..150_u64).prop_map(Step::Resume),
            1 => Just(Step::Resume(LOST)),
        ]
    }

    proptest! {
        /// After any sequence of steps, a reader has received each event after its
        /// position once and in order, and was told of exactly those that it missed.
        #[test]
        fn a_reader_gets_each_event_once_or_a_missed_notice(steps in vec(step(), 1..400)) {
            let limits = RingLimits { events: 5, weight: 20 };
            let mut ring = Ring::new(limits);
            let mut published = Vec::new();
            let mut position = 0;
            for step in steps {
                let newest = published.len() as u64;
                match step {
                    Step::Publish(weight) => {
                        published.push(weight);
                        ring.push(newest + 1, weight);
                    }
                    Step::Resume(from) => position = from,
                    Step::Read => {
                        let next = position.saturating_add(1);
                        let kept = kept(&published, limits);
                        let (expected, after) = if position == newest {
                            (None, newest)
                        } else if position > newest {
                            (Some(Delivery::Missed { from: 0, to: newest }), newest)
                        } else if kept.contains(&next) {
                            (Some(Delivery::Event(next)), next)
                        } else {
                            let to = kept.first().map_or(newest, |oldest| oldest - 1);
                            (Some(Delivery::Missed { from: next, to }), to)
                        };
                        prop_assert_eq!(ring.next(&mut position), expected);
                        prop_assert_eq!(position, after);
                    }
                }
            }
        }
    }

    /// The numbers of the events that a ring with these limits keeps, computed backwards
    /// from the newest.
    fn kept(weights: &[usize], limits: RingLimits) -> Vec<u64> {
        let mut room = limits.weight;
        let newest_first = weights.iter().enumerate().rev().take(limits.events);
        let fits = newest_first.map_while(|(index, weight)| {
            room = room.checked_sub(*weight)?;
            Some(index as u64 + 1)
        });
        let mut numbers: Vec<u64> = fits.collect();
        numbers.reverse();
        numbers
    }
}
