//! The state that the lessons of one service share.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use host::SeedKey;
use http::Method;

use crate::idempotency::{IdempotencyKey, Records, Submission};
use crate::job_body::BodyDigest;

/// The state of the lessons. Clones share it.
#[derive(Clone)]
pub(crate) struct ServiceState(Arc<Shared>);

struct Shared {
    key: SeedKey,
    calls: AtomicU64,
    records: Mutex<Records>,
}

impl ServiceState {
    /// A fresh state: no calls and no jobs.
    pub(crate) fn new(seed: u64, max_jobs: usize) -> Self {
        Self(Arc::new(Shared {
            key: SeedKey::new(seed),
            calls: AtomicU64::new(0),
            records: Mutex::new(Records::new(max_jobs)),
        }))
    }

    pub(crate) fn key(&self) -> &SeedKey {
        &self.0.key
    }

    /// The number of this call, which HEAD only asks for: a safe method that moved the
    /// counter would change the response to the next GET.
    pub(crate) fn number_of_call(&self, method: &Method) -> u64 {
        let step = u64::from(method != Method::HEAD);
        self.0.calls.fetch_add(step, Ordering::Relaxed) + 1
    }

    pub(crate) fn submit(&self, key: IdempotencyKey, body: BodyDigest) -> Submission {
        self.0
            .records
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .submit(key, body)
    }
}
