//! The target of a request: an endpoint, the values of its path parameters, and a query.

use std::{borrow::Cow, fmt};

use url::{Url, form_urlencoded};

use crate::{endpoint::Endpoint, error::ConfigError};

/// An endpoint with the values of one request.
///
/// ```
/// use reliable_api_client::Endpoint;
///
/// const ORDER: Endpoint = Endpoint::new("order", "/orders/{id}");
///
/// let target = ORDER.path("id", "a/b").query("expand", "lines");
/// # assert_eq!(format!("{target:?}"), "Target(/orders/{id})");
/// ```
///
/// Values are percent-encoded, so that none of them can change the path or the query
/// around it. A request is refused before it is sent, with
/// [`ConfigError::PathParameter`](crate::ConfigError::PathParameter), if a parameter of
/// the template has no value or an empty one, and if the template has no parameter of that
/// name; with [`ConfigError::DotSegment`](crate::ConfigError::DotSegment), if a whole segment
/// is `.` or `..`, which would lead to another path.
///
/// `Debug` prints the template and no value.
#[derive(Clone, PartialEq, Eq)]
pub struct Target {
    endpoint: Endpoint,
    parameters: Vec<(&'static str, String)>,
    query: String,
}

impl Endpoint {
    /// A request for this endpoint, with the value of a path parameter: `id` is the
    /// one of the template `/orders/{id}`.
    pub fn path(self, name: &'static str, value: impl fmt::Display) -> Target {
        Target::from(self).path(name, value)
    }

    /// A request for this endpoint with a parameter of the query.
    pub fn query(self, name: &str, value: impl fmt::Display) -> Target {
        Target::from(self).query(name, value)
    }
}

impl From<Endpoint> for Target {
    fn from(endpoint: Endpoint) -> Self {
        Self {
            endpoint,
            parameters: Vec::new(),
            query: String::new(),
        }
    }
}

impl Target {
    /// Gives a path parameter its value.
    #[must_use]
    pub fn path(mut self, name: &'static str, value: impl fmt::Display) -> Self {
        self.parameters.push((name, value.to_string()));
        self
    }

    /// Adds a parameter to the query.
    #[must_use]
    pub fn query(mut self, name: &str, value: impl fmt::Display) -> Self {
        add_to_query(&mut self.query, name, &value.to_string());
        self
    }

    /// The endpoint.
    #[must_use]
    pub fn endpoint(&self) -> Endpoint {
        self.endpoint
    }

    /// The query, percent-encoded.
    pub(crate) fn query_text(&self) -> &str {
        &self.query
    }

    /// The path values by their names, in a form in which different values differ.
    pub(crate) fn path_values(&self) -> Vec<u8> {
        let mut parameters: Vec<_> = self.parameters.iter().collect();
        parameters.sort_unstable();
        // No UTF-8 text contains this byte.
        let parts = parameters
            .into_iter()
            .flat_map(|(name, value)| [name.as_bytes(), b"\xff", value.as_bytes(), b"\xff"]);
        parts.flatten().copied().collect()
    }

    /// The URL below `base`, such as a client's
    /// [`base_url`](crate::ApiClient::base_url).
    ///
    /// # Errors
    ///
    /// [`ConfigError::PathParameter`] or [`ConfigError::DotSegment`] if the values do not fit
    /// the template.
    pub fn url(&self, base: &Url) -> Result<Url, ConfigError> {
        let prefix = base.path().trim_end_matches('/');
        let path = self.filled_template()?;
        let path = [prefix, &path].concat();
        let mut url = base.clone();
        url.set_path(&path);
        // A URL has no segment `.` or `..`, encoded or not: setting its path removes them.
        let segments = path.split('/').map(str::is_empty);
        if !segments.eq(url.path().split('/').map(str::is_empty)) {
            let template = self.endpoint.template();
            return Err(ConfigError::DotSegment { template });
        }
        if !self.query.is_empty() {
            url.set_query(Some(&self.query));
        }
        Ok(url)
    }

    fn filled_template(&self) -> Result<Cow<'static, str>, ConfigError> {
        let template = self.endpoint.template();
        let refused = |name, why| ConfigError::PathParameter {
            template,
            name,
            why,
        };
        let mut path = Cow::Borrowed(template);
        for (name, value) in &self.parameters {
            let placeholder = format!("{{{name}}}");
            if !template.contains(&placeholder) {
                return Err(refused(name, "is not in the template"));
            }
            if !path.contains(&placeholder) {
                return Err(refused(name, "is given twice"));
            }
            if value.is_empty() {
                return Err(refused(name, "is empty"));
            }
            // An encoded value contains no brace.
            path = path.replace(&placeholder, &encode(value)).into();
        }
        let missing = template
            .split('{')
            .skip(1)
            .filter_map(|rest| rest.split('}').next())
            .find(|name| path.contains(&format!("{{{name}}}")));
        match missing {
            Some(name) => Err(refused(name, "has no value")),
            None => Ok(path),
        }
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Target({})", self.endpoint.template())
    }
}

