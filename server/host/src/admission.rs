//! The admission of requests to the router. A request that is not admitted is refused at
//! its connection. It does not reach a lesson, and the ledger only counts it by reason.
//!
//! Two rules keep out the web sites that the user has open, since a server on loopback is
//! within reach of any page. They could otherwise use up the failures of `/flaky` or create
//! jobs during a lesson:
//!
//! - The `Host` must be a name of loopback, since a site may point a name of its own at
//!   127.0.0.1 (DNS rebinding).
//! - A request is refused, whatever its method, if a browser marks it as cross-site
//!   (`Sec-Fetch-Site`, <https://www.w3.org/TR/fetch-metadata/>) or if its `Origin` is not on
//!   loopback. The handshake of a WebSocket has only an `Origin`.
//!
//! A request without both headers is admitted: `curl` and HTTP clients send neither.
//!
//! The web UI and the judging proxy read the same headers with the functions of this module,
//! and decide for themselves.

use std::convert::Infallible;

use axum::Router;
use axum::body::Body;
use axum::response::Response;
use http::header::{CONTENT_LENGTH, HOST, ORIGIN};
use http::uri::Authority;
use http::{HeaderMap, HeaderName, HeaderValue, Request, StatusCode, Uri, Version};
use hyper::service::{Service, service_fn};
use tower::Service as _;
use wire::header_lines::single;

use crate::metrics_sink::METRICS_PATH;
use crate::problem::{self, Problem};
use crate::state::HostState;

/// By this name a container reaches the machine that it runs on, for a Prometheus in
/// Docker Desktop to scrape the lab.
const DOCKER_HOST: &str = "host.docker.internal";

/// The router behind the rules of admission. The rules are here and not in the router,
/// since a lab may call the router without any connection.
pub(crate) fn admitting(
    router: Router,
    state: HostState,
) -> impl Service<Request<Body>, Response = Response, Error = Infallible, Future: Future + Send> + Send
{
    service_fn(move |request: Request<Body>| {
        let admitted = admit(request.version(), request.uri(), request.headers());
        let (mut router, state) = (router.clone(), state.clone());
        async move {
            match admitted {
                Ok(()) => router.call(request).await.map(without_length_of_nothing),
                Err(problem) => Ok(refuse(problem, &state)),
            }
        }
    })
}

/// The response to a request that is not admitted. It is counted by its reason alone.
fn refuse(problem: Problem, state: &HostState) -> Response {
    let arrived = state.now();
    state.ledger.lock().refused(problem);
    let refusal = problem::refuse(problem, &state.request_ids.make());
    let took = state.now().saturating_sub(arrived);
    state.instruments.count_refused(problem.status, took);
    refusal
}

/// Takes away the length that axum gives to every body that it knows. A 204 must
/// not have one (RFC 9110 §8.6); hyper sees to that for GET, and not for HEAD.
fn without_length_of_nothing(mut response: Response) -> Response {
    if response.status() == StatusCode::NO_CONTENT {
        response.headers_mut().remove(CONTENT_LENGTH);
    }
    response
}

/// Whether a request is admitted to the router, and the problem of its response if not.
pub(crate) fn admit(version: Version, uri: &Uri, headers: &HeaderMap) -> Result<(), Problem> {
    let serves = |host: &str| serves(host, uri);
    admit_from(version, uri, headers, serves, is_loopback_origin)
}

/// The same, under these names and of pages of these origins.
///
/// # Errors
///
/// The problem of the response, if the request is not admitted.
pub fn admit_from(
    version: Version,
    uri: &Uri,
    headers: &HeaderMap,
    serves: impl Fn(&str) -> bool,
    is_admitted: impl Fn(&HeaderValue) -> bool,
) -> Result<(), Problem> {
    if let Some(host) = host(version, headers)?
        && !serves(host)
    {
        return Err(if is_host(host) {
            Problem::HOST_NOT_ALLOWED
        } else {
            Problem::INVALID_HOST
        });
    }
    // An absolute request target replaces the Host header (RFC 9112
    // §3.2.2), so the same rule applies.
    if let Some(target) = uri.authority()
        && !serves(target.as_str())
    {
        return Err(Problem::HOST_NOT_ALLOWED);
    }
    let is_foreign = |(name, value): (&HeaderName, &HeaderValue)| {
        name == SEC_FETCH_SITE && value.as_bytes().eq_ignore_ascii_case(b"cross-site")
            || name == ORIGIN && !is_admitted(value)
    };
    if headers.iter().any(is_foreign) {
        Err(Problem::CROSS_SITE)
    } else {
        Ok(())
    }
}

/// The one `Host` of a request. HTTP/1.0 may have none (RFC 9112 §3.2); hyper
/// leaves the rule to its caller.
fn host(version: Version, headers: &HeaderMap) -> Result<Option<&str>, Problem> {
    if version < Version::HTTP_11 && !headers.contains_key(HOST) {
        return Ok(None);
    }
    single_str(headers, &HOST)
        .map(Some)
        .ok_or(Problem::INVALID_HOST)
}

