//! What the cases of a whole card say of a client and its machine, which one task cannot.

use super::sample::Sample;

/// What the cases of a card say of a client and its machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CardContext {
    /// Whether the client hedges: one call had two requests in flight at once.
    pub(super) hedges: bool,
    /// The gaps before retries, and the noise in them.
    pub(super) gaps: Sample,
}

/// Of a case without a card.
pub(super) static NONE: CardContext = CardContext {
    hedges: false,
    gaps: Sample::EMPTY,
};
