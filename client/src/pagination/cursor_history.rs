//! A cursor that was already received ends its listing with an error.
//!
//! A comparison with the previous cursor alone misses A → B → A, so all cursors are
//! kept. They are kept as fingerprints of 16 bytes, so that memory use does not depend
//! on the length of the cursors.

use std::{
    collections::HashSet,
    fmt,
    hash::{BuildHasher, RandomState},
};

use super::cursor::Cursor;

/// The two hashes of a cursor.
type Fingerprint = [u64; 2];

/// The cursors received so far.
#[derive(Default)]
pub(super) struct CursorHistory {
    /// Two differently keyed hashes make 128 bits: two of a billion cursors collide by
    /// chance less than once in 10²⁰ listings, and a service cannot cause a collision
    /// without the keys.
    keys: [RandomState; 2],
    seen: HashSet<Fingerprint>,
}

impl CursorHistory {
    /// Whether this cursor was received before.
    pub(super) fn contains(&self, cursor: &Cursor) -> bool {
        self.seen.contains(&self.fingerprint(cursor))
    }

    /// Remembers a cursor.
    pub(super) fn insert(&mut self, cursor: &Cursor) {
        self.seen.insert(self.fingerprint(cursor));
    }

    fn fingerprint(&self, cursor: &Cursor) -> Fingerprint {
        self.keys.each_ref().map(|key| key.hash_one(cursor))
    }
}

/// Hides the fingerprints, which are many and say nothing.
impl fmt::Debug for CursorHistory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CursorHistory({})", self.seen.len())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A table has one byte more for each place, and after it has grown it is at least
    /// seven sixteenths full.
    #[test]
    fn a_cursor_of_any_length_takes_at_most_64_bytes() {
        let mut history = CursorHistory::default();
        for number in 0..1000 {
            let cursor = Cursor::new(format!("{number:01000}")).expect("a cursor");
            history.insert(&cursor);

            let places = history.seen.capacity().next_power_of_two();
            let bytes = places * (size_of::<Fingerprint>() + 1);
            assert!(
                number < 16 || bytes <= 64 * history.seen.len(),
                "{number}: {bytes}"
            );
        }
    }

    proptest! {
        /// The reference model is the list of the cursors themselves.
        #[test]
        fn exactly_the_received_cursors_are_reported(
            cursors in prop::collection::vec("[ab+/=&]{1,3}", 0..60),
        ) {
            let mut history = CursorHistory::default();
            let mut model = Vec::new();
            for text in cursors {
                let cursor = Cursor::new(text.as_str())?;

                prop_assert_eq!(history.contains(&cursor), model.contains(&text));

                history.insert(&cursor);
                model.push(text);
            }
        }
    }
}
