//! The body of a response, copied while it is sent.

use super::body::{MAX_RECORDED_BODY, SentBody};
use super::{cursors::without_cursors, secrets::Secrets};
use crate::ledger::Ledger;
use crate::watched_body::Watch;

/// The copy of a body, which is entered when the body is dropped.
pub(super) struct CopiedBody {
    /// The number of the request.
    pub(super) seq: u64,
    pub(super) ledger: Ledger,
    pub(super) secrets: Secrets,
    pub(super) kept: Vec<u8>,
    pub(super) length: u64,
    /// Whether it is sent without a body: then it has ended before it began.
    pub(super) is_bodiless: bool,
}

impl Watch for CopiedBody {
    fn data(&mut self, data: &[u8]) {
        self.length += data.len() as u64;
        let most = MAX_RECORDED_BODY + self.secrets.reach();
        let room = most.saturating_sub(self.kept.len());
        self.kept
            .extend_from_slice(data.get(..room).unwrap_or(data));
    }

    fn dropped(&mut self, is_whole: bool) {
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
            is_whole: self.is_bodiless || is_whole,
        };
        if let Some(Some(response)) = self.ledger.lock().response(self.seq) {
            response.0.body = body;
        }
    }
}
