//! What a route may be counted for, known before its first request.
//!
//! A series that is born with its first event has not risen for Prometheus' `increase()`:
//! the event is lost. So what can happen is registered at zero, and what cannot is not.

use http::header::RETRY_AFTER;
use http::{Method, StatusCode};

use crate::lesson::Lesson;

/// What a route may be counted for.
///
/// The series of the service's own routes exist from its start. Those of an added route
/// do if it is [expected](crate::ServiceConfigBuilder::expected_routes).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedRoute {
    /// Its path, as the router has it.
    pub path: &'static str,
    /// The method that it is made for.
    pub method: Method,
    /// The statuses of its responses to that method.
    pub statuses: Vec<StatusCode>,
    /// The [faults](crate::Fault) that its responses name.
    pub faults: Vec<&'static str>,
    /// Whether one of its responses has a Retry-After. Without one no request can come
    /// too early.
    pub has_retry_after: bool,
}

impl From<&Lesson> for ExpectedRoute {
    fn from(lesson: &Lesson) -> Self {
        let responses = lesson.responses.iter();
        let mut headers = responses.clone().filter_map(|response| response.header);
        Self {
            path: lesson.path,
            method: lesson.method.clone(),
            statuses: responses.map(|response| response.status).collect(),
            faults: lesson.fault.into_iter().collect(),
            has_retry_after: headers.any(|(name, _)| RETRY_AFTER == name),
        }
    }
}