/// Adds a parameter to a query.
pub(crate) fn add_to_query(query: &mut String, name: &str, value: &str) {
    if !query.is_empty() {
        query.push('&');
    }
    query.push_str(&encode(name));
    query.push('=');
    query.push_str(&encode(value));
}

/// Percent-encodes a text. A space becomes `%20`: a service that decodes by RFC 3986
/// §2.1 alone would read the `+` of forms as a plus sign, and the text would not come
/// back byte for byte.
fn encode(text: &str) -> String {
    let encoded: String = form_urlencoded::byte_serialize(text.as_bytes()).collect();
    encoded.replace('+', "%20")
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: Endpoint = Endpoint::new("line", "/orders/{id}/lines/{line}");
    const ORDERS: Endpoint = Endpoint::new("orders", "/orders");

    fn url(target: impl Into<Target>) -> Option<String> {
        let base = Url::parse("http://service.test/v1/").expect("a URL");
        target.into().url(&base).ok().map(String::from)
    }

    #[test]
    fn values_are_encoded_where_they_stand() {
        for (target, expected) in [
            (ORDERS.into(), "/orders"),
            (ORDERS.query("open", true), "/orders?open=true"),
            (
                ORDERS.query("a b", "c&d=e+f").query("g", ""),
                "/orders?a%20b=c%26d%3De%2Bf&g=",
            ),
            (
                LINE.path("id", 4711).path("line", 2),
                "/orders/4711/lines/2",
            ),
            (
                LINE.path("line", "..x").path("id", "a/../b?c#d%2e{line}"),
                "/orders/a%2F..%2Fb%3Fc%23d%252e%7Bline%7D/lines/..x",
            ),
        ] {
            let expected = format!("http://service.test/v1{expected}");
            assert_eq!(url(target), Some(expected));
        }
    }

    #[test]
    fn a_value_that_does_not_fit_the_template_is_refused_with_its_name_and_the_rule() {
        let base = Url::parse("http://service.test/").expect("a URL");
        for (target, name, rule) in [
            (LINE.into(), "id", "has no value"),
            (LINE.path("id", 1), "line", "has no value"),
            (LINE.path("id", "").path("line", 2), "id", "is empty"),
            (LINE.path("id", 1).path("id", 1), "id", "is given twice"),
            (LINE.path("more", 3), "more", "is not in the template"),
            (ORDERS.path("id", 1), "id", "is not in the template"),
        ] {
            let error = target.url(&base).expect_err(rule).to_string();

            let template = target.endpoint().template();
            let expected = format!("the path parameter {name} of {template} {rule}");
            assert_eq!(error, expected);
        }
    }

    #[test]
    fn a_path_with_a_dot_segment_is_refused() {
        const HALF: Endpoint = Endpoint::new("half", "/a/%2E{rest}");
        const TWO: Endpoint = Endpoint::new("two", "/{a}{b}/x");
        let base = Url::parse("http://service.test/v1").expect("a URL");
        for target in [
            LINE.path("id", "..").path("line", 2),
            LINE.path("id", 1).path("line", "."),
            LINE.path("id", 1).path("line", ".."),
            HALF.path("rest", "."),
            TWO.path("a", ".").path("b", "."),
            Endpoint::new("parent", "/../x").into(),
            Endpoint::new("encoded", "/%2e%2E/x").into(),
            Endpoint::new("here", "/a/./b").into(),
            Endpoint::new("last", "/a/%2e").into(),
        ] {
            let error = target.url(&base).expect_err("a dot segment").to_string();

            let template = target.endpoint().template();
            let expected = format!("the path of {template} must not have a segment `.` or `..`");
            assert_eq!(error, expected);
        }
        for (target, expected) in [
            (HALF.path("rest", "x"), "/a/%2Ex"),
            (HALF.path("rest", ".."), "/a/%2E.."),
            (TWO.path("a", ".").path("b", "a"), "/.a/x"),
            (Endpoint::new("empty", "/a//b/").into(), "/a//b/"),
        ] {
            let url = target.url(&base).expect("no dot segment");
            assert_eq!(url.as_str(), format!("http://service.test/v1{expected}"));
        }
    }
}
