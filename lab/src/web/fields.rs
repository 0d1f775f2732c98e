//! The named texts of an address or of a form.

use std::convert::Infallible;

use axum::extract::{FromRequestParts, Request};
use http::request::Parts;

use super::{body, problem::Problem};

/// The media type of a form.
const FORM: &str = "application/x-www-form-urlencoded";

/// The named texts of an address or of a form, in their order. A person can type any address,
/// so a part that is no text stands for a replacement character.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Fields(Vec<(String, String)>);

impl Fields {
    /// Reads the part of an address after the question mark, or the body of a form.
    pub(crate) fn parse(encoded: &[u8]) -> Self {
        let pairs = form_urlencoded::parse(encoded);
        Self(pairs.into_owned().collect())
    }

    /// Reads the body of a form.
    pub(crate) async fn received(request: Request) -> Result<Self, Problem> {
        let body = body::received(request, FORM, "a form is sent").await?;
        Ok(Self::parse(&body))
    }

    /// The first text with this name.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, text)| text.as_str())
    }

    /// Whether there is a text with this name, which may be empty.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }
}

/// Those of the address of a request.
impl<S: Sync> FromRequestParts<S> for Fields {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::parse(
            parts.uri.query().unwrap_or_default().as_bytes(),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_address_can_be_read() {
        for (query, name, text) in [
            ("guess=3&present", "guess", Some("3")),
            ("guess=3&present", "present", Some("")),
            ("guess=3&guess=4", "guess", Some("3")),
            ("without=a%20b+c", "without", Some("a b c")),
            ("guess=%", "guess", Some("%")),
            ("guess=%ff", "guess", Some("\u{fffd}")),
            ("=&&=3&%=%", "guess", None),
            ("", "guess", None),
        ] {
            let fields = Fields::parse(query.as_bytes());

            assert_eq!(fields.get(name), text, "{query}");
        }
    }
}
