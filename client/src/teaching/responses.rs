//! The responses of the teaching service that are read into types of their own.

use std::fmt;

use http::{StatusCode, header::LOCATION};

use crate::{
    api_response::ApiResponse,
    error::{ApiError, ResponseProblem},
    response_checks::{Member, string, wrong_type},
};

/// The response of `/flaky`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Flaky {
    /// Which call of the running service this was, from 1: the first success
    /// is the third.
    pub attempt: u64,
}

impl Flaky {
    pub(crate) fn read([attempt]: [Member<'_>; 1]) -> Result<Self, ResponseProblem> {
        let attempt = attempt.required()?;
        let wrong = |_| wrong_type("attempt", "a non-negative integer", attempt);
        let attempt = serde_json::from_str(attempt.get()).map_err(wrong)?;
        Ok(Self { attempt })
    }
}

/// A job that the service created, now or at an earlier request with the key.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Job {
    /// Its identifier.
    pub id: String,
}

impl Job {
    pub(crate) fn read([id]: [Member<'_>; 1]) -> Result<Self, ResponseProblem> {
        let id = string("id", "a string", id.required()?)?;
        Ok(Self { id })
    }
}

impl fmt::Debug for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Job(…)")
    }
}

/// A redirection that was not followed.
///
/// Its target came from the wire and may hold anything, so `Debug` leaves it
/// out.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Redirect {
    /// The status, from 300 to 399.
    pub status: StatusCode,
    /// The `Location`, not resolved and not to be trusted; `None` if there was
    /// none that is text.
    pub location: Option<String>,
}

impl Redirect {
    /// A 3xx; an error of any other response.
    pub(crate) fn read(response: ApiResponse) -> Result<Self, ApiError> {
        if !response.status().is_redirection() {
            let response = response.success()?;
            return Err(response.problem(ResponseProblem::UnexpectedStatus));
        }
        let location = response.headers().get(LOCATION);
        Ok(Self {
            status: response.status(),
            location: location.and_then(|value| Some(value.to_str().ok()?.to_owned())),
        })
    }
}

impl fmt::Debug for Redirect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redirect")
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}
