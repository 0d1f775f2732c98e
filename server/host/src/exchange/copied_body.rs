//! The body of a response, copied while it is sent.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, SizeHint};

use super::body::{BodyEnd, MAX_RECORDED_BODY, SentBody};
use super::{cursors::without_cursors, secrets::Secrets};
use crate::ledger::Ledger;

/// A body that is copied as it is sent. Whoever sends it drops it in the end, and then
/// the copy is entered.
pub(super) struct CopiedBody {
    body: Body,
    seq: u64,
    ledger: Ledger,
    secrets: Secrets,
    kept: Vec<u8>,
    length: u64,
    has_ended: bool,
}

impl CopiedBody {
    /// The body of the response to a request with this number. One that is sent without
    /// a body has ended before it began.
    pub(super) fn new(
        body: Body,
        seq: u64,
        ledger: Ledger,
        secrets: Secrets,
        is_bodiless: bool,
    ) -> Self {
        Self {
            body,
            seq,
            ledger,
            secrets,
            kept: Vec::new(),
            length: 0,
            has_ended: is_bodiless,
        }
    }

    fn copy(&mut self, data: &[u8]) {
        self.length += data.len() as u64;
        let most = MAX_RECORDED_BODY + self.secrets.reach();
        let room = most.saturating_sub(self.kept.len());
        self.kept
            .extend_from_slice(data.get(..room).unwrap_or(data));
    }
}

impl HttpBody for CopiedBody {
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
                    self.copy(data);
                }
            }
            Some(Err(_)) => {}
            None => self.has_ended = true,
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for CopiedBody {
    fn drop(&mut self) {
        // A body whose length is known is not asked once more after its last byte.
        let is_empty = self.body.is_end_stream() || self.body.size_hint().exact() == Some(0);
        let text = self
            .secrets
            .taken_out_of(&String::from_utf8_lossy(&self.kept));
        let (mut text, mut cursors) = without_cursors(&text);
        let most = MAX_RECORDED_BODY.min(text.len());
        let whole = (0..=most).rev().find(|&at| text.is_char_boundary(at));
        text.truncate(whole.unwrap_or(0));
        cursors.retain(|&position| position <= text.len());
        let body = SentBody {
            text,
            cursors,
            length: self.length,
            end: match self.has_ended || is_empty {
                true => BodyEnd::Whole,
                false => BodyEnd::BrokenOff,
            },
        };
        self.ledger.body_sent(self.seq, body);
    }
}
