//! Blocks requests from other web sites.
//!
//! Every page that the user has open can reach a server on loopback. A site may point its
//! own name at 127.0.0.1 (DNS rebinding), so the `Host` must be a name of loopback. It
//! may send a form or a `fetch` across sites, so requests that change something must come
//! from the web UI itself. It may also frame or embed responses that it cannot read, so
//! the headers of every response say what the page may load and which sites may load it.

use axum::{
    extract::Request,
    middleware::Next,
    response::{IntoResponse, Response},
};
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri,
    header::{CONTENT_SECURITY_POLICY, HOST, ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS},
};

use host::admission::{SEC_FETCH_SITE, is_loopback, single_str};

use super::problem::Problem;

/// The security headers of every response.
const SHIELD: [(HeaderName, &str); 5] = [
    (
        CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
         connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    ),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "same-origin"),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
];

/// The middleware for all routes of the web UI.
pub(crate) async fn guard(request: Request, next: Next) -> Response {
    let mut response = match admit(request.method(), request.uri(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    };
    for (name, value) in SHIELD {
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    response
}

fn admit(method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<(), Problem> {
    let host = single_str(headers, &HOST).filter(|host| is_loopback(host));
    // An absolute request target replaces the Host header (RFC 9112 §3.2.2), so the same
    // rule applies to it.
    let target = uri
        .authority()
        .is_none_or(|target| is_loopback(target.as_str()));
    let Some(host) = host.filter(|_| target) else {
        let detail = "the lab responds only to loopback names: 127.0.0.1, localhost, [::1]";
        let status = StatusCode::MISDIRECTED_REQUEST;
        return Err(Problem::new(status, "host_not_allowed", detail));
    };
    if method.is_safe() || is_own(host, headers) {
        return Ok(());
    }
    let detail = "only the lab's own page may change state";
    Err(Problem::new(StatusCode::FORBIDDEN, "cross_origin", detail))
}

/// Whether the request comes from the web UI, or from the user directly. If the browser
/// sends `Sec-Fetch-Site` (Fetch Metadata), it decides; for an older browser the `Origin`
/// must be that of the web UI.
fn is_own(host: &str, headers: &HeaderMap) -> bool {
    if headers.contains_key(SEC_FETCH_SITE) {
        return is_not_foreign(headers);
    }
    let origin = single_str(headers, &ORIGIN).and_then(|origin| origin.strip_prefix("http://"));
    origin.is_some_and(|origin| origin.eq_ignore_ascii_case(host))
}

/// Whether no browser marks a request as one of another site. A GET that remembers something or
/// costs something asks for that; a program sends no such mark.
pub(crate) fn is_not_foreign(headers: &HeaderMap) -> bool {
    let site = single_str(headers, &SEC_FETCH_SITE);
    !headers.contains_key(SEC_FETCH_SITE) || matches!(site, Some("same-origin" | "none"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(method: &Method, uri: &str, headers: &[(&str, &str)]) -> Option<StatusCode> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name = HeaderName::try_from(*name).expect("a name");
            map.append(name, HeaderValue::from_str(value).expect("a value"));
        }
        let uri = uri.parse().expect("a target");
        let refusal = admit(method, &uri, &map).err()?;
        Some(refusal.into_response().status())
    }

    #[test]
    fn exactly_one_host_header_with_a_loopback_name_is_allowed() {
        assert_eq!(status(&Method::GET, "/", &[("host", "[::1]:8766")]), None);

        let misdirected = Some(StatusCode::MISDIRECTED_REQUEST);
        let host = [("host", "localhost.evil.example")];
        assert_eq!(status(&Method::GET, "/", &host), misdirected);
        assert_eq!(status(&Method::GET, "/", &[]), misdirected);
        let twice = [("host", "localhost"), ("host", "localhost")];
        assert_eq!(status(&Method::GET, "/", &twice), misdirected);
        let absolute = "http://evil.example/";
        assert_eq!(
            status(&Method::GET, absolute, &[("host", "localhost")]),
            misdirected
        );
    }

    #[test]
    fn only_requests_from_the_page_may_change_state() {
        let allowed = [
            "sec-fetch-site: same-origin",
            "sec-fetch-site: none",
            "origin: http://localhost:8766",
            "origin: http://LOCALHOST:8766",
        ];
        let refused = [
            "sec-fetch-site: cross-site",
            "sec-fetch-site: same-site",
            "sec-fetch-site: ",
            "sec-fetch-site: same-origin, sec-fetch-site: none",
            "",
            "origin: null",
            "origin: ",
            "origin: https://localhost:8766",
            "origin: http://localhost:8765",
            "origin: http://localhost",
            "origin: http://127.0.0.1:8766",
            "origin: http://evil.example",
            "origin: http://localhost:8766.evil.example",
            "origin: http://localhost:8766, sec-fetch-site: cross-site",
            "referer: http://localhost:8766/",
        ];
        let allowed = allowed.map(|headers| (headers, None));
        let refused = refused.map(|headers| (headers, Some(StatusCode::FORBIDDEN)));
        for (words, expected) in allowed.into_iter().chain(refused) {
            let given = words
                .split(", ")
                .filter_map(|header| header.split_once(": "));
            let headers: Vec<_> = given.chain([("host", "localhost:8766")]).collect();

            assert_eq!(status(&Method::GET, "/", &headers), None, "{words}");
            for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
                assert_eq!(status(&method, "/", &headers), expected, "{method} {words}");
            }
        }
    }
}
