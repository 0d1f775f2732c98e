//! The defence of a server on loopback against the web sites that its user has open.
//!
//! Such a server is within reach of any page: a site may send a request across sites,
//! and it may point a name of its own at 127.0.0.1 (DNS rebinding). `Sec-Fetch-Site`
//! shows the first (<https://www.w3.org/TR/fetch-metadata/>), and where a browser does not
//! send it, as with the handshake of a WebSocket, `Origin` does; `Host` shows the second.
//! This module reads them; each server decides what follows.

use http::{HeaderMap, HeaderName, HeaderValue};

use wire::header_lines::single;

/// How the page that made a request stands to the server: `same-origin`, `same-site`,
/// `cross-site`, or `none` if a person did. Browsers send it, and pages cannot.
pub const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Whether this is a name of loopback, with or without a port: `127.0.0.1`,
/// `localhost` or `[::1]`.
#[must_use]
pub fn is_loopback(authority: &str) -> bool {
    loopback(authority).is_some()
}

/// The name of loopback in an authority, and the port: that of HTTP if it has none.
pub(crate) fn loopback(authority: &str) -> Option<(&'static str, u16)> {
    const NAMES: [(&str, &str); 3] = [
        ("127.0.0.1", "127.0.0.1"),
        ("localhost", "localhost"),
        ("[::1]", "::1"),
    ];
    let mut names = NAMES.iter();
    names.find_map(|(name, bare)| Some((*bare, port_of(authority, name)?)))
}

/// Whether this is the `Origin` of a page on loopback. `null` is not: any site can have it
/// sent, from a sandboxed frame.
#[must_use]
pub fn is_loopback_origin(origin: &HeaderValue) -> bool {
    let origin = origin
        .to_str()
        .ok()
        .and_then(|origin| origin.split_once("://"));
    origin.is_some_and(|(scheme, authority)| {
        matches!(scheme, "http" | "https") && is_loopback(authority)
    })
}

/// The value of a header that stands there exactly once, if it is visible ASCII.
#[must_use]
pub fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    single(headers, name)?.to_str().ok()
}

/// Whether this is that name, with or without a valid port.
#[must_use]
pub fn is_named(authority: &str, name: &str) -> bool {
    port_of(authority, name).is_some()
}

/// The port of an authority of that name: digits up to 65535, or that of HTTP if there are
/// none (RFC 3986 §3.2.3).
fn port_of(authority: &str, name: &str) -> Option<u16> {
    let (host, port) = authority.split_at_checked(name.len())?;
    if !host.eq_ignore_ascii_case(name) {
        return None;
    }
    match port.strip_prefix(':').unwrap_or(port) {
        "" => Some(80),
        digits if digits.len() < port.len() && !digits.starts_with('+') => digits.parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use testkit::nearly;

    use super::{is_loopback, loopback};

    #[test]
    fn no_other_name_is_loopback() {
        let others = "|:8765|evil.example|evil.example:8765|127.0.0.1.evil.example|127.0.0.2|\
            localhost.evil.example|127.0.0.1.nip.io|localhost.|127.1|0.0.0.0|2130706433|[::]|::1|\
            [::1|[::ffff:127.0.0.1]|localhost:80:80|localhost:65536|localhost:99999|localhost:x|\
            user@localhost|localhost@evil.example|localhost, evil.example| localhost|\
            192.168.0.1:8765|host.docker.internal";
        for authority in others.split('|') {
            assert!(!is_loopback(authority), "{authority:?}");
        }
    }

    proptest! {
        /// Of all that resembles one, the three names with a port or without it pass, and
        /// nothing else: no other host, no user, no second port.
        #[test]
        fn nothing_passes_but_a_name_and_a_port(
            text in nearly(
                "(127\\.0\\.0\\.1|localhost|\\[::1\\])(:[0-9]{0,5})?",
                &["", ":", ".", "@", "0", "L", " ", "/", ",", "[", "\u{212a}", "\u{660}"],
            ),
        ) {
            let lower = text.to_ascii_lowercase();
            let names = ["127.0.0.1", "localhost", "[::1]"];
            let rest = names.iter().find_map(|name| lower.strip_prefix(name));
            let is_port = |rest: &str| {
                let port = rest.strip_prefix(':');
                port.is_some_and(|port| {
                    port.chars().all(|sign| sign.is_ascii_digit())
                        && format!("0{port}").parse::<u32>().is_ok_and(|port| port < 65_536)
                })
            };

            let is_one = rest.is_some_and(|rest| rest.is_empty() || is_port(rest));
            prop_assert_eq!(is_loopback(&text), is_one);
            if let Some((name, port)) = loopback(&text) {
                let given = rest.and_then(|rest| rest.strip_prefix(':')?.parse().ok());
                prop_assert_eq!(port, given.unwrap_or(80));
                let name = name.replace("::1", "[::1]");
                prop_assert!(lower.starts_with(&name), "{name}");
            }
        }
    }
}
