//! The body of a request: it is read to its end unless it is too large, and hashed while
//! somebody reads it.
//!
//! The hash runs over the bytes as they came, so that a retry which writes the same
//! JSON in another way differs from one that repeats itself. No byte is kept.

use std::error::Error;
use std::io::{self, ErrorKind};
use std::iter;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::Body;
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Body as _;
use wire::{BodyState, ValueHash};

use crate::seed_key::{KeyedDigest, Purpose, SeedKey};
use crate::watched_body::Watch;

/// The largest body that is accepted, in bytes.
pub const MAX_BODY: usize = 64 * 1024;

/// The reason why a body could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyError {
    /// It is larger than [`MAX_BODY`].
    TooLarge,
    /// Its connection ended before it was complete.
    BrokeOff,
    /// Its chunks cannot be read.
    Malformed,
    /// Its connection gave up waiting for the rest.
    TimedOut,
}

impl BodyError {
    /// Why a body could not be read on.
    #[must_use]
    pub fn of(first: &(dyn Error + 'static)) -> Self {
        match io_errors(first).next().map(io::Error::kind) {
            // With these hyper reports what it cannot parse.
            Some(ErrorKind::InvalidData | ErrorKind::InvalidInput) => Self::Malformed,
            Some(ErrorKind::TimedOut) => Self::TimedOut,
            // Whatever else ends a body is the end of its connection.
            _ => Self::BrokeOff,
        }
    }
}

/// The errors of input and output among an error and its causes.
pub(crate) fn io_errors<'a>(
    first: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a io::Error> {
    let causes = iter::successors(Some(first), |&error| error.source());
    causes.filter_map(|error| error.downcast_ref())
}

/// Reads a body. One that is announced as too large is not begun, so that a client
/// that expects a 100 (Continue) does not send it.
///
/// # Errors
///
/// [`BodyError`] if the body is not complete.
pub async fn read(body: Body) -> Result<Bytes, BodyError> {
    if body.size_hint().lower() > MAX_BODY as u64 {
        return Err(BodyError::TooLarge);
    }
    match Limited::new(body, MAX_BODY).collect().await {
        Ok(read) => Ok(read.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(BodyError::TooLarge),
        Err(error) => Err(BodyError::of(&*error)),
    }
}

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

#[cfg(test)]
mod tests {
    use std::io::{self, ErrorKind};

    use super::BodyError;

    #[test]
    fn what_cannot_be_read_is_told_from_what_broke_off() {
        let of = |kind: ErrorKind| BodyError::of(&axum::Error::new(io::Error::from(kind)));

        assert_eq!(of(ErrorKind::InvalidInput), BodyError::Malformed);
        assert_eq!(of(ErrorKind::InvalidData), BodyError::Malformed);
        assert_eq!(of(ErrorKind::TimedOut), BodyError::TimedOut);
        assert_eq!(of(ErrorKind::UnexpectedEof), BodyError::BrokeOff);
        assert_eq!(of(ErrorKind::ConnectionReset), BodyError::BrokeOff);
        let without_io = axum::Error::new("connection error");
        assert_eq!(BodyError::of(&without_io), BodyError::BrokeOff);
    }
}
