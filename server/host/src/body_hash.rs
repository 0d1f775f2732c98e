//! Hashes a request body while somebody else reads it, and notes how it ended.
//!
//! The hash runs over the bytes as they came, so that a retry which writes the same
//! JSON in another way differs from one that repeats itself. No byte is kept.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, SizeHint};

use crate::request_body::BodyError;
use crate::seed_key::{KeyedDigest, Purpose, SeedKey};
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

    fn update(&self, data: &[u8]) {
        if let Progress::Reading { digest, is_empty } = &mut *self.lock() {
            digest.update(data);
            *is_empty &= data.is_empty();
        }
    }

    fn finish(&self) {
        let mut progress = self.lock();
        if let Progress::Reading { digest, is_empty } = &*progress {
            let hash = (!is_empty).then(|| digest.to_hash());
            *progress = Progress::Read(hash);
        }
    }

    fn fail(&self, error: BodyError) {
        *self.lock() = Progress::Failed(error);
    }

    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request body that is hashed as it is read.
pub(crate) struct HashedBody {
    body: Body,
    hash: BodyHash,
}

impl HashedBody {
    pub(crate) fn new(body: Body, hash: BodyHash) -> Self {
        Self { body, hash }
    }
}

impl HttpBody for HashedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        match &frame {
            Some(Ok(frame)) => {
                if let Some(data) = frame.data_ref() {
                    self.hash.update(data);
                }
            }
            Some(Err(error)) => self.hash.fail(BodyError::of(error)),
            None => self.hash.finish(),
        }
        Poll::Ready(frame)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
