//! Numbers on the command line, all read by one rule: digits without a sign.

use std::{num::NonZeroU32, ops::RangeInclusive};

use scenario::{Overrides, policy::TooMany};

/// Why a text is not a valid number.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NumberError {
    /// Rust's `parse` accepts `+1`, but a sign has no meaning here.
    #[error("write it without a sign")]
    Signed,
    #[error("it must be a whole number from {from} to {to}")]
    NotWithin { from: u64, to: u64 },
    #[error("{field} must be a positive integer of 32 bits, got {got}")]
    NotPositive { field: &'static str, got: String },
    #[error(transparent)]
    TooMany(#[from] TooMany),
}

/// Any whole number of 64 bits.
pub(crate) fn any(text: &str) -> Result<u64, NumberError> {
    within(text, 0..=u64::MAX)
}

/// A port; 0 stands for a free one.
pub(crate) fn port_or_free(text: &str) -> Result<u16, NumberError> {
    let (from, to) = (0, u16::MAX.into());
    let port = within(text, from..=to)?;
    u16::try_from(port).map_err(|_| NumberError::NotWithin { from, to })
}

/// A whole number in a range.
pub(crate) fn within(text: &str, range: RangeInclusive<u64>) -> Result<u64, NumberError> {
    unsigned(text)?;
    let number = text.parse().ok().filter(|number| range.contains(number));
    number.ok_or(NumberError::NotWithin {
        from: *range.start(),
        to: *range.end(),
    })
}

/// A positive integer, and at most the lab's maximum; `field` names it in the error.
pub(crate) fn positive(field: &'static str, text: &str) -> Result<NonZeroU32, NumberError> {
    unsigned(text)?;
    let number = text.parse().map_err(|_| NumberError::NotPositive {
        field,
        got: text.to_owned(),
    })?;
    Ok(Overrides::bounded(field, number)?)
}

fn unsigned(text: &str) -> Result<(), NumberError> {
    if text.starts_with('+') {
        Err(NumberError::Signed)
    } else {
        Ok(())
    }
}
