//! Serialises moments and times as whole nanoseconds.

use std::time::Duration;

use serde::{Serialize, Serializer};

/// Five centuries and more are cut to what a whole number of 64 bits holds.
fn whole(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

pub(super) fn serialize<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    whole(*time).serialize(serializer)
}

pub(super) fn optional<S: Serializer>(
    time: &Option<Duration>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    time.map(whole).serialize(serializer)
}
