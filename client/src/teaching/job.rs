//! A job of the service.

use std::fmt;

use crate::{error::ResponseProblem, raw_object::ObjectText, response_checks::string};

/// A job that the service created, now or at an earlier request with the key.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Job {
    /// Its identifier.
    pub id: String,
}

impl Job {
    pub(crate) fn read(object: ObjectText<'_>) -> Result<Self, ResponseProblem> {
        let id = string("id", "a string", object.required("id")?)?;
        Ok(Self { id })
    }
}

impl fmt::Debug for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Job(…)")
    }
}
