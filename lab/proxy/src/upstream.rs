//! The API that the proxy stands before.

use std::{fmt, time::Duration};

use host::admission::is_loopback;
use http::{
    HeaderValue, Uri,
    uri::{Authority, Scheme},
};
use tokio::{net::TcpStream, time::timeout};

use super::{
    TlsError,
    tls::{Tls, is_of_tls},
};

/// How long a port may take to show that it speaks TLS.
const PROBE: Duration = Duration::from_secs(2);

/// The origin of an API.
#[derive(Clone, Debug)]
pub struct Upstream {
    authority: String,
    host: String,
    port: u16,
    tls: Option<Tls>,
}

/// Why the proxy does not stand before this.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UpstreamError {
    /// It is not the origin of an API.
    #[error(
        "'{0}' is not an origin such as http://127.0.0.1:9000 or https://api.example. A path goes \
         into --set NAME={{base_url}}/path, and a DSN into --set with {{host}} as its host"
    )]
    NoOrigin(String),
    /// Its port is not a number from 1 to 65535.
    #[error("the port of the upstream must be a number from 1 to 65535; got '{0}'")]
    Port(String),
    /// It is on another machine, and the user has not repeated its name.
    #[error(
        "'{0}' is not on this machine, and each run does there what it does: to allow that, \
         repeat its name with --allow-host {0}"
    )]
    Elsewhere(String),
    /// It cannot be verified.
    #[error(transparent)]
    Tls(#[from] TlsError),
}

impl Upstream {
    /// Reads an origin. One that is not on this machine has to be among the `allowed` hosts.
    ///
    /// # Errors
    ///
    /// [`UpstreamError`].
    pub fn new(origin: &str, allowed: &[String]) -> Result<Self, UpstreamError> {
        Self::trusting(origin, allowed, &[])
    }

    /// The same. A certificate of it may have been issued by one of these in PEM, too.
    ///
    /// # Errors
    ///
    /// [`UpstreamError`].
    pub fn trusting(
        origin: &str,
        allowed: &[String],
        added: &[Vec<u8>],
    ) -> Result<Self, UpstreamError> {
        let no_origin = || UpstreamError::NoOrigin(without_user(origin));
        let uri: Uri = origin.parse().map_err(|_| no_origin())?;
        let has_tls = match uri.scheme() {
            Some(scheme) if *scheme == Scheme::HTTP => false,
            Some(scheme) if *scheme == Scheme::HTTPS => true,
            _ => return Err(no_origin()),
        };
        let is_bare = matches!(uri.path(), "" | "/") && uri.query().is_none();
        let authority = uri
            .authority()
            .map(Authority::as_str)
            .filter(|authority| is_bare && !authority.contains('@'))
            .ok_or_else(no_origin)?;
        let host = uri.host().unwrap_or_default();
        let after_host = authority.strip_prefix(host).unwrap_or_default();
        let port = match after_host.strip_prefix(':') {
            None if has_tls => 443,
            None => 80,
            Some(port) => {
                let is_number = port.bytes().all(|sign| sign.is_ascii_digit());
                let number = port.parse().ok().filter(|port| is_number && *port > 0);
                number.ok_or_else(|| UpstreamError::Port(port.to_owned()))?
            }
        };
        let is_allowed = allowed.iter().any(|name| name.eq_ignore_ascii_case(host));
        if !is_loopback(host) && !is_allowed {
            return Err(UpstreamError::Elsewhere(host.to_owned()));
        }
        Ok(Self {
            authority: authority.to_owned(),
            host: host.to_owned(),
            port,
            tls: has_tls.then(|| Tls::of(host, added)).transpose()?,
        })
    }

    /// How it is verified; none if it is called without TLS.
    pub(super) fn tls(&self) -> Option<&Tls> {
        self.tls.as_ref()
    }

    /// Whether its port speaks TLS although it is called without. No request is sent.
    pub(super) async fn speaks_tls(&self) -> bool {
        let Ok(tls) = Tls::of(&self.host, &[]) else {
            return false;
        };
        let handshake = async {
            let stream = TcpStream::connect(self.address()).await?;
            tls.connect(stream).await
        };
        match timeout(PROBE, handshake).await {
            Ok(Ok(_)) => true,
            Ok(Err(error)) => is_of_tls(&error),
            Err(_) => false,
        }
    }

