//! The settings of a storm: its clients, its calls, its service and its incident.

use std::time::Duration;

use clap::ValueEnum;
use serde::{Serialize, Serializer};

/// The settings of a storm, the same for all policies. In JSON, times are in seconds.
///
/// [`Settings::DEFAULT`] is a spike of five seconds to twice the capacity of the service. The
/// service works on ten requests at once, for a tenth of a second each: a hundred per second.
/// A full queue takes three seconds, which is longer than an attempt waits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Settings {
    /// The clients, each with a budget and a limit of its own. They take turns with the calls.
    pub clients: u32,
    /// The calls that start per second, on average.
    pub calls_per_second: f64,
    /// The requests that the service works on at once.
    pub workers: u32,
    /// The requests that may be queued. A further one gets a 503 at once.
    pub queue: u32,
    /// The requests per second beyond which the service sends a 429; 0 for no limit.
    pub rate_limit: u32,
    /// The distribution of the time that the service takes for a request.
    pub work: Work,
    /// The time that the service takes for a request, on average.
    #[serde(rename = "work_time_seconds", serialize_with = "seconds")]
    pub work_time: Duration,
    /// How long an attempt waits for a response.
    #[serde(rename = "timeout_seconds", serialize_with = "seconds")]
    pub timeout: Duration,
    /// What goes wrong.
    pub incident: Incident,
    /// When the incident starts.
    #[serde(rename = "incident_starts_seconds", serialize_with = "seconds")]
    pub incident_starts: Duration,
    /// How long the incident lasts.
    #[serde(rename = "incident_lasts_seconds", serialize_with = "seconds")]
    pub incident_lasts: Duration,
    /// The load during a spike, as a multiple of the usual load.
    pub spike: f64,
    /// The share of the responses that are a 503 during a refusal.
    pub refused: f64,
    /// The form of the Retry-After of each 429, and of each 503 during the incident.
    pub retry_after: RetryAfter,
    /// No call starts later.
    #[serde(rename = "length_seconds", serialize_with = "seconds")]
    pub length: Duration,
}

/// The distribution of the time that a service takes for a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Work {
    /// The exponential distribution.
    Exponential,
    /// Always the same time.
    Constant,
}

/// The fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Incident {
    /// More calls arrive
    Spike,
    /// The service works on a fifth of the requests at once
    Cut,
    /// The service starts no work, and requests are queued
    Pause,
    /// The service responds with 503, at once, to everything or to a share
    Refusal,
    /// Nothing
    None,
}

/// The form of a `Retry-After`. It names the end of the incident in a 503, and the next second
/// in a 429.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RetryAfter {
    /// No Retry-After.
    None,
    /// The seconds until then, rounded up.
    Seconds,
    /// That moment as a date, in whole seconds: the same for all clients.
    Date,
}

impl Settings {
    /// The spike of the first story.
    pub const DEFAULT: Self = Self {
        clients: 10,
        calls_per_second: 60.0,
        workers: 10,
        queue: 300,
        rate_limit: 0,
        work: Work::Exponential,
        work_time: Duration::from_millis(100),
        timeout: Duration::from_secs(1),
        incident: Incident::Spike,
        incident_starts: Duration::from_secs(10),
        incident_lasts: Duration::from_secs(5),
        spike: 3.5,
        refused: 1.0,
        retry_after: RetryAfter::None,
        length: Duration::from_secs(60),
    };

    /// The end of the incident; the start of the storm if there is no incident.
    #[must_use]
    pub fn incident_ends(&self) -> Duration {
        match self.incident {
            Incident::None => Duration::ZERO,
            _ => self.incident_starts + self.incident_lasts,
        }
    }

    /// The same storm with five times the length, which shows whether a service that is not up
    /// at the end recovers later.
    pub(crate) fn longer(&self) -> Self {
        Self {
            length: self.length * 5,
            ..*self
        }
    }

    /// Whether a moment is within the incident.
    pub(crate) fn is_during_incident(&self, moment: Duration) -> bool {
        (self.incident_starts..self.incident_ends()).contains(&moment)
    }

    /// The workers that go on during a cut.
    pub(crate) fn workers_left(&self) -> u32 {
        self.workers / 5
    }

    /// The number of requests that the service can process per second without an incident,
    /// on average.
    pub(crate) fn capacity_per_second(&self) -> f64 {
        f64::from(self.workers) / self.work_time.as_secs_f64()
    }

    /// The number of requests per second beyond which some fail, on average, and what sets it:
    /// the capacity, or a lower limit of the rate.
    pub(crate) fn limit_per_second(&self) -> (f64, &'static str) {
        let capacity = self.capacity_per_second();
        let limit = f64::from(self.rate_limit);
        if (1.0..capacity).contains(&limit) {
            (limit, "rate limit")
        } else {
            (capacity, "capacity")
        }
    }

    /// The most calls that start per second, on average.
    pub(crate) fn highest_load(&self) -> f64 {
        match self.incident {
            Incident::Spike => self.calls_per_second * self.spike,
            _ => self.calls_per_second,
        }
    }

    /// Checks that the settings are consistent.
    pub(crate) fn check(&self) -> Result<(), EndsTooLate> {
        let (ends, length) = (self.incident_ends(), self.length);
        if ends + AFTER > length {
            return Err(EndsTooLate { ends, length });
        }
        Ok(())
    }
}

/// The minimum time after an incident, which is needed to tell whether a service has
/// recovered.
const AFTER: Duration = Duration::from_secs(2);

/// The incident ends too late.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the incident must end {} s before the storm does or earlier, got {} s of {} s",
    AFTER.as_secs(),
    ends.as_secs_f64(),
    length.as_secs_f64()
)]
pub struct EndsTooLate {
    ends: Duration,
    length: Duration,
}

/// Writes a time in seconds.
pub(crate) fn seconds<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUIET: Settings = Settings {
        incident: Incident::None,
        ..Settings::DEFAULT
    };

    #[test]
    fn the_incident_must_end_before_the_storm() {
        let check = |seconds, settings| {
            let length = Duration::from_secs(seconds);
            Settings { length, ..settings }.check()
        };

        let error = check(16, Settings::DEFAULT).expect_err("a second is too little");

        assert_eq!(
            error.to_string(),
            "the incident must end 2 s before the storm does or earlier, got 15 s of 16 s"
        );
        assert_eq!(check(17, Settings::DEFAULT), Ok(()));
        assert_eq!(check(2, QUIET), Ok(()), "there is no end to check");
    }

    #[test]
    fn the_capacity_follows_from_the_workers() {
        assert!((Settings::DEFAULT.capacity_per_second() - 100.0).abs() < 1e-9);
    }

    #[test]
    fn an_incident_includes_its_start_and_excludes_its_end() {
        let in_incident = |settings: Settings| {
            let moments = [9_999, 10_000, 14_999, 15_000].map(Duration::from_millis);
            moments.map(|moment| settings.is_during_incident(moment))
        };

        assert_eq!(in_incident(Settings::DEFAULT), [false, true, true, false]);
        assert_eq!(in_incident(QUIET), [false; 4]);
    }
}
