//! Hashes a request body while somebody else reads it, and notes how it ended.
//!
//! The hash runs over the bytes as they came, so that a retry which writes the same
//! JSON in another way differs from one that repeats itself. No byte is kept.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::request_body::BodyError;
use crate::seed_key::{KeyedDigest, Purpose, SeedKey};
use crate::watched_body::Watch;
use wire::{BodyState, ValueHash};

/// The hash of a body that is being read. Clones share it.
#[derive(Clone)]
pub(crate) struct BodyHash(Arc<Mutex<Progress>>);

enum Progress {
    Reading { digest: KeyedDigest, is_empty: bool },
    Read(Option<ValueHash>),
    Failed(BodyError),
}

impl BodyHash {
    pub(crate) fn new(key: &SeedKey) -> Self {
        Self(Arc::new(Mutex::new(Progress::Reading {
            digest: key.digest(Purpose::Body),
            is_empty: true,
        })))
    }

    /// How far the body was read, and its hash if it was read to its end and had any
    /// bytes.
    pub(crate) fn state(&self) -> (BodyState, Option<ValueHash>) {
        match *self.lock() {
            Progress::Reading { .. } => (BodyState::Unread, None),
            Progress::Read(None) => (BodyState::Empty, None),
            Progress::Read(hash) => (BodyState::Complete, hash),
            Progress::Failed(_) => (BodyState::Broken, None),
        }
    }

    /// Whether its connection ended before the body did.
    pub(crate) fn broke_off(&self) -> bool {
        matches!(*self.lock(), Progress::Failed(BodyError::BrokeOff))
    }

    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch for BodyHash {
    fn data(&mut self, data: &[u8]) {
        if let Progress::Reading { digest, is_empty } = &mut *self.lock() {
            digest.update(data);
            *is_empty &= data.is_empty();
        }
    }

    fn failed(&mut self, error: &axum::Error) {
        *self.lock() = Progress::Failed(BodyError::of(error));
    }

    fn ended(&mut self) {
        let mut progress = self.lock();
        if let Progress::Reading { digest, is_empty } = &*progress {
            let hash = (!is_empty).then(|| digest.to_hash());
            *progress = Progress::Read(hash);
        }
    }
}
