//! Texts in which marks stand for the address of the proxy, which is another in each run.

use std::str::FromStr;

/// The mark of the URL of the proxy.
const BASE_URL: &str = "{base_url}";

/// The mark of its host with its port.
const HOST: &str = "{host}";

/// The mark of its port.
const PORT: &str = "{port}";

/// A text with at least one of the marks, and no other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressText(String);

/// The end of a scheme or of a user part, after which there is a host and no whole URL.
const BEFORE_HOST: [&str; 2] = ["://{base_url}", "@{base_url}"];

/// A text does not say where the address of the proxy stands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressTextError {
    /// It has none of the marks.
    #[error("the text needs {{base_url}}, {{host}} or {{port}}, which stand for the proxy")]
    NoMark,
    /// It has a mark that stands for nothing.
    #[error("{0} stands for nothing; there are {{base_url}}, {{host}} and {{port}}")]
    UnknownMark(String),
    /// The URL stands where a host belongs.
    #[error(
        "{{base_url}} is a whole URL, such as http://127.0.0.1:9000; after :// or @ write {{host}}"
    )]
    UrlAsHost,
}

impl FromStr for AddressText {
    type Err = AddressTextError;

    fn from_str(text: &str) -> Result<Self, AddressTextError> {
        let mut marks = marks_in(text);
        if let Some(unknown) = marks.find(|mark| ![BASE_URL, HOST, PORT].contains(mark)) {
            return Err(AddressTextError::UnknownMark(unknown.to_owned()));
        }
        if marks_in(text).next().is_none() {
            return Err(AddressTextError::NoMark);
        }
        if BEFORE_HOST.iter().any(|place| text.contains(place)) {
            return Err(AddressTextError::UrlAsHost);
        }
        Ok(Self(text.to_owned()))
    }
}

impl AddressText {
    /// The URL of the proxy and nothing else.
    #[must_use]
    pub fn base_url() -> Self {
        Self(BASE_URL.to_owned())
    }

    /// The text before a proxy with this URL.
    pub(crate) fn filled(&self, base_url: &str) -> String {
        let parts = parts_of(base_url).into_iter();
        let text = self.0.replace(BASE_URL, base_url);
        parts.fold(text, |text, (mark, value)| text.replace(mark, value))
    }
}

/// The marks of the parts of a URL of the proxy, each with its value.
pub(crate) fn parts_of(base_url: &str) -> [(&'static str, &str); 2] {
    let host = base_url.strip_prefix("http://").unwrap_or(base_url);
    let port = host.rsplit(':').next().unwrap_or_default();
    [(HOST, host), (PORT, port)]
}

/// The words in braces of a text. A text in JSON has braces, too, but quotes or blanks in them.
fn marks_in(text: &str) -> impl Iterator<Item = &str> {
    let is_word =
        |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '_' | '-' | ':' | '.');
    text.split_inclusive('}').filter_map(move |part| {
        let (_, mark) = part.split_at_checked(part.rfind('{')?)?;
        let name = mark.strip_prefix('{')?.strip_suffix('}')?;
        (!name.is_empty() && name.chars().all(is_word)).then_some(mark)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mark_stands_for_its_part_of_the_address() {
        for (text, expected) in [
            ("{base_url}/v2", "http://127.0.0.1:81/v2"),
            ("http://key@{host}/1", "http://key@127.0.0.1:81/1"),
            ("localhost:{port}", "localhost:81"),
            ("{host},{host}", "127.0.0.1:81,127.0.0.1:81"),
            (
                r#"{"url": "{base_url}", "retry": {}}"#,
                r#"{"url": "http://127.0.0.1:81", "retry": {}}"#,
            ),
        ] {
            let text: AddressText = text.parse().expect(text);

            assert_eq!(text.filled("http://127.0.0.1:81"), expected);
        }
        let port: AddressText = "{host} {port}".parse().expect("a text");
        assert_eq!(port.filled("http://[::1]:81"), "[::1]:81 81");
    }

    #[test]
    fn a_text_without_a_mark_or_with_an_unknown_one_is_refused() {
        for text in ["", "http://127.0.0.1:9000", "{}", r#"{"a": 1}"#, "base_url"] {
            let error = text.parse::<AddressText>().expect_err(text);

            assert_eq!(error, AddressTextError::NoMark, "{text}");
        }
        for (text, mark) in [
            ("{url}/v2", "{url}"),
            ("{base_url}/{BASE_URL}", "{BASE_URL}"),
            ("http://{host:port}", "{host:port}"),
            ("${host}/{base-url}", "{base-url}"),
        ] {
            let error = text.parse::<AddressText>().expect_err(text);

            assert_eq!(error, AddressTextError::UnknownMark(mark.to_owned()));
        }
        for text in ["http://{base_url}", "https://key@{base_url}/1"] {
            let error = text.parse::<AddressText>().expect_err(text);

            assert_eq!(error, AddressTextError::UrlAsHost, "{text}");
        }
    }
}
