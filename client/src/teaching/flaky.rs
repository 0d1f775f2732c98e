//! The response of `/flaky`.

use crate::{error::ResponseProblem, raw_object::ObjectText, response_checks::wrong_type};

/// The response of `/flaky`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Flaky {
    /// Which call of the running service this was, from 1: the first success
    /// is the third.
    pub attempt: u64,
}

impl Flaky {
    pub(crate) fn read(object: ObjectText<'_>) -> Result<Self, ResponseProblem> {
        let attempt = object.required("attempt")?;
        let wrong = |_| wrong_type("attempt", "a non-negative integer", attempt);
        let attempt = serde_json::from_str(attempt.get()).map_err(wrong)?;
        Ok(Self { attempt })
    }
}
