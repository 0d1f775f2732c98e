//! Cursors: issued, read back, and worthless anywhere else.
//!
//! A cursor is a position and a keyed checksum, so the service remembers nothing.
//! Its text always contains `+`, `/`, `=` and `&`: a client that does not
//! percent-encode it breaks at the first page and not in production.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use host::{Purpose, SeedKey};

/// In base64 these bytes are `+//+`, which puts two awkward characters into
/// every cursor.
const MARK: [u8; 3] = [0xfb, 0xff, 0xfe];

/// The length of the checksum. Ten bytes leave a `==` at the end of their base64.
const CHECKSUM_LENGTH: usize = 10;

/// The lists that issue cursors. One list's cursor is refused by the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum List {
    Items,
    LoopingItems,
    EndlessItems,
    BadItems,
    BadCursor,
}

/// The cursor of a position in a list.
pub(crate) fn issue(key: &SeedKey, list: List, position: u64) -> String {
    let place = [&MARK[..], &[list as u8], &position.to_be_bytes()].concat();
    let mut checksum = key.digest(Purpose::CursorChecksum);
    checksum.update(&place);
    let mut cursor = String::with_capacity(33);
    STANDARD.encode_string(place, &mut cursor);
    cursor.push('&');
    STANDARD.encode_string(checksum.bytes::<CHECKSUM_LENGTH>(), &mut cursor);
    cursor
}

/// The position that a cursor of this list stands for; none if this service did
/// not issue it.
pub(crate) fn read(key: &SeedKey, list: List, cursor: &str) -> Option<u64> {
    let (place, _) = cursor.split_once('&')?;
    let place = STANDARD.decode(place).ok()?;
    let position = u64::from_be_bytes(place.get(4..)?.try_into().ok()?);

    // Issuing it again compares every character: base64 that decodes to the same
    // bytes from another text is not the cursor that was handed out.
    (issue(key, list, position) == cursor).then_some(position)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use testkit::nearly;

    use super::{List, issue, read};
    use host::SeedKey;

    #[test]
    fn a_cursor_is_read_back_and_has_the_characters_that_must_be_escaped() {
        for position in (0..50).chain([u64::MAX]) {
            let key = SeedKey::new(position);
            let cursor = issue(&key, List::EndlessItems, position);

            assert_eq!(read(&key, List::EndlessItems, &cursor), Some(position));
            for awkward in ['+', '/', '=', '&'] {
                assert!(cursor.contains(awkward), "{cursor} lacks {awkward}");
            }
        }
    }

    #[test]
    fn refuses_what_it_did_not_issue() {
        let key = SeedKey::new(1);
        let cursor = issue(&key, List::Items, 2);

        assert_eq!(read(&key, List::EndlessItems, &cursor), None);
        assert_eq!(read(&SeedKey::new(2), List::Items, &cursor), None);
        for foreign in [
            "",
            "&",
            "2",
            "a&b",
            &cursor[1..],
            &format!("{cursor}="),
            &format!("{cursor}&"),
        ] {
            assert_eq!(read(&key, List::Items, foreign), None, "{foreign}");
        }
    }

    fn issued() -> impl Strategy<Value = String> {
        any::<u64>().prop_map(|position| issue(&SeedKey::new(1), List::Items, position))
    }

    proptest! {
        #[test]
        fn nothing_is_read_but_what_was_issued(
            text in nearly(issued(), &["", "A", "a", "+", "/", "=", "&", " ", "%2B", "\u{e9}"]),
        ) {
            let position = read(&SeedKey::new(1), List::Items, &text);

            let again = position.map(|position| issue(&SeedKey::new(1), List::Items, position));
            prop_assert!(again.is_none_or(|again| again == text));
        }
    }
}
