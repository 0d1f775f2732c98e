//! The newest of what is numbered in order, and how many there were.

use std::collections::VecDeque;

/// The newest values. The first one that came has the number 1.
#[derive(Debug)]
pub(crate) struct Newest<T> {
    capacity: usize,
    values: VecDeque<T>,
    total: u64,
}

impl<T: Clone> Newest<T> {
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            capacity,
            values: VecDeque::new(),
            total: 0,
        }
    }

    /// Keeps a value, if need be instead of the oldest.
    pub(crate) fn push(&mut self, value: T) {
        self.total += 1;
        if self.values.len() < self.capacity {
            self.values.push_back(value);
            return;
        }
        self.values.rotate_left(1);
        if let Some(oldest) = self.values.back_mut() {
            *oldest = value;
        }
    }

    /// The value with this number, unless it was dropped.
    pub(crate) fn get_mut(&mut self, number: u64) -> Option<&mut T> {
        let position = number.checked_sub(self.dropped() + 1)?;
        self.values.get_mut(usize::try_from(position).ok()?)
    }

    /// How many there were.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// How many were dropped to make room.
    pub(crate) fn dropped(&self) -> u64 {
        self.total - self.values.len() as u64
    }

    /// Those that are left, the oldest first.
    pub(crate) fn to_vec(&self) -> Vec<T> {
        self.values.iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Newest;

    #[test]
    fn old_values_go_and_are_counted() {
        let mut newest = Newest::new(2);
        for value in 'a'..='e' {
            newest.push(value);
        }

        let found = [0, 3, 4, 5, 6].map(|number| newest.get_mut(number).copied());

        assert_eq!(found, [None, None, Some('d'), Some('e'), None]);
        assert_eq!(newest.to_vec(), ['d', 'e']);
        assert_eq!((newest.total(), newest.dropped()), (5, 3));
    }
}
