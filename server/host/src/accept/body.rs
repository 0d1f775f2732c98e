//! The body of a request, bounded in time, and the end of a request, which is that of
//! the body of its response.

use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until};

use super::activity::Activity;

type Error = Box<dyn std::error::Error + Send + Sync>;

/// The body of a request. It fails if it is not complete in time, and notes if it is
/// dropped before its end.
pub(super) struct RequestBody<B: HttpBody> {
    body: B,
    /// None if the bound lies beyond what a clock can show.
    deadline: Option<Instant>,
    /// Set once the body has to be waited for.
    patience: Option<Pin<Box<Sleep>>>,
    activity: Arc<Activity>,
    has_ended: bool,
}

impl<B: HttpBody> RequestBody<B> {
    /// The body of a request whose head has just come.
    pub(super) fn new(body: B, bound: Duration, activity: Arc<Activity>) -> Self {
        Self {
            body,
            deadline: Instant::now().checked_add(bound),
            patience: None,
            activity,
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

impl<B> HttpBody for RequestBody<B>
where
    B: HttpBody<Data = Bytes, Error: Into<Error>> + Unpin,
{
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        match Pin::new(&mut self.body).poll_frame(cx) {
            Poll::Ready(frame) => {
                self.has_ended = !matches!(frame, Some(Ok(_)));
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

impl<B: HttpBody> Drop for RequestBody<B> {
    fn drop(&mut self) {
        if !self.has_ended && !self.body.is_end_stream() {
            self.activity.lock().is_unread = true;
        }
    }
}

/// Ends the request of a connection when it is dropped: with the body of its response,
/// or without one.
pub(super) struct RequestEnd(pub(super) Arc<Activity>);

impl Drop for RequestEnd {
    fn drop(&mut self) {
        self.0.request_ended(Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use std::future::ready;

    use http_body_util::{BodyExt, Full};

    use super::*;

    #[tokio::test]
    async fn only_a_body_that_is_dropped_before_its_end_is_unread() {
        let activities = [(); 4].map(|()| Arc::new(Activity::new(Instant::now())));
        let [empty, read, half_read, dropped] = &activities;
        let chunks = |activity| {
            let chunks = Full::from("chunk").with_trailers(ready(None::<Result<_, _>>));
            RequestBody::new(chunks, Duration::MAX, Arc::clone(activity))
        };

        let nothing = Full::<Bytes>::default();
        drop(RequestBody::new(nothing, Duration::MAX, Arc::clone(empty)));
        chunks(read).collect().await.unwrap();
        let mut half = chunks(half_read);
        half.frame().await.unwrap().unwrap();
        drop(half);
        drop(chunks(dropped));

        let unread = activities.map(|activity| activity.lock().is_unread);
        assert_eq!(unread, [false, false, true, true]);
    }
}
