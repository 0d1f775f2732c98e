//! Takes the cursors out of a body: a client sends them back, and then they are its own.

/// The name of the field that carries a cursor, as JSON writes it.
const FIELD: &str = "\"next_cursor\"";

/// A text without the values of its cursors, and where they stood: the offset of each in
/// what is left, in bytes. It need not be whole, nor JSON.
pub(super) fn without_cursors(text: &str) -> (String, Vec<usize>) {
    let (mut left, mut places) = (String::with_capacity(text.len()), Vec::new());
    let mut rest = text;
    while let Some(value) = cursor(rest) {
        let (before, after) = rest.split_at(value);
        left.push_str(before);
        places.push(left.len());
        rest = &after[end_of_string(after)..];
    }
    left.push_str(rest);
    (left, places)
}

/// Where the first cursor begins, inside its quotation marks.
fn cursor(text: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let name = from + text[from..].find(FIELD)? + FIELD.len();
        let white = |text: &str| text.len() - text.trim_start().len();
        let colon = name + white(&text[name..]);
        if let Some(value) = text[colon..].strip_prefix(':') {
            let quote = colon + 1 + white(value);
            if text[quote..].starts_with('"') {
                return Some(quote + 1);
            }
        }
        from = name;
    }
}

/// The length of a JSON string up to the quotation mark that ends it, or to the end of
/// the text.
fn end_of_string(text: &str) -> usize {
    let mut escaped = false;
    let end = text.find(|letter| {
        let ends = letter == '"' && !escaped;
        escaped = letter == '\\' && !escaped;
        ends
    });
    end.unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::without_cursors;

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
            assert_eq!(
                without_cursors(text),
                (left.to_owned(), places.to_vec()),
                "{text}"
            );
        }
    }
}
