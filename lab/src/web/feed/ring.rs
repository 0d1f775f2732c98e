//! A bounded sequence of numbered events, and readers with positions in it. A plain data
//! structure: no clock, no socket, no lock.
//!
//! Readers have no queues. A reader is only a number, so readers cost nothing, and a slow
//! one does not block the others: it misses the events that were dropped, and is told so.

use std::collections::VecDeque;

/// The newest events, numbered from 1 without gaps.
#[derive(Debug)]
pub(super) struct Ring<T> {
    limits: Limits,
    /// The number of the oldest kept event, or of the next one.
    oldest: u64,
    events: VecDeque<(T, usize)>,
    weight: usize,
}

/// The limits of a ring. The oldest events are dropped first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) events: usize,
    /// The maximum sum of the events' weights.
    pub(super) weight: usize,
}

/// The position of a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    /// It has received all events up to this one.
    After(u64),
    /// Its last event is not from this ring.
    Lost,
}

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
    pub(super) fn new(limits: Limits) -> Self {
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
    /// everything.
    pub(super) fn next(&self, position: &mut Position) -> Option<Delivery<T>> {
        let newest = self.newest();
        let (delivery, had) = match *position {
            Position::After(had) if had == newest => return None,
            Position::After(had) if had < newest => match (had + 1).checked_sub(self.oldest) {
                Some(index) => {
                    let (event, _) = self.events.get(usize::try_from(index).ok()?)?;
                    (Delivery::Event(event.clone()), had + 1)
                }
                None => {
                    let (from, to) = (had + 1, self.oldest - 1);
                    (Delivery::Missed { from, to }, to)
                }
            },
            Position::After(_) | Position::Lost => {
                let (from, to) = (0, newest);
                (Delivery::Missed { from, to }, to)
            }
        };
        *position = Position::After(had);
        Some(delivery)
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;

    const READERS: usize = 3;

    /// The possible steps, in any order.
    #[derive(Clone, Copy, Debug)]
    enum Step {
        Publish {
            weight: usize,
        },
        /// A reader takes this many deliveries, or as many as there are.
        Read {
            reader: usize,
            deliveries: usize,
        },
        /// A reader loses its connection and resumes from an earlier position, as if it
        /// had not received the last few deliveries.
        Resume {
            reader: usize,
            back: u64,
        },
        /// A reader resumes from a position that this ring never gave.
        Stray {
            reader: usize,
            ahead: Option<u64>,
        },
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            4 => (0..12_usize).prop_map(|weight| Step::Publish { weight }),
            4 => (0..READERS, 1..6_usize)
                .prop_map(|(reader, deliveries)| Step::Read { reader, deliveries }),
            1 => (0..READERS, 0..8_u64).prop_map(|(reader, back)| Step::Resume { reader, back }),
            1 => (0..READERS, proptest::option::of(1..9_u64))
                .prop_map(|(reader, ahead)| Step::Stray { reader, ahead }),
        ]
    }

    proptest! {
        /// After any sequence of steps, a reader has received each event after its
        /// position once and in order, and was told of exactly those that it missed.
        #[test]
        fn every_reader_gets_each_event_once_or_a_missed_notice(steps in vec(step(), 1..200)) {
            let limits = Limits { events: 5, weight: 20 };
            let mut ring = Ring::new(limits);
            let mut published = Vec::new();
            let mut positions = [Position::After(0); READERS];
            for step in steps {
                match step {
                    Step::Publish { weight } => {
                        published.push(weight);
                        ring.push(published.len() as u64, weight);
                    }
                    Step::Read { reader, deliveries } => for _ in 0..deliveries {
                        let before = positions[reader];
                        let delivery = ring.next(&mut positions[reader]);
                        let newest = published.len() as u64;
                        let kept = kept(&published, limits);
                        let expected = match before {
                            Position::After(had) if had == newest => None,
                            Position::After(had) if had < newest && kept.contains(&(had + 1)) => {
                                Some(Delivery::Event(had + 1))
                            }
                            Position::After(had) if had < newest => {
                                let to = kept.first().map_or(newest, |oldest| oldest - 1);
                                Some(Delivery::Missed { from: had + 1, to })
                            }
                            _ => Some(Delivery::Missed { from: 0, to: newest }),
                        };
                        prop_assert_eq!(delivery, expected);
                        let stands = match delivery {
                            Some(Delivery::Event(number)) => Position::After(number),
                            Some(Delivery::Missed { to, .. }) => Position::After(to),
                            None => before,
                        };
                        prop_assert_eq!(positions[reader], stands);
                    },
                    Step::Resume { reader, back } => {
                        if let Position::After(had) = &mut positions[reader] {
                            *had = had.saturating_sub(back);
                        }
                    }
                    Step::Stray { reader, ahead } => {
                        let position = |ahead| Position::After(published.len() as u64 + ahead);
                        positions[reader] = ahead.map_or(Position::Lost, position);
                    }
                }
            }
        }
    }

    /// The numbers of the events that a ring with these limits keeps, computed backwards
    /// from the newest.
    fn kept(weights: &[usize], limits: Limits) -> Vec<u64> {
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
