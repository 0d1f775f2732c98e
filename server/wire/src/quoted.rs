//! Words as a shell takes them.

/// A word as one has to write it so that a shell takes it as one.
#[must_use]
pub fn quoted(word: &str) -> String {
    quoted_for(word, cfg!(windows))
}

/// The same for one of two kinds of shell: Windows has no single quotes, and takes a
/// backslash for itself.
#[must_use]
pub fn quoted_for(word: &str, is_windows: bool) -> String {
    let plain = |sign: char| {
        sign.is_alphanumeric() || "-_./:=+,@%".contains(sign) || is_windows && sign == '\\'
    };
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else if is_windows {
        quoted_for_windows(word)
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// In double quotes. A backslash counts as itself unless it stands before one of them
/// (`CommandLineToArgvW`).
fn quoted_for_windows(word: &str) -> String {
    let (mut quoted, mut backslashes) = ("\"".to_owned(), String::new());
    for sign in word.chars() {
        match sign {
            '\\' => backslashes.push(sign),
            '"' => {
                quoted.extend([&*backslashes, "\\"]);
                backslashes.clear();
            }
            _ => backslashes.clear(),
        }
        quoted.push(sign);
    }
    quoted + &backslashes + "\""
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_word_can_be_typed_as_it_is_shown() {
        for (word, unix, windows) in [
            ("client.py", "client.py", "client.py"),
            ("my client.py", "'my client.py'", "\"my client.py\""),
            (r"lib\client.py", r"'lib\client.py'", r"lib\client.py"),
            ("it's", r"'it'\''s'", "\"it's\""),
            (r#"{"a"}"#, r#"'{"a"}'"#, r#""{\"a\"}""#),
            (r#"\""#, r#"'\"'"#, r#""\\\"""#),
            (r"a b\", r"'a b\'", r#""a b\\""#),
            ("", "''", "\"\""),
        ] {
            assert_eq!(quoted_for(word, false), unix);
            assert_eq!(quoted_for(word, true), windows);
        }
    }

    /// The word that a program of Windows reads from one word in quotes.
    fn unquoted_by_windows(quoted: &str) -> Option<String> {
        let mut rest = quoted.strip_prefix('"')?;
        let mut word = String::new();
        loop {
            let end = rest.find(|sign| sign != '\\').unwrap_or(rest.len());
            let (backslashes, after) = rest.split_at(end);
            let mut after = after.chars();
            match after.next()? {
                '"' if backslashes.len().is_multiple_of(2) => {
                    word.push_str(&backslashes[..end / 2]);
                    return after.as_str().is_empty().then_some(word);
                }
                '"' => {
                    word.push_str(&backslashes[..end / 2]);
                    word.push('"');
                }
                sign => {
                    word.push_str(backslashes);
                    word.push(sign);
                }
            }
            rest = after.as_str();
        }
    }

    proptest! {
        #[test]
        fn a_shell_takes_what_is_quoted_for_that_word(word in "(?s)[ -~]{0,8}|.{0,8}|[a\\\\\"' ]{0,8}") {
            let unix = shlex::split(&quoted_for(&word, false));
            prop_assert_eq!(unix, Some(vec![word.clone()]));

            let quoted = quoted_for(&word, true);
            let windows = if quoted.starts_with('"') {
                unquoted_by_windows(&quoted)
            } else {
                Some(quoted)
            };
            prop_assert_eq!(windows, Some(word));
        }
    }
}
