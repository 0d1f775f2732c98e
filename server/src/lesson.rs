//! What every lesson declares about itself.
//!
//! The declaration feeds the metrics, which start at zero for every response that is
//! declared, and the OpenAPI document, which a test compares with the live routes.

use std::iter;

use axum::Router;
use axum::handler::Handler;
use axum::routing::{MethodFilter, on};
use host::{ExpectedRoute, Problem};
use http::header::RETRY_AFTER;
use http::{Method, StatusCode};

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
    /// Every response that it has for this method.
    pub(crate) responses: &'static [DeclaredResponse],
    /// The label of the fault that it serves on purpose.
    pub(crate) fault: Option<&'static str>,
}

impl Lesson {
    /// What its route may be counted for: where GET works, HEAD does.
    pub(crate) fn expected(&self) -> impl Iterator<Item = ExpectedRoute> {
        let head = (self.method == Method::GET).then_some(Method::HEAD);
        let responses = self.responses.iter();
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

    /// Its route.
    pub(crate) fn served_by<H, T>(&self, handler: H) -> Router<ServiceState>
    where
        H: Handler<T, ServiceState>,
        T: 'static,
    {
        #[expect(clippy::expect_used, reason = "no lesson invents a method")]
        let method = MethodFilter::try_from(self.method.clone()).expect("a method of HTTP");
        Router::new().route(self.path, on(method, handler))
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
