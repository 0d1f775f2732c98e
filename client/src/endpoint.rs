//! An endpoint's name and path template: what a request is called in spans and
//! metrics, in place of its URL.

/// A named path of the service.
///
/// Both texts are `&'static str`, so what telemetry says about an endpoint is
/// fixed in the program text and can never hold a caller's data. As a request
/// extension it names requests of your own:
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
    /// What a request without a name of its own is called.
    pub const OTHER: Self = Self::new("other", "/");

    /// Names a path. `name` becomes the label `endpoint`, `template` the label
    /// `url_template` and, for the calls of this crate, the path itself. A part of it
    /// such as `{id}` is a parameter, which [`path`](Self::path) gives its value.
    ///
    /// # Panics
    ///
    /// If `template` does not begin with `/`; at compile time, for a constant.
    #[must_use]
    pub const fn new(name: &'static str, template: &'static str) -> Self {
        assert!(
            matches!(template.as_bytes(), [b'/', ..]),
            "an endpoint's template begins with '/'"
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
