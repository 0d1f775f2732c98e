//! Names for values that are not kept, in the order in which the wire first saw them.

use std::collections::HashMap;

use wire::{IssuedCursor, ValueHash, WireRequest};

/// Names for the cursors, keys and bodies of a run: "cursor A", "key 1", "body 1".
/// Equal values have one name.
#[derive(Clone, Debug, Default)]
pub struct Names {
    cursors: HashMap<ValueHash, usize>,
    keys: HashMap<ValueHash, usize>,
    bodies: HashMap<ValueHash, usize>,
}

impl Names {
    /// Names what these requests carried, and the cursors that they were given.
    #[must_use]
    pub fn of(requests: &[WireRequest]) -> Self {
        let mut names = Self::default();
        for request in requests {
            let issued = match request.cursor_issued {
                Some(IssuedCursor::Hash(hash)) => Some(hash),
                Some(IssuedCursor::Null) | None => None,
            };
            see(&mut names.cursors, request.cursor);
            see(&mut names.cursors, issued);
            see(&mut names.keys, request.idempotency_key);
            see(&mut names.bodies, request.body);
        }
        names
    }

    /// The letters of a cursor: A to Z, then AA and so on.
    #[must_use]
    pub fn cursor(&self, cursor: ValueHash) -> Option<String> {
        self.cursors.get(&cursor).map(|&position| letters(position))
    }

    /// A key, such as "key 1".
    #[must_use]
    pub fn key(&self, key: ValueHash) -> Option<String> {
        let position = self.keys.get(&key)?;
        Some(format!("key {}", position + 1))
    }

    /// A body, such as "body 1".
    #[must_use]
    pub fn body(&self, body: ValueHash) -> Option<String> {
        let position = self.bodies.get(&body)?;
        Some(format!("body {}", position + 1))
    }
}

fn see(names: &mut HashMap<ValueHash, usize>, hash: Option<ValueHash>) {
    if let Some(hash) = hash {
        let position = names.len();
        names.entry(hash).or_insert(position);
    }
}

#[expect(clippy::indexing_slicing, reason = "the alphabet has 26 letters")]
fn letters(position: usize) -> String {
    let last = char::from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"[position % 26]);
    match position / 26 {
        0 => last.to_string(),
        before => letters(before - 1) + &last.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_go_on_after_z() {
        let named = [0, 1, 25, 26, 27, 51, 52, 701, 702].map(letters);

        assert_eq!(named, ["A", "B", "Z", "AA", "AB", "AZ", "BA", "ZZ", "AAA"]);
    }

    #[test]
    fn equal_values_have_one_name_in_the_order_of_first_sight() {
        let page = |sent: Option<u64>, issued: u64| WireRequest {
            cursor: sent.map(ValueHash),
            cursor_issued: Some(IssuedCursor::Hash(ValueHash(issued))),
            ..WireRequest::default()
        };

        let names = Names::of(&[page(None, 7), page(Some(7), 3), page(Some(3), 7)]);

        let named = [7, 3, 9].map(|hash| names.cursor(ValueHash(hash)));
        assert_eq!(named, [Some("A".to_owned()), Some("B".to_owned()), None]);
    }
}
