//! The random values of a case: all that the contract does not promise, so that no
//! client is made for the letters of one service.

use std::ops::RangeInclusive;

use rand::{Rng, RngExt, SeedableRng, rngs::ChaCha12Rng, seq::SliceRandom};

/// Draws of one case.
pub(crate) struct Draw(ChaCha12Rng);

impl Draw {
    /// The draws of a case, which differ from those of every other case of this seed.
    pub(crate) fn new(seed: u64, task: &str, case: usize) -> Self {
        let names = task.bytes().map(u64::from).chain([case as u64]);
        let seed = names.fold(seed, |seed, name| {
            (seed.rotate_left(8) ^ name).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        });
        Self(ChaCha12Rng::seed_from_u64(seed))
    }

    /// Lower-case letters and digits that begin with a letter.
    #[expect(clippy::indexing_slicing, reason = "a draw is below the length")]
    pub(crate) fn word(&mut self, length: usize) -> String {
        const LETTERS: &[u8] = b"abcdefghjkmnpqrstuvwxyz";
        const SIGNS: &[u8] = b"abcdefghjkmnpqrstuvwxyz23456789";
        let rest = (1..length).map(|_| SIGNS);
        let signs = std::iter::once(LETTERS).chain(rest);
        let drawn = signs.map(|signs| char::from(signs[self.0.random_range(0..signs.len())]));
        drawn.collect()
    }

    /// A cursor: it holds `+`, `/`, `=`, `&`, `%` and a space.
    pub(crate) fn cursor(&mut self) -> String {
        let mut marks = ['+', '/', '=', '&', '%', ' '];
        marks.shuffle(&mut self.0);
        let mut cursor = self.word(3);
        for mark in marks {
            cursor.push(mark);
            cursor.push_str(&self.word(2));
        }
        cursor
    }

    pub(crate) fn shuffle<T>(&mut self, values: &mut [T]) {
        values.shuffle(&mut self.0);
    }

    pub(crate) fn number(&mut self, range: RangeInclusive<u64>) -> u64 {
        self.0.random_range(range)
    }

    /// Draws for something that goes on while a case does.
    pub(crate) fn apart(&mut self) -> Self {
        Self(ChaCha12Rng::seed_from_u64(self.seed()))
    }

    /// A seed for something else.
    pub(crate) fn seed(&mut self) -> u64 {
        self.0.next_u64()
    }
}

#[cfg(test)]
mod tests {
    use super::Draw;

    #[test]
    fn one_seed_draws_the_same_and_each_case_for_itself() {
        let word = |seed, task, case| Draw::new(seed, task, case).word(8);

        assert_eq!(word(7, "flaky", 0), word(7, "flaky", 0));
        assert_ne!(word(7, "flaky", 0), word(7, "flaky", 1));
        assert_ne!(word(7, "flaky", 0), word(7, "create", 0));
        assert_ne!(word(7, "flaky", 0), word(8, "flaky", 0));
    }

    #[test]
    fn a_cursor_has_every_character_that_must_be_encoded() {
        for case in 0..50 {
            let cursor = Draw::new(1, "read-all", case).cursor();

            for mark in ['+', '/', '=', '&', '%', ' '] {
                assert!(cursor.contains(mark), "{cursor} lacks {mark}");
            }
        }
    }
}
