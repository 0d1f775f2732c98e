//! An endpoint's name and path template: what a request is called in spans and
//! metrics, in place of its URL.

use std::hash::{Hash, Hasher};

use http::StatusCode;

/// A named path of the service.
///
/// Both texts are `&'static str`, so what telemetry says about an endpoint is
/// fixed in the program text and can never hold a caller's data. As a request
/// extension it names requests of your own:
///
/// ```
/// use client::Endpoint;
///
/// const ORDERS: Endpoint = Endpoint::new("orders", "/orders");
///
/// assert_eq!(ORDERS.template(), "/orders");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Endpoint {
    name: &'static str,
    template: &'static str,
}

/// By its name, which hardly two endpoints share.
impl Hash for Endpoint {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl Endpoint {
    /// `GET /items`
    pub const ITEMS: Self = Self::new("items", "/items");
    /// `GET /looping-items`
    pub const LOOPING_ITEMS: Self = Self::new("looping_items", "/looping-items");
    /// `GET /endless-items`
    pub const ENDLESS_ITEMS: Self = Self::new("endless_items", "/endless-items");
    /// `GET /bad-items`
    pub const BAD_ITEMS: Self = Self::new("bad_items", "/bad-items");
    /// `GET /bad-cursor`
    pub const BAD_CURSOR: Self = Self::new("bad_cursor", "/bad-cursor");
    /// `GET /flaky`
    pub const FLAKY: Self = Self::new("flaky", "/flaky");
    /// `GET /retry-later`
    pub const RETRY_LATER: Self = Self::new("retry_later", "/retry-later");
    /// `GET /bad-json`
    pub const BAD_JSON: Self = Self::new("bad_json", "/bad-json");
    /// `GET /text-json`
    pub const TEXT_JSON: Self = Self::new("text_json", "/text-json");
    /// `GET /no-content`
    pub const NO_CONTENT: Self = Self::new("no_content", "/no-content");
    /// `GET /redirect`
    pub const REDIRECT: Self = Self::new("redirect", "/redirect");
    /// `POST /jobs`
    pub const CREATE_JOB: Self = Self::new("create_job", "/jobs");
    /// What a request without a name of its own is called.
    pub const OTHER: Self = Self::new("other", "/");

    /// Every endpoint that has a method on
    /// [`ReliableApiClient`](crate::ReliableApiClient).
    pub const ALL: [Self; 12] = [
        Self::ITEMS,
        Self::LOOPING_ITEMS,
        Self::ENDLESS_ITEMS,
        Self::BAD_ITEMS,
        Self::BAD_CURSOR,
        Self::FLAKY,
        Self::RETRY_LATER,
        Self::BAD_JSON,
        Self::TEXT_JSON,
        Self::NO_CONTENT,
        Self::REDIRECT,
        Self::CREATE_JOB,
    ];

    /// Names a path. `name` becomes the label `endpoint`, `template` the label
    /// `url_template` and, for the calls of this crate, the path itself.
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

    /// The status of a success; 200 unless listed here.
    pub(crate) fn success(self) -> StatusCode {
        match self {
            Self::CREATE_JOB => StatusCode::CREATED,
            Self::NO_CONTENT => StatusCode::NO_CONTENT,
            Self::REDIRECT => StatusCode::FOUND,
            _ => StatusCode::OK,
        }
    }
}
