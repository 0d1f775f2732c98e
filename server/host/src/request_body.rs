//! The body of a request: it is bounded in time, read to its end unless it is too large, and
//! hashed while somebody reads it.
//!
//! The hash runs over the bytes as they came, so that a retry which writes the same
//! JSON in another way differs from one that repeats itself. No byte is kept.

use std::error::Error;
use std::io::{self, ErrorKind};
use std::iter;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::BoxError;
use axum::body::{Body, HttpBody};
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::{Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until};
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

/// The body of a request, bounded in time: it fails if it is not complete by then. It tells
/// if it is dropped before its end.
pub(crate) struct BoundedBody<B: HttpBody, D: FnMut()> {
    body: B,
    /// None if the bound lies beyond what a clock can show.
    deadline: Option<Instant>,
    /// Set once the body has to be waited for.
    patience: Option<Pin<Box<Sleep>>>,
    left_unread: D,
    has_ended: bool,
}

impl<B: HttpBody, D: FnMut()> BoundedBody<B, D> {
    /// The body of a request whose head has just come.
    pub(crate) fn new(body: B, bound: Duration, left_unread: D) -> Self {
        Self {
            body,
            deadline: Instant::now().checked_add(bound),
            patience: None,
            left_unread,
            has_ended: false,
        }
    }

    fn poll_deadline(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(deadline) = self.deadline else {
            return Poll::Pending;
        };
        let patience = self
            .patience
            .get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        patience.as_mut().poll(cx)
    }
}

impl<B, D> HttpBody for BoundedBody<B, D>
where
    B: HttpBody<Data = Bytes, Error: Into<BoxError>> + Unpin,
    D: FnMut() + Unpin,
{
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        match Pin::new(&mut self.body).poll_frame(cx) {
            Poll::Ready(frame) => {
                self.has_ended = frame.is_none();
                Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
            }
            Poll::Pending if self.poll_deadline(cx).is_ready() => {
                let late = io::Error::new(ErrorKind::TimedOut, "the body did not come in time");
                Poll::Ready(Some(Err(late.into())))
            }
            Poll::Pending => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl<B: HttpBody, D: FnMut()> Drop for BoundedBody<B, D> {
    fn drop(&mut self) {
        if !self.has_ended && !self.body.is_end_stream() {
            (self.left_unread)();
        }
    }
}

/// The hash of a body that is being read. Clones share it.
#[derive(Clone)]
pub(crate) struct BodyHash(Arc<Mutex<Hashing>>);

enum Hashing {
    Running { digest: KeyedDigest, is_empty: bool },
    Done(Option<ValueHash>),
    Failed(BodyError),
}

impl BodyHash {
    pub(crate) fn new(key: &SeedKey) -> Self {
        Self(Arc::new(Mutex::new(Hashing::Running {
            digest: key.digest(Purpose::Body),
            is_empty: true,
        })))
    }

    /// How far the body was read, and its hash if it was read to its end and had any
    /// bytes.
    pub(crate) fn state(&self) -> (BodyState, Option<ValueHash>) {
        match *self.lock() {
            Hashing::Running { .. } => (BodyState::Unread, None),
            Hashing::Done(None) => (BodyState::Empty, None),
            Hashing::Done(hash) => (BodyState::Complete, hash),
            Hashing::Failed(_) => (BodyState::Broken, None),
        }
    }

    /// Whether its connection ended before the body did.
    pub(crate) fn broke_off(&self) -> bool {
        matches!(*self.lock(), Hashing::Failed(BodyError::BrokeOff))
    }

    fn lock(&self) -> MutexGuard<'_, Hashing> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch for BodyHash {
    fn data(&mut self, data: &[u8]) {
        if let Hashing::Running { digest, is_empty } = &mut *self.lock() {
            digest.update(data);
            *is_empty &= data.is_empty();
        }
    }

    fn failed(&mut self, error: &axum::Error) {
        *self.lock() = Hashing::Failed(BodyError::of(error));
    }

    fn ended(&mut self) {
        let mut hashing = self.lock();
        if let Hashing::Running { digest, is_empty } = &*hashing {
            let hash = (!is_empty).then(|| digest.to_hash());
            *hashing = Hashing::Done(hash);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::future::ready;

    use futures_util::stream;
    use http_body_util::Full;

    use super::*;

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

    /// A body that tells whether it was left unread.
    fn bounded<B: HttpBody>(body: B, is_unread: &Cell<bool>) -> BoundedBody<B, impl FnMut()> {
        BoundedBody::new(body, Duration::MAX, || is_unread.set(true))
    }

    #[tokio::test]
    async fn only_a_body_that_is_dropped_before_its_end_is_unread() {
        let unread = [(); 5].map(|()| Cell::new(false));
        let [empty, read, half_read, dropped, malformed] = &unread;
        let chunks = |is_unread| {
            let chunks = Full::from("chunk").with_trailers(ready(None::<Result<_, _>>));
            bounded(chunks, is_unread)
        };

        let nothing = Full::<Bytes>::default();
        drop(bounded(nothing, empty));
        chunks(read).collect().await.unwrap();
        let mut half = chunks(half_read);
        half.frame().await.unwrap().unwrap();
        drop(half);
        drop(chunks(dropped));
        let frames = [Err::<Bytes, _>(io::Error::from(ErrorKind::InvalidData))];
        let broken = Body::from_stream(stream::iter(frames));
        bounded(broken, malformed).collect().await.unwrap_err();

        let unread = unread.map(Cell::into_inner);
        assert_eq!(unread, [false, false, true, true, true]);
    }
}
