//! Durations in JSON: whole nanoseconds, by `#[serde(with = "nanoseconds")]`.
//!
//! Durations above 584 years are cut to the largest 64-bit number.

use std::time::Duration;

use serde::{Serialize, Serializer};

/// A duration in whole nanoseconds.
#[must_use]
pub fn whole(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Serializes a duration, or one that may be absent.
///
/// # Errors
///
/// Those of the serializer.
pub fn serialize<T, S>(time: &T, serializer: S) -> Result<S::Ok, S::Error>
where
    T: Copy + Into<Option<Duration>>,
    S: Serializer,
{
    let time: Option<Duration> = (*time).into();
    time.map(whole).serialize(serializer)
}
