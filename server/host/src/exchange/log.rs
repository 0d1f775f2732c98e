//! The newest exchanges.

use std::collections::VecDeque;

use super::{Exchange, RequestShape, SentBody, SentResponse};

/// The newest exchanges in order of arrival.
#[derive(Debug)]
pub(crate) struct Exchanges {
    capacity: usize,
    entries: VecDeque<Exchange>,
}

impl Exchanges {
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            capacity,
            entries: VecDeque::new(),
        }
    }

    pub(crate) fn received(&mut self, seq: u64, request: RequestShape) {
        if self.entries.len() == self.capacity {
            self.entries.pop_front();
        }
        self.entries.push_back(Exchange {
            seq,
            request,
            response: None,
        });
    }

    pub(crate) fn head_sent(&mut self, seq: u64, response: SentResponse) {
        if let Some(exchange) = self.entry(seq) {
            exchange.response = Some(response);
        }
    }

    pub(crate) fn body_sent(&mut self, seq: u64, body: SentBody) {
        if let Some(response) = self.entry(seq).and_then(|it| it.response.as_mut()) {
            response.body = body;
        }
    }

    pub(crate) fn entries(&self) -> Vec<Exchange> {
        self.entries.iter().cloned().collect()
    }

    /// The exchange with this number, unless it was dropped. Two requests that arrive
    /// together may be entered in either order.
    fn entry(&mut self, seq: u64) -> Option<&mut Exchange> {
        self.entries.iter_mut().rev().find(|it| it.seq == seq)
    }
}

#[cfg(test)]
mod tests {
    use super::{Exchanges, RequestShape};

    #[test]
    fn old_exchanges_go() {
        let mut exchanges = Exchanges::new(2);

        for seq in 1..=3 {
            exchanges.received(seq, RequestShape::default());
        }

        let kept: Vec<_> = exchanges.entries().iter().map(|it| it.seq).collect();
        assert_eq!(kept, [2, 3]);
    }
}
