//! The state that the lessons of one service share.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};

use host::SeedKey;

use crate::idempotency::{IdempotencyKey, Records, Submission};
use crate::job_body::BodyDigest;

/// The state of the lessons. Clones share it.
#[derive(Clone)]
pub(crate) struct ServiceState(Arc<Shared>);

struct Shared {
    key: SeedKey,
    flaky_calls: AtomicU64,
    records: Mutex<Records>,
}

impl ServiceState {
    /// A fresh state: no calls and no jobs.
    pub(crate) fn new(seed: u64, max_jobs: usize) -> Self {
        Self(Arc::new(Shared {
            key: SeedKey::new(seed),
            flaky_calls: AtomicU64::new(0),
            records: Mutex::new(Records::new(max_jobs)),
        }))
    }

    pub(crate) fn key(&self) -> &SeedKey {
        &self.0.key
    }

    /// How many calls of `/flaky` were counted.
    pub(crate) fn flaky_calls(&self) -> &AtomicU64 {
        &self.0.flaky_calls
    }

    pub(crate) fn submit(&self, key: IdempotencyKey, body: BodyDigest) -> Submission {
        self.0
            .records
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .submit(key, body)
    }
}
