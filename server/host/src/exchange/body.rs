//! The body of a response, as far as it is kept.

/// How much of a body is kept, in bytes.
pub const MAX_RECORDED_BODY: usize = 1024;

/// The body of a response, as it was handed over to the connection.
#[expect(missing_debug_implementations, reason = "it may hold a secret")]
#[derive(Clone, Default, PartialEq, Eq)]
pub struct SentBody {
    /// Its first [`MAX_RECORDED_BODY`] bytes without its cursors; bytes that are no UTF-8
    /// are replaced by U+FFFD.
    pub text: String,
    /// Where in the text a cursor stood: offsets in bytes, in order.
    pub cursors: Vec<usize>,
    /// How many bytes were handed over.
    pub length: u64,
    /// Whether it was handed over to its end: neither it nor its connection broke off.
    pub is_whole: bool,
}

impl SentBody {
    /// Whether more was handed over than the text holds.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.length > MAX_RECORDED_BODY as u64
    }
}