    /// The host and the port to connect to.
    pub(super) fn address(&self) -> String {
        format!("{}:{}", self.host, self.port)
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
            sign.is_some_and(|sign| sign.is_ascii_alphanumeric() || b".-:".contains(sign))
        };
        value.windows(name.len()).enumerate().any(|(at, part)| {
            let before = at.checked_sub(1).and_then(|start| value.get(start));
            part.eq_ignore_ascii_case(name)
                && !goes_on(before)
                && !goes_on(value.get(at + name.len()))
        })
    }

    /// Whether a cookie is for the host of the upstream, so that a client does not send it to
    /// the proxy. A domain has no port (RFC 6265 §4.1.2.3).
    pub(super) fn is_domain_of(&self, cookie: &HeaderValue) -> bool {
        let cookie = String::from_utf8_lossy(cookie.as_bytes());
        let attributes = cookie.split(';').skip(1);
        attributes
            .filter_map(|attribute| attribute.split_once('='))
            .any(|(name, value)| {
                let domain = value.trim().trim_start_matches('.');
                name.trim().eq_ignore_ascii_case("domain")
                    && domain.eq_ignore_ascii_case(&self.host)
            })
    }
}

/// A text that should be an origin, without what may be a password in it.
fn without_user(origin: &str) -> String {
    let (scheme, rest) = origin.split_once("://").unwrap_or(("", origin));
    match rest.rsplit_once('@') {
        None => origin.to_owned(),
        Some((_, rest)) => format!("{scheme}://…@{rest}"),
    }
}

impl fmt::Display for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        write!(f, "{scheme}://{}", self.authority)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(origin: &str, allowed: &[&str]) -> String {
        let allowed: Vec<_> = allowed.iter().map(|name| (*name).to_owned()).collect();
        let refused = Upstream::new(origin, &allowed);
        refused.map_or_else(|error| error.to_string(), |upstream| upstream.to_string())
    }

    #[test]
    fn only_an_origin_is_an_upstream() {
        for origin in [
            "http://127.0.0.1:9000",
            "http://localhost",
            "http://[::1]:1/",
            "https://127.0.0.1",
            "https://localhost:65535",
        ] {
            assert!(Upstream::new(origin, &[]).is_ok(), "{origin}");
        }
        for origin in [
            "",
            "127.0.0.1:9000",
            "ftp://127.0.0.1",
            "http://127.0.0.1/api",
            "http://127.0.0.1/?x",
        ] {
            let expected = format!("'{origin}' is not an origin");
            assert!(error(origin, &[]).contains(&expected), "{origin}");
        }
        let shown = error("http://user:PW@127.0.0.1:1", &[]);
        assert!(
            shown.starts_with("'http://…@127.0.0.1:1' is not"),
            "{shown}"
        );
    }

    #[test]
    fn a_port_is_a_number_from_1_to_65535() {
        for port in ["0", "65536", "99999", "", "+80", "8o"] {
            let shown = error(&format!("http://127.0.0.1:{port}"), &[]);
            assert!(!shown.starts_with("http"), "{port} {shown}");
        }
        let port = |origin: &str| Upstream::new(origin, &[]).expect("an origin").port;
        assert_eq!(port("http://127.0.0.1"), 80);
        assert_eq!(port("https://127.0.0.1"), 443);
        assert_eq!(port("http://[::1]:00081"), 81);
    }

    #[test]
    fn another_machine_has_to_be_allowed_by_its_name() {
        let origin = "http://staging.example:81";

        for allowed in [&[][..], &["example"]] {
            let shown = error(origin, allowed);
            assert!(shown.contains("--allow-host staging.example"), "{shown}");
        }
        let allowed = Upstream::new(origin, &["Staging.Example".to_owned()]);
        let allowed = allowed.expect("allowed");
        assert_eq!(allowed.address(), "staging.example:81");
        assert_eq!(allowed.to_string(), origin);
    }
}
