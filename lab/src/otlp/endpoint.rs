//! Where traces are sent, by the rules of OpenTelemetry's exporter specification
//! (<https://opentelemetry.io/docs/specs/otel/protocol/exporter/>).

use std::{fmt, sync::Arc, time::Duration};

use client::{FailureKind, RetryMiddleware};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use metrics::NoopRecorder;
use percent_encoding::percent_decode_str;
use reqwest::{Response, Url};
use reqwest_middleware::{ClientBuilder, ClientWithMiddleware};
use reqwest_retry::{Retryable, RetryableStrategy};

use crate::http_client;

/// The base address of a receiver; `/v1/traces` is appended.
const ENDPOINT_VARIABLE: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
/// The address for traces, used as it is. It takes precedence over the base address.
const TRACES_ENDPOINT_VARIABLE: &str = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
/// The headers to send along; those for traces take precedence.
const HEADERS_VARIABLES: [&str; 2] = [
    "OTEL_EXPORTER_OTLP_HEADERS",
    "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
];
/// The option that takes precedence over both addresses: a base address.
const OPTION: &str = "--otlp";

/// How long an export may take, with all its attempts and waits.
const DEADLINE: Duration = Duration::from_secs(10);
/// How long a receiver may take for one attempt.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(3);
/// How often an export is tried. With the longest backoffs, this many take three seconds.
const MAX_ATTEMPTS: u32 = 5;
/// The longest response that is read, in bytes: a partial success is a sentence.
const MAX_BODY: usize = 64 * 1024;

/// An OTLP/HTTP receiver of traces.
///
/// It displays as host and port only, because its path, its query and its headers may hold a
/// token.
#[derive(Clone)]
pub struct Endpoint {
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    pub(super) http: ClientWithMiddleware,
}

/// An invalid address or header. The text says where it came from and the rule that it breaks,
/// and shows of an address only what cannot be a secret.
#[derive(Debug, thiserror::Error)]
#[error("invalid {origin}{}: {rule}", .shown.as_ref().map_or(String::new(), |shown| format!(" '{shown}'")))]
pub struct InvalidEndpoint {
    origin: &'static str,
    shown: Option<String>,
    rule: String,
}

