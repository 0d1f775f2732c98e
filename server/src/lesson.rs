//! What every lesson declares about itself.
//!
//! The declaration feeds the metrics, which start at zero for every response that is
//! declared, and the OpenAPI document, which a test compares with the live routes.

use std::iter;

use axum::routing::MethodRouter;
use host::{ExpectedRoute, Problem};
use http::header::RETRY_AFTER;
use http::{Method, StatusCode};

use crate::problem;
use crate::state::ServiceState;

/// One row of the endpoint table.
#[derive(Debug, Clone)]
pub(crate) struct Lesson {
    /// The path, also the route's label in metrics and spans.
    pub(crate) path: &'static str,
    /// The method that it teaches. Where it is GET, HEAD works too.
    pub(crate) method: Method,
    /// What it teaches, in a few words.
    pub(crate) summary: &'static str,
    /// What it reads from a request.
    pub(crate) takes: Takes,
    /// Every response that it has for this method, but for those to a bad query.
    pub(crate) responses: &'static [DeclaredResponse],
    /// The label of the fault that it serves on purpose.
    pub(crate) fault: Option<&'static str>,
    /// Makes its handler, for its method.
    pub(crate) serve: fn() -> MethodRouter<ServiceState>,
}

impl Lesson {
    /// Every response that it has for its method.
    pub(crate) fn responses(&self) -> impl Iterator<Item = &DeclaredResponse> + Clone {
        let to_bad_query: &[_] = match self.takes {
            Takes::PageQuery => &BAD_QUERY,
            Takes::Nothing | Takes::Job => &[],
        };
        self.responses.iter().chain(to_bad_query)
    }

    /// What its route may be counted for: where GET works, HEAD does.
    pub(crate) fn expected(&self) -> impl Iterator<Item = ExpectedRoute> {
        let head = (self.method == Method::GET).then_some(Method::HEAD);
        let responses = self.responses();
        let mut headers = responses.clone().filter_map(|response| response.header);
        let has_retry_after = headers.any(|(name, _)| RETRY_AFTER == name);
        let methods = iter::once(self.method.clone()).chain(head);
        methods.map(move |method| ExpectedRoute {
            path: self.path,
            method,
            statuses: responses.clone().map(|response| response.status).collect(),
            faults: self.fault.into_iter().collect(),
            has_retry_after,
        })
    }
}

/// What a lesson reads from a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    Nothing,
    /// `cursor` and `limit`.
    PageQuery,
    /// An idempotency key and a JSON object.
    Job,
}

/// A response that a lesson may give.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DeclaredResponse {
    pub(crate) status: StatusCode,
    pub(crate) about: &'static str,
    pub(crate) content: Content,
    /// A header that matters to the lesson, and what it says.
    pub(crate) header: Option<(&'static str, &'static str)>,
}

/// The responses of a list to an invalid `limit` or `cursor`.
const BAD_QUERY: [DeclaredResponse; 2] = [
    DeclaredResponse::problem(problem::INVALID_LIMIT),
    DeclaredResponse::problem(problem::INVALID_CURSOR),
];

/// The body of a response.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Content {
    Empty,
    /// JSON of the named schema.
    Json(&'static str),
    /// Said to be JSON of the named schema, and broken on purpose.
    BrokenJson(&'static str),
    /// Text of this media type.
    Text(&'static str),
    Problem(Problem),
}

impl DeclaredResponse {
    pub(crate) const fn new(status: StatusCode, about: &'static str, content: Content) -> Self {
        Self {
            status,
            about,
            content,
            header: None,
        }
    }

    pub(crate) const fn page(about: &'static str) -> Self {
        Self::new(StatusCode::OK, about, Content::Json("Page"))
    }

    pub(crate) const fn broken_page(about: &'static str) -> Self {
        Self::new(StatusCode::OK, about, Content::BrokenJson("Page"))
    }

    pub(crate) const fn problem(problem: Problem) -> Self {
        Self::new(problem.status, problem.detail, Content::Problem(problem))
    }

    pub(crate) const fn with_header(self, name: &'static str, about: &'static str) -> Self {
        Self {
            header: Some((name, about)),
            ..self
        }
    }
}
