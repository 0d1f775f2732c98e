//! The base URL: which ones are allowed.

use url::Url;

use crate::error::ConfigError;

/// Parses a base URL: `http` or `https`, without credentials, query and fragment.
/// Its path stays, as a prefix.
pub(crate) fn parse(text: &str) -> Result<Url, ConfigError> {
    let url = Url::parse(text).map_err(ConfigError::BaseUrl)?;
    let part = |part, why| Err(ConfigError::BaseUrlPart { part, why });
    if !matches!(url.scheme(), "http" | "https") {
        return Err(ConfigError::BaseUrlScheme);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return part(
            "user name or password",
            "a credential in a URL ends up in logs; send it as a header of the session",
        );
    }
    if url.query().is_some() {
        return part("query", "each endpoint has its own");
    }
    if url.fragment().is_some() {
        return part("fragment", "it is never sent");
    }
    Ok(url)
}
