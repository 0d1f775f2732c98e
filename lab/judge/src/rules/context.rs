//! Facts about a client and its machine that need all cases of a card.

use super::backoff::Gap;

/// The facts about a client and its machine from all cases of a card.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CardContext {
    /// Whether the client hedges: one call had two requests in flight at once.
    pub(super) hedges: bool,
    /// The gaps before retries in the cases that fail alike.
    pub(super) gaps: Vec<Gap>,
}

/// Of a case without a card.
pub(super) static NONE: CardContext = CardContext {
    hedges: false,
    gaps: Vec::new(),
};