/// Whether this is an authority without a user, which a host may not have.
fn is_host(text: &str) -> bool {
    !text.contains('@') && Authority::try_from(text).is_ok()
}

/// Whether the path is served under this name.
fn serves(host: &str, uri: &Uri) -> bool {
    is_loopback(host) || (uri.path() == METRICS_PATH && is_named(host, DOCKER_HOST))
}

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
pub fn single_str<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
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

    use super::*;

    const LOCALHOST: (&str, &str) = ("host", "localhost:8765");

    fn refusal(version: Version, uri: &str, headers: &[(&str, &str)]) -> Option<Problem> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name = HeaderName::try_from(*name).unwrap();
            map.append(name, HeaderValue::from_str(value).unwrap());
        }
        admit(version, &uri.parse().unwrap(), &map).err()
    }

    #[test]
    fn http_1_1_asks_for_exactly_one_host() {
        for hosts in [
            &[][..],
            &["localhost", "localhost"],
            &[""],
            &["user@localhost"],
            &["local host"],
            &["localhost/items"],
            &["localhost, localhost"],
        ] {
            let hosts: Vec<_> = hosts.iter().map(|host| ("host", *host)).collect();

            let refusal = refusal(Version::HTTP_11, "/items", &hosts);

            assert_eq!(refusal, Some(Problem::INVALID_HOST), "{hosts:?}");
        }
        assert_eq!(refusal(Version::HTTP_11, "/items", &[LOCALHOST]), None);
    }

    #[test]
    fn http_1_0_may_have_no_host_and_not_two() {
        let refusal = |headers| refusal(Version::HTTP_10, "/items", headers);

        assert_eq!(refusal(&[]), None);
        assert_eq!(refusal(&[LOCALHOST]), None);
        let two = refusal(&[LOCALHOST, LOCALHOST]);
        assert_eq!(two, Some(Problem::INVALID_HOST));
    }

    #[test]
    fn only_the_names_of_loopback_are_served() {
        let rebound = [("host", "evil.example:8765")];
        let not_allowed = Some(Problem::HOST_NOT_ALLOWED);

        for version in [Version::HTTP_10, Version::HTTP_11] {
            for uri in ["/items", "/metrics", "http://localhost/items"] {
                assert_eq!(refusal(version, uri, &rebound), not_allowed, "{uri}");
            }
            let absolute = "http://evil.example/items";
            assert_eq!(refusal(version, absolute, &[LOCALHOST]), not_allowed);
        }
        let absolute = "http://127.0.0.1:8765/items";
        assert_eq!(refusal(Version::HTTP_11, absolute, &[LOCALHOST]), None);
    }

    #[test]
    fn docker_may_scrape_and_nothing_else() {
        for name in ["127.0.0.1", "localhost", "[::1]", DOCKER_HOST] {
            let told = Problem::HOST_NOT_ALLOWED.detail;
            assert!(
                told.contains(name),
                "{name} is served and not named: {told}"
            );
        }
        for host in ["host.docker.internal:8765", "Host.Docker.Internal"] {
            let refusal = |uri| refusal(Version::HTTP_11, uri, &[("host", host)]);

            assert_eq!(refusal("/metrics"), None, "{host}");
            assert_eq!(refusal("/metrics?name=x"), None, "{host}");
            for uri in ["/items", "/metrics/", "/jobs?/metrics"] {
                assert_eq!(refusal(uri), Some(Problem::HOST_NOT_ALLOWED), "{uri}");
            }
        }
    }

    #[test]
    fn a_request_of_another_site_is_refused() {
        let of = |headers: &[(&str, &str)]| {
            let headers = [&[LOCALHOST], headers].concat();
            refusal(Version::HTTP_11, "/flaky", &headers)
        };
        let site = |site| ("sec-fetch-site", site);

        for headers in [
            &[][..],
            &[site("same-origin")],
            &[site("same-site")],
            &[site("none")],
            &[("origin", "http://localhost:8766")],
            &[("origin", "https://127.0.0.1")],
            &[("referer", "http://evil.example/")],
        ] {
            assert_eq!(of(headers), None, "{headers:?}");
        }
        for headers in [
            &[site("cross-site")][..],
            &[site("Cross-Site")],
            &[site("same-origin"), site("cross-site")],
            &[site("cross-site"), ("origin", "http://localhost:8765")],
            &[site("same-site"), ("origin", "http://evil.example")],
            &[("origin", "http://evil.example")],
            &[("origin", "null")],
            &[("origin", "")],
            &[("origin", "localhost:8765")],
            &[("origin", "file://localhost")],
            &[("origin", "http://localhost.evil.example")],
            &[("origin", "http://localhost:8765@evil.example")],
            &[("origin", "http://localhost"), ("origin", "null")],
            &[("upgrade", "websocket"), ("origin", "http://evil.example")],
        ] {
            assert_eq!(of(headers), Some(Problem::CROSS_SITE), "{headers:?}");
        }
    }

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
