//! `X-Request-Id`: gives each request its id.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use http::HeaderName;
use wire::RequestId;

use crate::seed_key::{Purpose, SeedKey};

/// The header's name.
pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Makes ids from the seed, so that two runs with one seed have the same ids. Clones never
/// make the same id.
///
/// The ids are the numbers of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom
/// Number Generators, 2014), which does not repeat one. An id protects no secret, so a
/// cryptographic digest is not needed.
#[derive(Clone)]
pub(crate) struct SeededIds(Arc<AtomicU64>);

impl SeededIds {
    pub(crate) fn new(key: &SeedKey) -> Self {
        let first = key.hash(Purpose::RequestId, &[]);
        Self(Arc::new(AtomicU64::new(first.0)))
    }

    /// A new id. That of the client, if it sent one, is not read: see [`RequestId`].
    pub(crate) fn make(&self) -> RequestId {
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        RequestId::made(scramble(self.0.fetch_add(STEP, Ordering::Relaxed)))
    }
}

/// The output function of SplitMix64.
fn scramble(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}
