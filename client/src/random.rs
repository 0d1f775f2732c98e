//! The random source, as a value that the caller can replace.
//!
//! The jitter and the keys need one, and a test needs it to be its own. Nothing else in
//! this crate draws a random number.

#![expect(
    clippy::disallowed_methods,
    reason = "what is forbidden elsewhere is made here"
)]

use std::sync::{Mutex, PoisonError};

use rand::{RngExt, SeedableRng, rngs::ChaCha12Rng};

/// A random source for the jitter and for generated keys.
pub trait Random: Send + Sync + 'static {
    /// A number drawn uniformly from `0.0` (included) to `1.0` (excluded).
    fn unit(&self) -> f64;
}

/// The machine's own randomness.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemRandom;

impl Random for SystemRandom {
    fn unit(&self) -> f64 {
        rand::random()
    }
}

/// Randomness that repeats: the same seed draws the same numbers, on every
/// machine and in every release. The generator is ChaCha with 12 rounds.
#[derive(Debug)]
pub struct SeededRandom(Mutex<ChaCha12Rng>);

impl SeededRandom {
    /// A source that starts from `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(Mutex::new(ChaCha12Rng::seed_from_u64(seed)))
    }
}

impl Random for SeededRandom {
    fn unit(&self) -> f64 {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .random()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of a seed must never change.
    #[test]
    fn the_sequence_of_a_seed_is_the_same_in_every_release() {
        let random = SeededRandom::new(7);

        let draws = [(); 3].map(|()| format!("{:.6}", random.unit()));

        assert_eq!(draws, ["0.030317", "0.307086", "0.142642"]);
    }
}
