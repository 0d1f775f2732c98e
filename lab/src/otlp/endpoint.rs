//! The address of an export, by the rules of OpenTelemetry's exporter specification
//! (<https://opentelemetry.io/docs/specs/otel/protocol/exporter/>).

use std::{fmt, time::Duration};

use reqwest::Url;

/// The base address of a receiver; `/v1/traces` is appended.
const ENDPOINT_VARIABLE: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
/// The address for traces, used as it is. It takes precedence over the base address.
const TRACES_ENDPOINT_VARIABLE: &str = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";

/// The deadline of an export in milliseconds, first that for traces.
const TIMEOUT_VARIABLES: [&str; 2] = [
    "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT",
    "OTEL_EXPORTER_OTLP_TIMEOUT",
];

/// Turns exports off if it is `true`.
const DISABLED_VARIABLE: &str = "OTEL_SDK_DISABLED";

/// The default deadline of an export, which OpenTelemetry defines.
const DEADLINE: Duration = Duration::from_secs(10);

/// The standard variables of which the lab supports these values only; without any, it
/// supports none. A request that it cannot fulfil is an error, and not a surprise.
const LIMITED: [(&str, &[&str]); 12] = [
    ("OTEL_TRACES_EXPORTER", &["otlp"]),
    (
        "OTEL_TRACES_SAMPLER",
        &["always_on", "parentbased_always_on"],
    ),
    ("OTEL_EXPORTER_OTLP_PROTOCOL", &["http/protobuf"]),
    ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", &["http/protobuf"]),
    ("OTEL_EXPORTER_OTLP_COMPRESSION", &["none"]),
    ("OTEL_EXPORTER_OTLP_TRACES_COMPRESSION", &["none"]),
    ("OTEL_EXPORTER_OTLP_CERTIFICATE", &[]),
    ("OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE", &[]),
    ("OTEL_EXPORTER_OTLP_CLIENT_KEY", &[]),
    ("OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY", &[]),
    ("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", &[]),
    ("OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE", &[]),
];

/// The option that takes precedence over both variables: a base address, as in
/// [`ENDPOINT_VARIABLE`].
const OPTION: &str = "--otlp";

/// The address at which an OTLP/HTTP receiver takes traces.
///
/// It displays as host and port only, because its path or its query may hold a token.
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The whole address, for the request.
    pub(super) url: Url,
    /// How long an export may take, with all its attempts.
    pub(super) deadline: Duration,
}

/// An invalid address. The text says where it came from, its value and the rule that it
/// breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid {origin} '{value}': {rule}")]
pub struct InvalidEndpoint {
    origin: &'static str,
    value: String,
    rule: &'static str,
}

