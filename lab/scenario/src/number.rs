//! Whole numbers as a person writes them, on a command line or in JSON: digits without a sign,
//! within a range.

use std::ops::RangeInclusive;

use serde::{Deserialize, Deserializer, de::Error};
use serde_json::Value;

/// Why a text is not such a number.
#[derive(Debug, thiserror::Error)]
pub enum NumberError {
    /// Rust's `parse` accepts `+1`, but a sign has no meaning here.
    #[error("write it without a sign")]
    Signed,
    /// It is no whole number, or outside of its range.
    #[error("it must be a whole number from {from} to {to}")]
    NotWithin {
        /// The least number.
        from: u64,
        /// The largest number.
        to: u64,
    },
}

/// Reads any whole number of 64 bits.
///
/// # Errors
///
/// [`NumberError`] if the text is none.
pub fn any(text: &str) -> Result<u64, NumberError> {
    within(text, 0..=u64::MAX)
}

/// Reads a whole number in a range.
///
/// # Errors
///
/// [`NumberError`] if the text is none.
pub fn within<T: TryFrom<u64>>(text: &str, range: RangeInclusive<u64>) -> Result<T, NumberError> {
    if text.starts_with('+') {
        return Err(NumberError::Signed);
    }
    let number = text.parse().ok().filter(|number| range.contains(number));
    let number = number.and_then(|number| T::try_from(number).ok());
    number.ok_or(NumberError::NotWithin {
        from: *range.start(),
        to: *range.end(),
    })
}

/// Takes an integer in a range from JSON; none if the field is missing.
///
/// # Errors
///
/// That of the format, with the range and what was found.
pub fn in_json<'de, D, T, const FROM: u64, const TO: u64>(json: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: TryFrom<u64>,
{
    let value = Value::deserialize(json)?;
    let number = value
        .as_u64()
        .filter(|number| (FROM..=TO).contains(number))
        .and_then(|number| T::try_from(number).ok());
    let rule = || format!("must be an integer from {FROM} to {TO}, got {value}");
    number.map(Some).ok_or_else(|| D::Error::custom(rule()))
}
