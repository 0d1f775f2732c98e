//! The idempotency key: what makes a POST safe to repeat.

use std::fmt;

use http::HeaderValue;

use crate::random::Random;

/// The longest key, in characters.
const MAX_LENGTH: usize = 255;

/// A key that names one intended change, however often its request is sent.
///
/// Non-empty printable ASCII without spaces, at most 255 characters, so that it
/// always fits a header. A key may identify an order or a payment, so `Debug` does not
/// print it.
///
/// Store the key before its request is sent. A program that crashes in between reads it
/// back and sends the same key again:
///
/// ```
/// use reliable_api_client::{IdempotencyKey, SystemRandom};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let file = folder.path().join("key");
/// let key = IdempotencyKey::generate(&SystemRandom);
/// std::fs::write(&file, key.as_str())?;
///
/// let after_a_crash = IdempotencyKey::new(&std::fs::read_to_string(&file)?)?;
/// assert_eq!(after_a_crash, key);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct IdempotencyKey(pub(crate) HeaderValue);

impl IdempotencyKey {
    /// The request header that carries it.
    pub const HEADER: &'static str = "idempotency-key";

    /// Takes a key of the caller's.
    ///
    /// # Errors
    ///
    /// [`InvalidIdempotencyKey`], which names the rule and not the key.
    pub fn new(key: &str) -> Result<Self, InvalidIdempotencyKey> {
        if key.is_empty() {
            return Err(InvalidIdempotencyKey::Empty);
        }
        if let Some(position) = key.chars().position(|char| !char.is_ascii_graphic()) {
            return Err(InvalidIdempotencyKey::Character { position });
        }
        if key.len() > MAX_LENGTH {
            return Err(InvalidIdempotencyKey::TooLong { length: key.len() });
        }
        #[expect(clippy::expect_used, reason = "anything else was refused above")]
        let mut value = HeaderValue::from_str(key).expect("printable ASCII fits a header");
        value.set_sensitive(true);
        Ok(Self(value))
    }

    /// Makes up a key of 32 hexadecimal digits: 128 bits of `random`.
    ///
    /// Make it once per intended change and keep it: a fresh key for every
    /// attempt is no protection at all.
    #[must_use]
    pub fn generate(random: &dyn Random) -> Self {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a draw below 1.0 times 2^32 is a u32"
        )]
        let word = || (random.unit() * 4_294_967_296.0) as u32;
        let key = format!("{:08x}{:08x}{:08x}{:08x}", word(), word(), word(), word());
        #[expect(clippy::expect_used, reason = "it is made here, of 32 digits")]
        let key = Self::new(&key).expect("hexadecimal digits are printable ASCII");
        key
    }

    /// The key, for a store of the caller's.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }
}

impl fmt::Debug for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IdempotencyKey(…)")
    }
}

/// Why a text is not an idempotency key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidIdempotencyKey {
    /// It has no character.
    #[error("an idempotency key must not be empty")]
    Empty,
    /// A character is not printable ASCII, or is a space.
    #[error(
        "an idempotency key must be printable ASCII without spaces; \
         the character at position {position} is not"
    )]
    Character {
        /// Where, counted in characters from 0.
        position: usize,
    },
    /// It is longer than 255 characters, the rule of this crate.
    #[error("an idempotency key must have at most {MAX_LENGTH} characters, got {length}")]
    TooLong {
        /// Its length, in characters.
        length: usize,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SeededRandom;

    #[test]
    fn a_refused_key_names_the_rule_that_it_breaks() {
        for (key, why) in [
            ("", InvalidIdempotencyKey::Empty),
            ("clé 7", InvalidIdempotencyKey::Character { position: 2 }),
            (
                &"k".repeat(256),
                InvalidIdempotencyKey::TooLong { length: 256 },
            ),
        ] {
            assert_eq!(IdempotencyKey::new(key), Err(why), "{key:?}");
        }
    }

    #[test]
    fn generated_keys_differ_and_repeat_with_the_seed() {
        let random = SeededRandom::new(1);
        let first = IdempotencyKey::generate(&random);

        let second = IdempotencyKey::generate(&random);

        assert_ne!(first, second);
        assert!(
            first.0.is_sensitive(),
            "`Debug` of a request would print it"
        );
        assert_eq!(IdempotencyKey::new(first.as_str()), Ok(first.clone()));
        assert_eq!(first, IdempotencyKey::generate(&SeededRandom::new(1)));
    }
}
