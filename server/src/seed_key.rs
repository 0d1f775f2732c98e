//! The secret that a seed stands for.
//!
//! Cursor checksums, hashes and identifiers are all digests under this key,
//! so that one seed repeats a run to the letter and another seed shares nothing
//! with it. It keeps learners from guessing, not attackers: a seed has 64 bits.

use std::fmt;

use sha2::{Digest, Sha256};

/// A key derived from the seed.
///
/// Key and purpose fill the first block of each digest, and that block is digested once:
/// here.
#[derive(Clone)]
pub(crate) struct SeedKey([Sha256; Purpose::ALL.len()]);

/// What a digest is for. Those of two purposes have nothing in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    CursorChecksum,
    Cursor,
    IdempotencyKey,
    Body,
    JobId,
    RequestId,
}

impl Purpose {
    const ALL: [Self; 6] = [
        Self::CursorChecksum,
        Self::Cursor,
        Self::IdempotencyKey,
        Self::Body,
        Self::JobId,
        Self::RequestId,
    ];
}

impl SeedKey {
    pub(crate) fn new(seed: u64) -> Self {
        let key = Sha256::digest(seed.to_be_bytes());
        Self(Purpose::ALL.map(|purpose| {
            let mut rest_of_block = [0; 32];
            rest_of_block[0] = purpose as u8;
            Sha256::new().chain_update(key).chain_update(rest_of_block)
        }))
    }

    /// Starts a digest that is good for one purpose only.
    #[expect(
        clippy::indexing_slicing,
        reason = "there is a digest for each purpose"
    )]
    pub(crate) fn hasher(&self, purpose: Purpose) -> Sha256 {
        self.0[purpose as usize].clone()
    }

    pub(crate) fn hash(&self, purpose: Purpose, value: &[u8]) -> KeyedHash {
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
    use super::{Purpose, SeedKey};

    #[test]
    fn equal_seeds_give_equal_hashes() {
        let one = SeedKey::new(7).hash(Purpose::Cursor, b"value");
        let other = SeedKey::new(7).hash(Purpose::Cursor, b"value");

        assert_eq!(one, other);
        assert_eq!(one.to_string().len(), 16);
    }

    #[test]
    fn seed_purpose_and_value_each_change_a_hash() {
        let base = SeedKey::new(7).hash(Purpose::Cursor, b"value");

        assert_ne!(base, SeedKey::new(8).hash(Purpose::Cursor, b"value"));
        assert_ne!(
            base,
            SeedKey::new(7).hash(Purpose::IdempotencyKey, b"value")
        );
        assert_ne!(base, SeedKey::new(7).hash(Purpose::Cursor, b"other"));
    }
}
