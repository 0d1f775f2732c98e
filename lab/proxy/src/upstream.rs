//! The API that the proxy stands before.

use std::fmt;

use host::guard::is_loopback;
use http::{HeaderValue, Uri, uri::Scheme};

/// The origin of an API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upstream {
    authority: String,
    address: String,
}

/// Why the proxy does not stand before this.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UpstreamError {
    /// It is not the origin of an API over plain HTTP.
    #[error(
        "the upstream must be an origin such as http://127.0.0.1:9000; got '{0}'. It is called without TLS, and a path goes \
         into --set NAME={{base_url}}/path"
    )]
    NoOrigin(String),
    /// It is on another machine, and nobody has repeated its name.
    #[error(
        "'{0}' is not on this machine, and each run does there what it does: to allow that, \
         repeat its name with --allow-host {0}"
    )]
    Elsewhere(String),
}

impl Upstream {
    /// Reads an origin. One that is not on this machine has to be among the `allowed` hosts.
    ///
    /// # Errors
    ///
    /// [`UpstreamError`].
    pub fn new(origin: &str, allowed: &[String]) -> Result<Self, UpstreamError> {
        let no_origin = || UpstreamError::NoOrigin(origin.to_owned());
        let uri: Uri = origin.parse().map_err(|_| no_origin())?;
        let is_http = uri.scheme() == Some(&Scheme::HTTP);
        let is_bare = matches!(uri.path(), "" | "/") && uri.query().is_none();
        let authority = uri
            .authority()
            .filter(|it| is_http && is_bare && !it.as_str().contains('@'));
        let authority = authority.ok_or_else(no_origin)?;
        let host = authority.host();
        if !is_loopback(host) && !allowed.iter().any(|it| it.eq_ignore_ascii_case(host)) {
            return Err(UpstreamError::Elsewhere(host.to_owned()));
        }
        Ok(Self {
            authority: authority.to_string(),
            address: format!("{host}:{}", authority.port_u16().unwrap_or(80)),
        })
    }

    /// The host and the port to connect to.
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// The value of `Host`.
    pub(super) fn host(&self) -> Option<HeaderValue> {
        HeaderValue::from_str(&self.authority).ok()
    }

    /// Whether this is the `Origin` of a page of the upstream.
    pub(super) fn is_origin(&self, origin: &HeaderValue) -> bool {
        origin.as_bytes() == self.to_string().as_bytes()
    }

    /// Whether the value of a header leads to the upstream itself.
    pub(super) fn is_named_in(&self, value: &HeaderValue) -> bool {
        let (name, value) = (self.authority.as_bytes(), value.as_bytes());
        // Otherwise port 90 would stand in 9000.
        let goes_on = |sign: Option<&u8>| {
            sign.is_some_and(|it| it.is_ascii_alphanumeric() || b".-:".contains(it))
        };
        value.windows(name.len()).enumerate().any(|(at, it)| {
            let before = at.checked_sub(1).and_then(|it| value.get(it));
            it.eq_ignore_ascii_case(name)
                && !goes_on(before)
                && !goes_on(value.get(at + name.len()))
        })
    }

    /// Whether a cookie is for the host of the upstream, so that a client does not send it to
    /// the proxy. A domain has no port (RFC 6265 §4.1.2.3).
    pub(super) fn is_domain_of(&self, cookie: &HeaderValue) -> bool {
        let host = self.address.rsplit_once(':').map(|(host, _)| host);
        let cookie = String::from_utf8_lossy(cookie.as_bytes());
        let attributes = cookie.split(';').skip(1);
        attributes
            .filter_map(|it| it.split_once('='))
            .any(|(name, value)| {
                let domain = value.trim().trim_start_matches('.');
                name.trim().eq_ignore_ascii_case("domain")
                    && host.is_some_and(|host| domain.eq_ignore_ascii_case(host))
            })
    }
}

impl fmt::Display for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}", self.authority)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_origin_over_plain_http_is_an_upstream() {
        for origin in [
            "http://127.0.0.1:9000",
            "http://localhost",
            "http://[::1]:1/",
        ] {
            assert!(Upstream::new(origin, &[]).is_ok(), "{origin}");
        }
        for origin in [
            "",
            "127.0.0.1:9000",
            "https://127.0.0.1",
            "http://127.0.0.1/api",
            "http://a@127.0.0.1",
            "http://127.0.0.1/?x",
        ] {
            let error = Upstream::new(origin, &[]);
            assert_eq!(
                error,
                Err(UpstreamError::NoOrigin(origin.to_owned())),
                "{origin}"
            );
        }
    }

    #[test]
    fn another_machine_has_to_be_allowed_by_its_name() {
        let elsewhere = Err(UpstreamError::Elsewhere("staging.example".to_owned()));
        let of = |allowed: &[String]| Upstream::new("http://staging.example:81", allowed);

        assert_eq!(of(&[]), elsewhere);
        assert_eq!(of(&["example".to_owned()]), elsewhere);
        let allowed = of(&["Staging.Example".to_owned()]).expect("allowed");
        assert_eq!(allowed.address(), "staging.example:81");
        assert_eq!(allowed.to_string(), "http://staging.example:81");
    }
}
