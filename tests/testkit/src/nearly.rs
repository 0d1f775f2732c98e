//! Texts that are almost of a form.

use proptest::prelude::*;
use proptest::sample::{Index, select};

/// A text of the right form, of which at most two characters are replaced by one of these
/// pieces: what somebody sends who means well, or means to be taken for one who does.
pub fn nearly(
    text: impl Strategy<Value = String>,
    pieces: &'static [&'static str],
) -> impl Strategy<Value = String> {
    (text, any::<Index>(), 0_usize..3, select(pieces)).prop_map(|(text, at, cut, piece)| {
        let mut letters: Vec<_> = text.chars().collect();
        let at = at.index(letters.len() + 1);
        let end = letters.len().min(at + cut);
        letters.splice(at..end, piece.chars());
        letters.into_iter().collect()
    })
}
