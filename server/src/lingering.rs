//! Closes a connection so that the last answer on it arrives (RFC 9112 §9.6).
//!
//! A connection that is closed while bytes wait to be read is reset, and the reset may
//! overtake an answer that was sent before. So whoever leaves a body unread closes one
//! direction first, and throws away for a while what still comes from the other.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// How much is thrown away, in bytes.
const MOST: usize = 1024 * 1024;

/// For how long it is thrown away.
const LONGEST: Duration = Duration::from_secs(1);

/// Whether a body was left unread on a connection.
#[derive(Debug, Clone, Default)]
pub(crate) struct Unread(Arc<AtomicBool>);

impl Unread {
    fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A request body that notes if it is dropped before its end.
#[derive(Debug)]
pub(crate) struct NotedBody<B: Body> {
    body: B,
    unread: Unread,
    has_ended: bool,
}

impl<B: Body> NotedBody<B> {
    pub(crate) fn new(body: B, unread: Unread) -> Self {
        Self {
            body,
            unread,
            has_ended: false,
        }
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for NotedBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        self.has_ended = !matches!(frame, Some(Ok(_)));
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl<B: Body> Drop for NotedBody<B> {
    fn drop(&mut self) {
        if !self.has_ended && !self.body.is_end_stream() {
            self.unread.0.store(true, Ordering::Relaxed);
        }
    }
}

/// A stream whose shutdown waits for what was left unread.
#[derive(Debug)]
pub(crate) struct Lingering<S> {
    stream: S,
    unread: Unread,
    shut_down: bool,
    thrown_away: usize,
    patience: Option<Pin<Box<Sleep>>>,
}

impl<S> Lingering<S> {
    pub(crate) fn new(stream: S, unread: Unread) -> Self {
        Self {
            stream,
            unread,
            shut_down: false,
            thrown_away: 0,
            patience: None,
        }
    }
}

impl<S: AsyncRead + Unpin> Lingering<S> {
    /// Ready when the other side has closed, or was waited for long enough.
    fn poll_throw_away(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let patience = self
            .patience
            .get_or_insert_with(|| Box::pin(sleep(LONGEST)));
        if patience.as_mut().poll(cx).is_ready() {
            return Poll::Ready(());
        }
        while self.thrown_away < MOST {
            let mut bytes = [0; 8 * 1024];
            let mut buffer = ReadBuf::new(&mut bytes);
            let read = ready!(Pin::new(&mut self.stream).poll_read(cx, &mut buffer));
            if read.is_err() || buffer.filled().is_empty() {
                break;
            }
            self.thrown_away += buffer.filled().len();
        }
        Poll::Ready(())
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Lingering<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Lingering<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.shut_down {
            ready!(Pin::new(&mut self.stream).poll_shutdown(cx))?;
            self.shut_down = true;
        }
        if self.unread.is_set() {
            ready!(self.poll_throw_away(cx));
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::sync::atomic::Ordering;
    use std::task::{Context, Poll};

    use bytes::Bytes;
    use http_body_util::{BodyExt, Full};
    use hyper::body::{Body, Frame};
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
    use tokio::time::{Instant, timeout};

    use super::{LONGEST, Lingering, MOST, NotedBody, Unread};

    fn unread() -> Unread {
        let unread = Unread::default();
        unread.0.store(true, Ordering::Relaxed);
        unread
    }

    #[tokio::test]
    async fn it_throws_away_what_comes_until_the_other_side_closes() {
        let (mut caller, stream) = duplex(64);
        let mut stream = Lingering::new(stream, unread());

        let shutdown = tokio::spawn(async move { stream.shutdown().await });
        // More than the pipe holds: this ends only because somebody reads.
        caller.write_all(&[0; 4096]).await.unwrap();
        let still_open = !shutdown.is_finished();
        drop(caller);

        assert!(still_open);
        shutdown.await.unwrap().unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn it_throws_away_so_much_and_no_more() {
        let (mut caller, stream) = duplex(MOST * 2);
        let mut stream = Lingering::new(stream, unread());
        caller.write_all(&vec![0; MOST + 64 * 1024]).await.unwrap();

        stream.shutdown().await.unwrap();
        let left = timeout(LONGEST, stream.read_u8()).await;

        assert!(left.is_ok(), "nothing is left");
    }

    #[tokio::test(start_paused = true)]
    async fn it_waits_so_long_and_no_longer() {
        let (_caller, stream) = duplex(64);
        let mut stream = Lingering::new(stream, unread());
        let begun = Instant::now();

        let shutdown = timeout(LONGEST * 2, stream.shutdown()).await;

        assert!(shutdown.is_ok(), "it waits for ever");
        assert_eq!(begun.elapsed().as_secs(), LONGEST.as_secs());
    }

    #[tokio::test(start_paused = true)]
    async fn it_does_not_wait_where_everything_was_read() {
        let (_caller, stream) = duplex(64);
        let mut stream = Lingering::new(stream, Unread::default());
        let begun = Instant::now();

        stream.shutdown().await.unwrap();

        assert!(begun.elapsed().is_zero());
    }

    #[tokio::test]
    async fn only_a_body_that_is_dropped_before_its_end_is_unread() {
        /// A body whose length is not known beforehand.
        struct Chunks(Option<Bytes>);

        impl Body for Chunks {
            type Data = Bytes;
            type Error = axum::Error;

            fn poll_frame(
                mut self: Pin<&mut Self>,
                _: &mut Context<'_>,
            ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
                Poll::Ready(self.0.take().map(Frame::data).map(Ok))
            }
        }
        let chunks = || Chunks(Some(Bytes::from_static(b"chunk")));
        let [empty, read, half_read, dropped] = [(); 4].map(|()| Unread::default());

        drop(NotedBody::new(Full::<Bytes>::default(), empty.clone()));
        NotedBody::new(chunks(), read.clone())
            .collect()
            .await
            .unwrap();
        let mut half = NotedBody::new(chunks(), half_read.clone());
        half.frame().await.unwrap().unwrap();
        drop(half);
        drop(NotedBody::new(chunks(), dropped.clone()));

        assert!(!empty.is_set() && !read.is_set());
        assert!(half_read.is_set() && dropped.is_set());
    }
}
