//! The body of a response, copied while it is sent.

use super::body::{MAX_RECORDED_BODY, SentBody};
use super::{cursors::without_cursors, secrets::Secrets};
use crate::ledger::Ledger;
use crate::watched_body::Watch;

/// The copy of a body, which is entered when the body is dropped.
pub(super) struct CopiedBody {
    seq: u64,
    ledger: Ledger,
    secrets: Secrets,
    kept: Vec<u8>,
    length: u64,
    is_bodiless: bool,
}

impl CopiedBody {
    /// The body of the response to a request with this number. One that is sent without
    /// a body has ended before it began.
    pub(super) fn new(seq: u64, ledger: Ledger, secrets: Secrets, is_bodiless: bool) -> Self {
        Self {
            seq,
            ledger,
            secrets,
            kept: Vec::new(),
            length: 0,
            is_bodiless,
        }
    }
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
            response.body = body;
        }
    }
}
