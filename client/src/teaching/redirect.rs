//! The response of `/redirect`: never followed, and a value for the caller.

use std::fmt;

use http::{StatusCode, header::LOCATION};

use crate::{
    api_response::ApiResponse,
    error::{ApiError, ResponseProblem},
};

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
