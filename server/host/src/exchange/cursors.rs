//! Takes the cursors out of a body: a client sends them back, and then they are its own.

/// The name of the field that carries a cursor, as JSON writes it.
const FIELD: &str = "\"next_cursor\"";

/// A text without the values of its cursors, and where they stood: the offset of each in
/// what is left, in bytes. It need not be whole, nor JSON.
pub(super) fn without_cursors(text: &str) -> (String, Vec<usize>) {
    let (mut left, mut places) = (String::with_capacity(text.len()), Vec::new());
    let mut rest = text;
    while let Some((before, after)) = at_cursor(rest) {
        left.push_str(before);
        places.push(left.len());
        rest = after_string(after);
    }
    left.push_str(rest);
    (left, places)
}

/// A text before and after the position where its first cursor begins, inside the quotation
/// marks.
fn at_cursor(text: &str) -> Option<(&str, &str)> {
    text.match_indices(FIELD).find_map(|(at, name)| {
        let (_, after) = text.split_at_checked(at + name.len())?;
        let value = after.trim_start().strip_prefix(':')?;
        let cursor = value.trim_start().strip_prefix('"')?;
        text.split_at_checked(text.len() - cursor.len())
    })
}

/// The text after a JSON string, from the quotation mark that ends it; nothing where it
/// does not end.
fn after_string(text: &str) -> &str {
    let mut escaped = false;
    let end = text.find(|letter| {
        let ends = letter == '"' && !escaped;
        escaped = letter == '\\' && !escaped;
        ends
    });
    end.and_then(|end| text.get(end..)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::without_cursors;
    use crate::testing::nearly;

    #[test]
    fn the_value_goes_and_its_place_stays() {
        let table: [(&str, &str, &[usize]); 8] = [
            ("", "", &[]),
            (r#"{"next_cursor":null}"#, r#"{"next_cursor":null}"#, &[]),
            (r#"{"next_cursor":7}"#, r#"{"next_cursor":7}"#, &[]),
            (
                r#"{"next_cursor":"SECRET"}"#,
                r#"{"next_cursor":""}"#,
                &[16],
            ),
            (
                "{\"next_cursor\" :\n \"a\\\"SECRET\\\\\",\"b\":\"c\"}",
                "{\"next_cursor\" :\n \"\",\"b\":\"c\"}",
                &[19],
            ),
            (r#"{"next_cursor":"SECR"#, r#"{"next_cursor":""#, &[16]),
            (
                r#"["next_cursor",{"next_cursor":"é"}]"#,
                r#"["next_cursor",{"next_cursor":""}]"#,
                &[31],
            ),
            (
                r#"[{"next_cursor":"a"},{"next_cursor":"b"}]"#,
                r#"[{"next_cursor":""},{"next_cursor":""}]"#,
                &[17, 36],
            ),
        ];

        for (text, left, places) in table {
            let expected = (left.to_owned(), places.to_vec());
            assert_eq!(without_cursors(text), expected, "{text}");
        }
    }

    proptest! {
        /// Nothing of a cursor stays, and all the rest does, however the text was cut.
        #[test]
        fn what_is_left_has_no_cursor_to_take_out(
            text in nearly(
                "(\\{?\"next_cursor\" ?: ?(\"[a\u{e9}]{0,3}\"|null),){0,3}",
                &["", "\"", "\\", ":", "{", "\"next_cursor\":\"", "\u{e9}"],
            ),
        ) {
            let (left, places) = without_cursors(&text);

            prop_assert_eq!(without_cursors(&left), (left.clone(), places.clone()));
            prop_assert!(places.is_sorted());
            prop_assert!(places.iter().all(|position| left[..*position].ends_with('"')));
            prop_assert!(left.len() == text.len() || !places.is_empty());
        }
    }
}