impl Endpoint {
    /// The configured endpoint: the value of the option if it is given, else the value in the
    /// environment, else none. `variable` reads an environment variable; an empty one counts as
    /// unset.
    ///
    /// # Errors
    ///
    /// [`InvalidEndpoint`] if the address that takes precedence or a header is invalid.
    pub fn choose(
        option: Option<&str>,
        variable: impl Fn(&'static str) -> Option<String>,
    ) -> Result<Option<Self>, InvalidEndpoint> {
        let set = |name| variable(name).filter(|value| !value.is_empty());
        let variables = [TRACES_ENDPOINT_VARIABLE, ENDPOINT_VARIABLE];
        let mut given = variables
            .into_iter()
            .filter_map(|name| Some((name, set(name)?)));
        let chosen = option.map(|base| (OPTION, base.to_owned()));
        let Some((origin, text)) = chosen.or_else(|| given.next()) else {
            return Ok(None);
        };
        let url = address(origin, &text)?;
        let mut headers = HeaderMap::new();
        for name in HEADERS_VARIABLES {
            headers.extend(self::headers(name, &set(name).unwrap_or_default())?);
        }
        let http = http(&url, DEADLINE).map_err(|error| InvalidEndpoint {
            origin,
            shown: None,
            rule: format!("the HTTP client could not be set up: {error}"),
        })?;
        Ok(Some(Self { url, headers, http }))
    }

    /// The same, with another deadline.
    #[cfg(test)]
    pub(crate) fn within(self, deadline: Duration) -> Self {
        let http = http(&self.url, deadline).expect("it was valid before");
        Self { http, ..self }
    }
}

/// The results after which OTLP/HTTP allows a retry: four statuses, and failures on the way.
struct Retried;

impl RetryableStrategy for Retried {
    fn handle(&self, result: &reqwest_middleware::Result<Response>) -> Option<Retryable> {
        match result.as_ref().map(Response::status) {
            Ok(
                StatusCode::TOO_MANY_REQUESTS
                | StatusCode::BAD_GATEWAY
                | StatusCode::SERVICE_UNAVAILABLE
                | StatusCode::GATEWAY_TIMEOUT,
            ) => Some(Retryable::Transient),
            Ok(_) => None,
            Err(error) if FailureKind::of(error).is_transient() => Some(Retryable::Transient),
            Err(_) => None,
        }
    }
}

/// A client with the waits of the reference client and no counters.
fn http(url: &Url, deadline: Duration) -> reqwest::Result<ClientWithMiddleware> {
    let session = if url.scheme() == "https" {
        http_client::builder()
    } else {
        http_client::plain_builder()
    };
    let session = session.timeout(ATTEMPT_TIMEOUT).build()?;
    let retry = RetryMiddleware::new()
        .max_attempts(MAX_ATTEMPTS)
        .max_retry_after(deadline)
        .deadline(deadline)
        .max_body_bytes(MAX_BODY)
        .strategy(Retried)
        .recorder(Arc::new(NoopRecorder));
    Ok(ClientBuilder::new(session).with(retry).build())
}

/// The address for traces in a text, which is a base address unless it is for traces only.
fn address(origin: &'static str, text: &str) -> Result<Url, InvalidEndpoint> {
    let broken = |rule: &str| {
        Err(InvalidEndpoint {
            origin,
            shown: Some(without_secrets(text)),
            rule: rule.to_owned(),
        })
    };
    let Ok(mut url) = Url::parse(text) else {
        return broken("it must be a URL, such as http://127.0.0.1:4318");
    };
    if !matches!(url.scheme(), "http" | "https") {
        return broken("it must start with http:// or https://");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return broken(
            "it must not contain a user name or password; OTEL_EXPORTER_OTLP_HEADERS may",
        );
    }
    if url.fragment().is_some() {
        return broken("a fragment is never sent");
    }
    if origin != TRACES_ENDPOINT_VARIABLE {
        if url.query().is_some() {
            return broken("it must not have a query, because /v1/traces is appended");
        }
        // Every http or https URL has a path that can be extended.
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(["v1", "traces"]);
        }
    }
    Ok(url)
}

/// The part of an address that may be shown: the text before an `@` or after a `?` may be a
/// secret.
fn without_secrets(text: &str) -> String {
    let (before, rest) = match text.rsplit_once('@') {
        Some((_, host)) => ("…@", host),
        None => ("", text),
    };
    match rest.split_once('?') {
        Some((address, _)) => format!("{before}{address}?…"),
        None => format!("{before}{rest}"),
    }
}

