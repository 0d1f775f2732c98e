//! What the lessons of one service share.

use std::sync::{Arc, Mutex, PoisonError};

use host::SeedKey;

use crate::calls::Calls;
use crate::canonical_json::JsonDigest;
use crate::idempotency::{IdempotencyKey, Records, Submission};

/// The state of the lessons. Clones share it.
#[derive(Clone)]
pub(crate) struct ServiceState(Arc<Shared>);

struct Shared {
    key: SeedKey,
    calls: Calls,
    records: Mutex<Records>,
}

impl ServiceState {
    /// A fresh state: no calls and no jobs.
    pub(crate) fn new(seed: u64, max_jobs: usize) -> Self {
        Self(Arc::new(Shared {
            key: SeedKey::new(seed),
            calls: Calls::default(),
            records: Mutex::new(Records::new(max_jobs)),
        }))
    }

    pub(crate) fn key(&self) -> &SeedKey {
        &self.0.key
    }

    pub(crate) fn calls(&self) -> &Calls {
        &self.0.calls
    }

    pub(crate) fn submit(&self, key: IdempotencyKey, body: JsonDigest) -> Submission {
        self.0
            .records
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .submit(key, body)
    }
}