impl Endpoint {
    /// The configured endpoint: the value of the option if it is given, else the value in
    /// the environment, else none. `variable` reads an environment variable; an empty one
    /// counts as unset.
    ///
    /// # Errors
    ///
    /// [`InvalidEndpoint`] if the value that takes precedence is not a valid address, or if
    /// a standard variable asks for something that the lab does not support.
    pub fn choose(
        option: Option<&str>,
        variable: impl Fn(&'static str) -> Option<String>,
    ) -> Result<Option<Self>, InvalidEndpoint> {
        let set = |name| variable(name).filter(|value| !value.is_empty());
        let (origin, text) = if let Some(base) = option {
            (OPTION, base.to_owned())
        } else if let Some(url) = set(TRACES_ENDPOINT_VARIABLE) {
            (TRACES_ENDPOINT_VARIABLE, url)
        } else if let Some(base) = set(ENDPOINT_VARIABLE) {
            (ENDPOINT_VARIABLE, base)
        } else {
            return Ok(None);
        };
        let url = address(origin, &text)?;
        let mut deadline = DEADLINE;
        if let Some(disabled) = set(DISABLED_VARIABLE)
            && disabled.eq_ignore_ascii_case("true")
        {
            return match option {
                None => Ok(None),
                Some(_) => Err(InvalidEndpoint::new(
                    DISABLED_VARIABLE,
                    &disabled,
                    "--otlp asks for an export",
                )),
            };
        }
        for (name, supported) in LIMITED {
            if let Some(value) = set(name)
                && !supported.contains(&value.as_str())
            {
                let rule = "the lab does not support it; unset the variable";
                return Err(InvalidEndpoint::new(name, &value, rule));
            }
        }
        for name in TIMEOUT_VARIABLES {
            if let Some(text) = set(name) {
                let millis = text.parse().ok().filter(|millis| *millis > 0);
                let rule = "it must be a whole number of milliseconds above 0";
                let millis = millis.ok_or_else(|| InvalidEndpoint::new(name, &text, rule))?;
                deadline = Duration::from_millis(millis);
                break;
            }
        }
        Ok(Some(Self { url, deadline }))
    }

    pub(super) fn is_https(&self) -> bool {
        self.url.scheme() == "https"
    }
}

/// The address for traces in a text, which is a base address unless it is for traces only.
fn address(origin: &'static str, text: &str) -> Result<Url, InvalidEndpoint> {
    let broken = |rule| Err(InvalidEndpoint::new(origin, text, rule));
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

impl InvalidEndpoint {
    /// Keeps only the part of the value that may be shown: the text before an `@` or
    /// after a `?` may be a secret.
    fn new(origin: &'static str, value: &str, rule: &'static str) -> Self {
        let (before, value) = match value.rsplit_once('@') {
            Some((_, host)) => ("…@", host),
            None => ("", value),
        };
        let (value, behind) = match value.split_once('?') {
            Some((address, _)) => (address, "?…"),
            None => (value, ""),
        };
        Self {
            origin,
            value: format!("{before}{value}{behind}"),
            rule,
        }
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
            ("https://host/otlp", "https://host/otlp/v1/traces"),
            ("https://host/otlp/", "https://host/otlp/v1/traces"),
        ] {
            assert_eq!(address(Some(base), &[]), expected);
            assert_eq!(address(None, &[(ENDPOINT_VARIABLE, base)]), expected);
        }
    }

    #[test]
    fn an_empty_variable_counts_as_unset() {
        let empty = (TRACES_ENDPOINT_VARIABLE, "");

        assert_eq!(choose(None, &[empty]), Ok(None));
        assert_eq!(
            address(None, &[empty, (ENDPOINT_VARIABLE, "http://base:1")]),
            "http://base:1/v1/traces"
        );
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
    fn the_deadline_is_that_of_the_environment() {
        let base = (ENDPOINT_VARIABLE, "http://base:1");
        let [traces, general] = TIMEOUT_VARIABLES;
        let deadline = |variables: &[_]| {
            let all = [&[base], variables].concat();
            choose(None, &all).map(|endpoint| endpoint.expect("chosen").deadline)
        };

        assert_eq!(deadline(&[]), Ok(DEADLINE));
        let both = [(general, "7"), (traces, "5")];
        assert_eq!(deadline(&both), Ok(Duration::from_millis(5)));
        assert_eq!(deadline(&both[..1]), Ok(Duration::from_millis(7)));
        for invalid in ["0", "-1", "1.5", "10s"] {
            assert!(deadline(&[(general, invalid)]).is_err(), "{invalid}");
        }
    }

    #[test]
    fn an_unsupported_variable_is_refused_by_its_name() {
        let base = (ENDPOINT_VARIABLE, "http://base:1");
        for (name, supported) in LIMITED {
            let error = choose(None, &[base, (name, "odd")]).expect_err(name);
            let start = format!("invalid {name} 'odd': ");
            assert!(error.to_string().starts_with(&start), "{error}");
            let nothing = choose(None, &[(name, "odd")]);
            assert_eq!(nothing, Ok(None), "nothing is exported");
            for value in supported {
                let valid = choose(None, &[base, (name, value)]);
                assert!(valid.is_ok(), "{name}={value}");
            }
        }
    }

    #[test]
    fn a_disabled_sdk_exports_nothing_and_contradicts_the_option() {
        let variables = [
            (ENDPOINT_VARIABLE, "http://base:1"),
            (DISABLED_VARIABLE, "true"),
        ];

        assert_eq!(choose(None, &variables), Ok(None));
        let error = choose(Some("http://base:1"), &variables).expect_err("refused");
        assert!(error.to_string().contains(DISABLED_VARIABLE), "{error}");
    }

    #[test]
    fn an_endpoint_displays_as_host_and_port() {
        let url = "https://host/token?key=SECRET";

        let endpoint = choose(None, &[(TRACES_ENDPOINT_VARIABLE, url)]);

        let endpoint = endpoint.expect("valid").expect("chosen");
        assert_eq!(endpoint.to_string(), "host:443");
        assert_eq!(format!("{endpoint:?}"), "Endpoint(host:443)");
    }
}
