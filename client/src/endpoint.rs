//! An endpoint's name and path template, which spans and metrics show in place of the
//! URL.

/// A named path of the service.
///
/// Both texts are `&'static str`, so the telemetry of an endpoint is fixed in the
/// source code and never contains a caller's data. Attach an endpoint as an extension
/// to name a request that you build yourself:
///
/// ```
/// use reliable_api_client::Endpoint;
///
/// const ORDERS: Endpoint = Endpoint::new("orders", "/orders");
///
/// assert_eq!(ORDERS.template(), "/orders");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Endpoint {
    name: &'static str,
    template: &'static str,
}

impl Endpoint {
    /// The endpoint of a request that has no name. Its template stands for any path.
    pub const OTHER: Self = Self::new("other", "/");

    /// Names a path. `name` becomes the label `endpoint`, `template` the label
    /// `url_template` and, for the calls of this crate, the path itself. A part such as
    /// `{id}` is a parameter; [`path`](Self::path) sets its value.
    ///
    /// # Panics
    ///
    /// If `template` does not begin with `/`, or contains `?`, `#`, `\\` or white space; at
    /// compile time, for a constant. A query belongs to a request: see
    /// [`query`](Self::query).
    ///
    /// ```compile_fail
    /// # use reliable_api_client::Endpoint;
    /// const OPEN: Endpoint = Endpoint::new("open", "/orders?state=open");
    /// ```
    #[must_use]
    pub const fn new(name: &'static str, template: &'static str) -> Self {
        assert!(
            matches!(template.as_bytes(), [b'/', ..]),
            "an endpoint's template begins with '/'"
        );
        assert!(
            is_path(template.as_bytes()),
            "an endpoint's template contains no '?', '#', '\\' and white space"
        );
        Self { name, template }
    }

    /// The name, as in the metric label `endpoint`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// The path template, as in the span field `url.template`.
    #[must_use]
    pub const fn template(self) -> &'static str {
        self.template
    }
}

/// Whether a template is a path alone.
const fn is_path(mut template: &[u8]) -> bool {
    while let [first, rest @ ..] = template {
        if matches!(first, b'?' | b'#' | b'\\' | 0x7f) || *first <= b' ' {
            return false;
        }
        template = rest;
    }
    true
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::*;

    #[test]
    fn a_template_is_a_path_without_a_query_a_fragment_and_white_space() {
        for (template, is_a_template) in [
            ("/orders/{id}/é~%20", true),
            ("/orders?state=open", false),
            ("/orders/{id}?", false),
            ("/orders#top", false),
            ("/orders\\lines", false),
            ("/orders lines", false),
            ("/orders\n", false),
            ("orders", false),
            ("", false),
        ] {
            let made = catch_unwind(|| Endpoint::new("orders", template));

            assert_eq!(made.is_ok(), is_a_template, "{template:?}");
        }
    }
}
