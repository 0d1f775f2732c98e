//! The connections of a service: when each was opened and closed, and by whom.

use std::collections::VecDeque;
use std::time::Duration;

use wire::{ConnectionEnd, WireConnection};

/// The newest connections.
#[derive(Debug)]
pub(crate) struct Connections {
    capacity: usize,
    entries: VecDeque<WireConnection>,
    dropped: u64,
}

impl Connections {
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            capacity,
            entries: VecDeque::new(),
            dropped: 0,
        }
    }

    pub(crate) fn opened(&mut self, number: u64, at: Duration) {
        if self.entries.len() == self.capacity {
            self.entries.pop_front();
            self.dropped += 1;
        }
        self.entries.push_back(WireConnection {
            number,
            opened: at,
            closed: None,
            requests: 0,
        });
    }

    /// Notes that a connection has brought so many requests.
    pub(crate) fn requested(&mut self, number: u64, requests: u64) {
        if let Some(entry) = self.entry(number) {
            entry.requests = requests;
        }
    }

    pub(crate) fn closed(&mut self, number: u64, requests: u64, end: ConnectionEnd) {
        if let Some(entry) = self.entry(number) {
            entry.requests = requests;
            entry.closed = Some(end);
        }
    }

    pub(crate) fn entries(&self) -> Vec<WireConnection> {
        self.entries.iter().copied().collect()
    }

    pub(crate) fn dropped(&self) -> u64 {
        self.dropped
    }

    /// The entry with this number, unless it was dropped.
    fn entry(&mut self, number: u64) -> Option<&mut WireConnection> {
        let index = number.checked_sub(self.entries.front()?.number)?;
        self.entries.get_mut(usize::try_from(index).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use wire::ClosedBy;

    use super::{ConnectionEnd, Connections};

    #[test]
    fn old_connections_go_and_are_counted() {
        let end = ConnectionEnd {
            at: Duration::from_secs(9),
            by: ClosedBy::Client,
        };
        let mut connections = Connections::new(2);
        for number in 1..=3 {
            connections.opened(number, Duration::from_secs(number));
        }

        connections.requested(1, 7);
        connections.closed(1, 7, end);
        connections.requested(2, 1);
        connections.closed(3, 2, end);

        let entries = connections.entries();
        let summary = entries
            .iter()
            .map(|entry| (entry.number, entry.requests, entry.closed));
        assert_eq!(
            summary.collect::<Vec<_>>(),
            [(2, 1, None), (3, 2, Some(end))]
        );
        assert_eq!(connections.dropped(), 1);
    }
}
