//! The secret that a seed stands for.
//!
//! Cursor checksums, hashes and identifiers are all digests under this key,
//! so that one seed repeats a run to the letter and another seed shares nothing
//! with it. It keeps learners from guessing, not attackers: a seed has 64 bits.

use std::fmt;

use sha2::{Digest, Sha256};

/// A key derived from the seed.
#[derive(Clone)]
pub(crate) struct SeedKey([u8; 32]);

impl SeedKey {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Sha256::digest(seed.to_be_bytes()).into())
    }

    /// Starts a digest that is good for one `purpose` only.
    pub(crate) fn hasher(&self, purpose: &'static str) -> Sha256 {
        // The zero byte ends the purpose, so that no purpose and message can be
        // read as another purpose with a longer message.
        Sha256::new()
            .chain_update(self.0)
            .chain_update(purpose)
            .chain_update([0])
    }

    pub(crate) fn hash(&self, purpose: &'static str, value: &[u8]) -> KeyedHash {
        KeyedHash::of(self.hasher(purpose).chain_update(value))
    }
}

/// A short keyed hash of a value that must not be kept.
///
/// Equal values have equal hashes within a service and across services with the same
/// seed. The value cannot be read back from it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyedHash([u8; 8]);

impl KeyedHash {
    pub(crate) fn of(hasher: Sha256) -> Self {
        let [a, b, c, d, e, f, g, h, ..]: [u8; 32] = hasher.finalize().into();
        Self([a, b, c, d, e, f, g, h])
    }
}

impl From<KeyedHash> for u64 {
    fn from(hash: KeyedHash) -> Self {
        Self::from_be_bytes(hash.0)
    }
}

impl fmt::Display for KeyedHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", u64::from_be_bytes(self.0))
    }
}

impl fmt::Debug for KeyedHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::SeedKey;

    #[test]
    fn equal_seeds_give_equal_hashes() {
        let one = SeedKey::new(7).hash("cursor", b"value");
        let other = SeedKey::new(7).hash("cursor", b"value");

        assert_eq!(one, other);
        assert_eq!(one.to_string().len(), 16);
    }

    #[test]
    fn seed_purpose_and_value_each_change_a_hash() {
        let base = SeedKey::new(7).hash("cursor", b"value");

        assert_ne!(base, SeedKey::new(8).hash("cursor", b"value"));
        assert_ne!(base, SeedKey::new(7).hash("key", b"value"));
        assert_ne!(base, SeedKey::new(7).hash("cursor", b"other"));
    }
}
