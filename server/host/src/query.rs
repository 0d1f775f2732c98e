//! Reads the parameters of a query.

use axum::extract::Query;
use http::Uri;

/// A query parameter came more than once, so that it has no one value.
#[derive(Debug)]
pub struct Ambiguous;

/// The percent-decoded value of a query parameter.
///
/// # Errors
///
/// [`Ambiguous`] if it came more than once, or the query cannot be read.
pub fn only(uri: &Uri, name: &str) -> Result<Option<String>, Ambiguous> {
    if uri.query().is_none() {
        return Ok(None);
    }
    let Query(pairs) = Query::<Vec<(String, String)>>::try_from_uri(uri).map_err(|_| Ambiguous)?;
    let mut named = pairs.into_iter().filter(|(key, _)| key == name);
    let value = named.next().map(|(_, value)| value);
    match named.next() {
        Some(_) => Err(Ambiguous),
        None => Ok(value),
    }
}

#[cfg(test)]
mod tests {
    use super::only;

    #[test]
    fn a_parameter_is_decoded_and_must_be_alone() {
        let once = "/items?cursor=a%2Bb%26c&other=1".parse().unwrap();
        let twice = "/items?cursor=a&cursor=a".parse().unwrap();

        assert_eq!(only(&once, "cursor").unwrap().as_deref(), Some("a+b&c"));
        assert!(only(&once, "limit").unwrap().is_none());
        assert!(only(&twice, "cursor").is_err());
    }
}
