//! The cursor: a position that only the service can read.

use std::fmt;

use serde_json::value::RawValue;

use crate::{
    error::{JsonType, ResponseProblem},
    response_checks::string,
};

/// An opaque continuation position, returned to the service unchanged.
///
/// It may contain anything, so it is never printed.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Cursor(Box<str>);

impl Cursor {
    /// Creates a cursor from the text of an earlier one.
    ///
    /// # Errors
    ///
    /// [`EmptyCursor`] if the string is empty.
    pub fn new(cursor: impl Into<Box<str>>) -> Result<Self, EmptyCursor> {
        let cursor = cursor.into();
        if cursor.is_empty() {
            return Err(EmptyCursor);
        }
        Ok(Self(cursor))
    }

    /// Reads the cursor in the member `field` of a page: null, or a string that is not
    /// empty.
    pub(super) fn read_next(
        field: &'static str,
        value: &RawValue,
    ) -> Result<Option<Self>, ResponseProblem> {
        if JsonType::of(value) == JsonType::Null {
            return Ok(None);
        }
        let cursor = string(field, "a string or null", value)?;
        let cursor = Self::new(cursor).map_err(|_| ResponseProblem::EmptyCursor { field })?;
        Ok(Some(cursor))
    }

    /// The cursor, unchanged, as the service sent it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cursor(…)")
    }
}

/// An empty string was given as a cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a cursor must not be empty")]
pub struct EmptyCursor;