/// The headers in a variable: `name=value,…`, with values that are percent-encoded.
fn headers(origin: &'static str, text: &str) -> Result<HeaderMap, InvalidEndpoint> {
    let pairs = text.split(',').filter(|pair| !pair.trim().is_empty());
    let read = |pair: &str| {
        let (name, value) = pair.split_once('=')?;
        let value: Vec<u8> = percent_decode_str(value.trim()).collect();
        let mut value = HeaderValue::from_bytes(&value).ok()?;
        value.set_sensitive(true);
        Some((name.trim().parse::<HeaderName>().ok()?, value))
    };
    let read: Option<HeaderMap> = pairs.map(read).collect();
    read.ok_or_else(|| InvalidEndpoint {
        origin,
        shown: None,
        rule: "it must be a list of NAME=VALUE, separated by commas".to_owned(),
    })
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.url.host_str().unwrap_or_default())?;
        match self.url.port_or_known_default() {
            Some(port) => write!(f, ":{port}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Endpoint({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(
        option: Option<&str>,
        variables: &[(&str, &str)],
    ) -> Result<Option<Endpoint>, InvalidEndpoint> {
        Endpoint::choose(option, |name| {
            let set = variables.iter().find(|(known, _)| *known == name);
            set.map(|(_, value)| (*value).to_owned())
        })
    }

    fn address(option: Option<&str>, variables: &[(&str, &str)]) -> String {
        let endpoint = choose(option, variables).expect("valid").expect("chosen");
        endpoint.url.to_string()
    }

    #[test]
    fn the_path_is_appended_to_a_base_address() {
        for (base, expected) in [
            ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"),
            ("http://127.0.0.1:4318/", "http://127.0.0.1:4318/v1/traces"),
            ("http://host/otlp", "http://host/otlp/v1/traces"),
            ("http://host/otlp/", "http://host/otlp/v1/traces"),
        ] {
            assert_eq!(address(Some(base), &[]), expected);
            assert_eq!(address(None, &[(ENDPOINT_VARIABLE, base)]), expected);
        }
    }

    #[test]
    fn the_option_precedes_the_variable_for_traces_and_that_the_base_address() {
        let base = (ENDPOINT_VARIABLE, "http://base:1");
        let traces = (TRACES_ENDPOINT_VARIABLE, "http://traces:1/in/as?it=is");
        // An empty variable counts as unset.
        let empty = (TRACES_ENDPOINT_VARIABLE, "");
        for (option, variables, expected) in [
            (None, &[base][..], "http://base:1/v1/traces"),
            (None, &[base, traces], "http://traces:1/in/as?it=is"),
            (None, &[empty, base], "http://base:1/v1/traces"),
            (
                Some("http://option:1"),
                &[base, traces],
                "http://option:1/v1/traces",
            ),
        ] {
            assert_eq!(address(option, variables), expected);
        }

        assert!(choose(None, &[empty]).expect("valid").is_none());
    }

    #[test]
    fn an_invalid_address_is_refused_with_the_rule_and_without_secrets() {
        for (base, shown, rule) in [
            ("", "''", "it must be a URL"),
            ("127.0.0.1:4318", "'127.0.0.1:4318'", "it must be a URL"),
            ("localhost:4318", "'localhost:4318'", "http:// or https://"),
            ("ftp://host", "'ftp://host'", "http:// or https://"),
            ("http://me:SECRET@host", "'…@host'", "user name or password"),
            ("me:SECRET@host", "'…@host'", "http:// or https://"),
            ("http://host?SECRET", "'http://host?…'", "a query"),
            ("http://host#part", "'http://host#part'", "a fragment"),
        ] {
            let error = choose(Some(base), &[]).expect_err(base);

            let text = error.to_string();
            assert!(
                text.starts_with(&format!("invalid --otlp {shown}: ")) && text.contains(rule),
                "{text}"
            );
            assert!(!format!("{error:?}").contains("SECRET"), "{error:?}");
        }
    }

    #[test]
    fn headers_are_decoded_and_those_for_traces_take_precedence() {
        let [general, traces] = HEADERS_VARIABLES;
        let variables = [
            (general, "x-scope=one, authorization=Basic%20U0VDUkVU,"),
            (traces, "x-scope = two"),
        ];

        let endpoint = choose(Some("http://host"), &variables);

        let endpoint = endpoint.expect("valid").expect("chosen");
        assert_eq!(endpoint.headers["x-scope"], "two");
        assert_eq!(endpoint.headers["authorization"], "Basic U0VDUkVU");
        assert_eq!(endpoint.headers.len(), 2);
    }

    #[test]
    fn nothing_that_is_printed_has_a_header_a_path_or_a_query() {
        let url = "http://host/SECRET?key=SECRET";
        for headers in ["x=SECRET", "SECRET", "x y=SECRET", "x=SECRET%0A"] {
            let variables = [
                (TRACES_ENDPOINT_VARIABLE, url),
                (HEADERS_VARIABLES[0], headers),
            ];

            let printed = match choose(None, &variables) {
                Ok(endpoint) => {
                    let endpoint = endpoint.expect("chosen");
                    assert_eq!(endpoint.to_string(), "host:80");
                    format!("{endpoint:?}")
                }
                Err(error) => format!("{error} {error:?}"),
            };
            assert!(!printed.contains("SECRET"), "{printed}");
        }
    }
}
