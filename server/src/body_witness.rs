//! Takes the fingerprint of a request body without keeping it.
//!
//! The digest runs over the bytes as they came, so that a retry which writes the
//! same JSON in another way can be told from one that repeats itself.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use sha2::{Digest, Sha256};

use crate::request_body::BodyError;
use crate::seed_key::{Fingerprint, SeedKey};

/// Digests a body while somebody else reads it.
#[derive(Clone)]
pub(crate) struct BodyWitness(Arc<Mutex<Witnessed>>);

enum Witnessed {
    Reading { digest: Sha256, is_empty: bool },
    Read(Option<Fingerprint>),
    BrokeOff,
}

impl BodyWitness {
    pub(crate) fn new(key: &SeedKey) -> Self {
        let digest = key.hasher("body");
        Self(Arc::new(Mutex::new(Witnessed::Reading {
            digest,
            is_empty: true,
        })))
    }

    /// The body's fingerprint, if it was read to its end and had any bytes.
    pub(crate) fn fingerprint(&self) -> Option<Fingerprint> {
        match *self.lock() {
            Witnessed::Read(fingerprint) => fingerprint,
            Witnessed::Reading { .. } | Witnessed::BrokeOff => None,
        }
    }

    /// Whether its connection ended before the body did.
    pub(crate) fn broke_off(&self) -> bool {
        matches!(*self.lock(), Witnessed::BrokeOff)
    }

    fn see(&self, frame: Option<&Bytes>) {
        let mut witnessed = self.lock();
        let Witnessed::Reading { digest, is_empty } = &mut *witnessed else {
            return;
        };
        match frame {
            Some(bytes) => {
                digest.update(bytes);
                *is_empty &= bytes.is_empty();
            }
            None => {
                let fingerprint = (!*is_empty).then(|| Fingerprint::of(digest.clone()));
                *witnessed = Witnessed::Read(fingerprint);
            }
        }
    }

    fn fail(&self, error: BodyError) {
        if error == BodyError::BrokeOff {
            *self.lock() = Witnessed::BrokeOff;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Witnessed> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request body that shows its bytes to a witness.
pub(crate) struct WitnessedBody {
    body: Body,
    witness: BodyWitness,
}

impl WitnessedBody {
    pub(crate) fn new(body: Body, witness: BodyWitness) -> Self {
        Self { body, witness }
    }
}

impl HttpBody for WitnessedBody {
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
                    self.witness.see(Some(data));
                }
            }
            Some(Err(error)) => self.witness.fail(BodyError::of(error)),
            None => self.witness.see(None),
        }
        Poll::Ready(frame)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
