//! The secret that a seed stands for.
//!
//! Cursor checksums, hashes and identifiers are all digests under this key,
//! so that one seed repeats a run to the letter and another seed shares nothing
//! with it. It keeps learners from guessing, not attackers: a seed has 64 bits.

use std::hash::Hasher;

use ring::digest::{Context, SHA256};
use siphasher::sip128::{Hasher128, SipHasher24};
use wire::ValueHash;

/// A key for each purpose, derived from the seed.
///
/// The digests are SipHash-2-4, which is made for short values under a secret key
/// (Aumasson, Bernstein: SipHash: a fast short-input PRF, 2012).
#[derive(Clone)]
#[expect(missing_debug_implementations, reason = "it is a secret")]
pub struct SeedKey([KeyedDigest; Purpose::COUNT]);

/// The purpose of a digest. Digests for two purposes have nothing in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The checksum in a cursor that a listing issues.
    CursorChecksum,
    /// The hash of a cursor.
    Cursor,
    /// The hash of an idempotency key.
    IdempotencyKey,
    /// The hash of a body.
    Body,
    /// The id of a job.
    JobId,
    /// The id of a request.
    RequestId,
    /// The hash of a request's target.
    Target,
    /// The hash of a value that names a call.
    Call,
}

impl Purpose {
    const COUNT: usize = Self::Call as usize + 1;
}

impl SeedKey {
    /// The key of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(std::array::from_fn(|purpose| {
            let mut context = Context::new(&SHA256);
            context.update(&seed.to_be_bytes());
            context.update(&[purpose as u8]);
            let mut digest = [0; 32];
            digest.copy_from_slice(context.finish().as_ref());
            KeyedDigest(SipHasher24::new_with_key(&first(digest)))
        }))
    }

    /// Starts a digest that is good for one purpose only.
    #[expect(
        clippy::indexing_slicing,
        reason = "there is a digest for each purpose"
    )]
    #[must_use]
    pub fn digest(&self, purpose: Purpose) -> KeyedDigest {
        self.0[purpose as usize].clone()
    }

    /// The hash of a value that must not be kept.
    #[must_use]
    pub fn hash(&self, purpose: Purpose, value: &[u8]) -> ValueHash {
        let mut digest = self.digest(purpose);
        digest.update(value);
        digest.to_hash()
    }
}

/// A digest under a key. However its bytes are cut into pieces, it comes out the same.
#[derive(Clone)]
#[expect(missing_debug_implementations, reason = "it is made of a secret")]
pub struct KeyedDigest(SipHasher24);

impl KeyedDigest {
    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    /// The hash of a value that must not be kept.
    #[must_use]
    pub fn to_hash(&self) -> ValueHash {
        ValueHash(u64::from_be_bytes(self.bytes()))
    }

    /// The first bytes of the digest, of which there are sixteen.
    #[must_use]
    pub fn bytes<const COUNT: usize>(&self) -> [u8; COUNT] {
        first(self.0.finish128().as_bytes())
    }
}

/// The first bytes of more.
#[expect(clippy::indexing_slicing, reason = "it is known to be shorter")]
fn first<const ALL: usize, const COUNT: usize>(bytes: [u8; ALL]) -> [u8; COUNT] {
    const { assert!(COUNT <= ALL) };
    std::array::from_fn(|position| bytes[position])
}

#[cfg(test)]
mod tests {
    use super::{Purpose, SeedKey};

    #[test]
    fn seed_purpose_and_value_decide_a_hash() {
        let hash = |seed, purpose, value| SeedKey::new(seed).hash(purpose, value);
        let base = hash(7, Purpose::Cursor, b"value");

        assert_eq!(base, hash(7, Purpose::Cursor, b"value"));
        assert_ne!(base, hash(8, Purpose::Cursor, b"value"));
        assert_ne!(base, hash(7, Purpose::IdempotencyKey, b"value"));
        assert_ne!(base, hash(7, Purpose::Cursor, b"other"));
        assert_eq!(base.to_string().len(), 16);
    }
}
