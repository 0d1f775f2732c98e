//! The stream of a connection. It notes what comes, what goes and who closes it, and it
//! closes in such a way that the last response arrives (RFC 9112 §9.6).
//!
//! A connection that is closed while bytes wait to be read is reset, and the reset may
//! overtake a response that was sent before. So a connection on which a body was left
//! unread closes one direction first, and throws away for a while what still comes
//! from the other.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};
use wire::ClosedBy;

use super::activity::Activity;

/// How much is thrown away, in bytes.
const MOST: usize = 1024 * 1024;

/// For how long it is thrown away.
const LONGEST: Duration = Duration::from_secs(1);

/// A stream that can be closed in such a way that the other side sees a reset.
pub(super) trait Resettable {
    /// Has the close that is to come reset the connection.
    fn reset_at_close(&self);
}

impl Resettable for TcpStream {
    fn reset_at_close(&self) {
        // A failure here makes the close an orderly one.
        drop(self.set_zero_linger());
    }
}

/// A stream, its activity, and how far its close has come.
pub(super) struct Stream<S: Resettable> {
    stream: S,
    activity: Arc<Activity>,
    /// Whether the other side takes nothing at present, so that it is noted once.
    is_stalled: bool,
    is_shut_down: bool,
    thrown_away: usize,
    patience: Option<Pin<Box<Sleep>>>,
}

impl<S: Resettable> Stream<S> {
    pub(super) fn new(stream: S, activity: Arc<Activity>) -> Self {
        Self {
            stream,
            activity,
            is_stalled: false,
            is_shut_down: false,
            thrown_away: 0,
            patience: None,
        }
    }

    fn note_write(&mut self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if self.is_stalled != written.is_pending() {
            self.is_stalled = written.is_pending();
            self.activity.is_stalled(self.is_stalled.then(Instant::now));
        }
        self.note_failure(written)
    }

    /// A read or write fails once the other side has reset the connection.
    fn note_failure<T>(&self, done: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if let Poll::Ready(Err(_)) = &done {
            self.activity.is_closed_by(ClosedBy::Reset);
        }
        done
    }
}

impl<S: AsyncRead + Resettable + Unpin> Stream<S> {
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

impl<S: Resettable> Drop for Stream<S> {
    fn drop(&mut self) {
        if self.activity.lock().is_to_be_reset {
            self.stream.reset_at_close();
        }
    }
}

impl<S: AsyncRead + Resettable + Unpin> AsyncRead for Stream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        if buffer.filled().len() > before {
            self.activity.received(Instant::now());
        } else if let Poll::Ready(Ok(())) = read
            && buffer.remaining() > 0
        {
            self.activity.is_closed_by(ClosedBy::Client);
        }
        self.note_failure(read)
    }
}

/// It takes one piece at a time: hyper then puts a body behind its head, which costs less
/// than to hand over both where responses are small.
impl<S: AsyncRead + AsyncWrite + Resettable + Unpin> AsyncWrite for Stream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.note_write(written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        self.note_failure(flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.is_shut_down {
            self.activity.is_closed_by(ClosedBy::Service);
            ready!(Pin::new(&mut self.stream).poll_shutdown(cx))?;
            self.is_shut_down = true;
        }
        let is_unread = self.activity.lock().is_unread;
        if is_unread {
            self.activity.closes(Instant::now());
            ready!(self.poll_throw_away(cx));
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
    use tokio::time::timeout;

    use super::*;

    /// A pipe knows no reset.
    impl Resettable for DuplexStream {
        fn reset_at_close(&self) {}
    }

    /// A stream on which a body was left unread, or was not.
    fn stream(stream: DuplexStream, is_unread: bool) -> Stream<DuplexStream> {
        let activity = Activity::new(Instant::now());
        activity.lock().is_unread = is_unread;
        Stream::new(stream, Arc::new(activity))
    }

    #[tokio::test]
    async fn it_throws_away_what_comes_until_the_other_side_closes() {
        let (mut client, here) = duplex(64);
        let mut stream = stream(here, true);

        let shutdown = tokio::spawn(async move { stream.shutdown().await });
        // More than the pipe holds: this ends only because somebody reads.
        client.write_all(&[0; 4096]).await.unwrap();
        let still_open = !shutdown.is_finished();
        drop(client);

        assert!(still_open);
        shutdown.await.unwrap().unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn it_throws_away_so_much_and_no_more() {
        let (mut client, here) = duplex(MOST * 2);
        let mut stream = stream(here, true);
        client.write_all(&vec![0; MOST + 64 * 1024]).await.unwrap();

        stream.shutdown().await.unwrap();
        let left = timeout(LONGEST, stream.read_u8()).await;

        assert!(left.is_ok(), "nothing is left");
    }

    #[tokio::test(start_paused = true)]
    async fn it_waits_so_long_and_not_at_all_where_everything_was_read() {
        for (is_unread, seconds) in [(true, LONGEST.as_secs()), (false, 0)] {
            let (_caller, here) = duplex(64);
            let mut stream = stream(here, is_unread);
            let begun = Instant::now();

            let shutdown = timeout(LONGEST * 2, stream.shutdown()).await;

            assert!(shutdown.is_ok(), "it waits for ever");
            assert_eq!(begun.elapsed().as_secs(), seconds);
        }
    }
}
