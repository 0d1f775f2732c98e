//! Durations in JSON: whole nanoseconds.
//!
//! Durations above 584 years are cut to the largest 64-bit number.

use std::time::Duration;

use serde::{Serialize, Serializer};

/// A duration in whole nanoseconds.
#[must_use]
pub fn whole(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Serializes a length of time.
///
/// # Errors
///
/// Those of the serializer.
pub fn one<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    whole(*time).serialize(serializer)
}

/// Serializes a length of time that may be absent.
///
/// # Errors
///
/// Those of the serializer.
pub fn optional<S: Serializer>(time: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    time.map(whole).serialize(serializer)
}
