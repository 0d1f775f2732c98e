//! Positive integers, wherever they come from.
//!
//! A limit such as `max_pages` may be written in Rust, arrive in JSON or stand on a
//! command line. In each case, zero, negative numbers, floats and booleans are refused,
//! and the error names the value.

use std::num::NonZeroU32;

use serde_json::Value;

use crate::error::{ConfigError, NotPositive};

/// Reads a positive integer from JSON; `field` names it in the error.
///
/// # Errors
///
/// [`ConfigError::Count`] for everything but an integer from 1 to 4 294 967 295. `2.0`
/// is a float and `true` a boolean: neither is accepted as an integer.
pub fn positive_from_json(field: &'static str, value: &Value) -> Result<NonZeroU32, ConfigError> {
    let got = match value {
        Value::Bool(value) => NotPositive::Boolean(*value),
        Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
            (Some(number), _, _) => return positive(field, number),
            (None, Some(number), _) => NotPositive::Negative(number),
            (None, None, Some(number)) => NotPositive::Float(number),
            (None, None, None) => NotPositive::NotANumber,
        },
        Value::Null | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            NotPositive::NotANumber
        }
    };
    Err(ConfigError::Count { field, got })
}

/// Reads a positive integer from the text of a command line.
///
/// # Errors
///
/// As [`positive_from_json`]: the text is parsed as JSON.
pub fn positive_from_text(field: &'static str, text: &str) -> Result<NonZeroU32, ConfigError> {
    positive_from_json(field, &serde_json::from_str(text).unwrap_or(Value::Null))
}

/// Takes a number that may be zero or too large.
pub(crate) fn positive(field: &'static str, number: u64) -> Result<NonZeroU32, ConfigError> {
    let got = match u32::try_from(number).map(NonZeroU32::new) {
        Ok(Some(number)) => return Ok(number),
        Ok(None) => NotPositive::Zero,
        Err(_) => NotPositive::TooLarge,
    };
    Err(ConfigError::Count { field, got })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_names_the_rejected_value() {
        for (text, got) in [
            ("0", "zero"),
            ("-3", "the negative number -3"),
            ("2.5", "the float 2.5"),
            ("2.0", "the float 2.0"),
            ("1e2", "the float 100.0"),
            ("true", "the boolean true"),
            ("false", "the boolean false"),
            ("4294967296", "a number above 4294967295"),
            ("null", "something that is not a number"),
            ("ten", "something that is not a number"),
            ("\"10\"", "something that is not a number"),
            ("", "something that is not a number"),
        ] {
            let error = positive_from_text("max_pages", text).expect_err(text);

            let expected = format!("max_pages must be a positive integer, got {got}");
            assert_eq!(error.to_string(), expected);
        }
    }
}
