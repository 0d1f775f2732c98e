//! The figures of a policy: the shares of the calls that succeeded before the incident and at
//! the end, the lost calls, and the requests per second at the end.

use std::{fmt, ops::Range, time::Duration};

use serde::Serialize;

use crate::{Incident, Settings};

/// Calls, by the time they started, and how many of them succeeded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Share {
    /// The calls.
    pub calls: u64,
    /// Of these, the calls that succeeded.
    pub succeeded: u64,
}

/// The figures of a policy.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Figures {
    /// The calls of the ten seconds before the incident; all calls if there is no incident.
    pub before: Share,
    /// The calls of the last quarter of the time from the end of the incident to the last
    /// start; all calls if there is no incident.
    pub end: Share,
    /// Calls that failed.
    pub lost: u64,
    /// Requests that arrived per second in that last quarter.
    pub requests_per_second: f64,
    /// Requests for each call.
    pub requests_per_call: f64,
    /// The calls of each second after the incident.
    #[serde(skip)]
    pub(crate) after: Vec<Share>,
}

/// The times whose calls and requests make the figures.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Periods {
    pub(crate) before: Range<Duration>,
    pub(crate) end: Range<Duration>,
    /// The time after the incident.
    pub(crate) after: Range<Duration>,
    /// Its last quarter.
    pub(crate) last_quarter: Range<Duration>,
}

impl Periods {
    pub(crate) fn of(settings: &Settings) -> Self {
        let (starts, length) = (settings.incident_starts, settings.length);
        let after = settings.incident_ends()..length;
        let quarter = (after.end - after.start) / 4;
        let last_quarter = length - quarter..length;
        let all = Duration::ZERO..length;
        let (before, end) = match settings.incident {
            Incident::None => (all.clone(), all),
            _ => (
                starts.saturating_sub(Duration::from_secs(10))..starts,
                last_quarter.clone(),
            ),
        };
        Self {
            before,
            end,
            after,
            last_quarter,
        }
    }

    /// The whole seconds from the end of the incident to its last quarter.
    pub(crate) fn seconds_to_last_quarter(&self) -> usize {
        (self.last_quarter.start - self.after.start).as_secs() as usize
    }
}

impl Share {
    /// Counts a call.
    pub(crate) fn add(&mut self, has_succeeded: bool) {
        self.calls += 1;
        self.succeeded += u64::from(has_succeeded);
    }

    /// Whether this share is at least so many tenths of another. A share of no calls is.
    pub(crate) fn reaches(self, tenths: u64, of: Self) -> bool {
        self.succeeded * of.calls * 10 >= tenths * of.succeeded * self.calls
    }
}

impl std::iter::Sum for Share {
    fn sum<I: Iterator<Item = Self>>(shares: I) -> Self {
        shares.fold(Self::default(), |sum, share| Self {
            calls: sum.calls + share.calls,
            succeeded: sum.succeeded + share.succeeded,
        })
    }
}

/// In percent, rounded; a dash if there are no calls.
impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.calls == 0 {
            return f.pad("-");
        }
        let percent = 100.0 * self.succeeded as f64 / self.calls as f64;
        f.pad(&format!("{percent:.0}"))
    }
}

/// A rate, as a whole number if that is within a twentieth of it, and with up to three digits
/// after the point otherwise.
pub(crate) fn rate(rate: f64) -> String {
    let is_near = |digits: &usize| {
        let shown: f64 = format!("{rate:.digits$}").parse().unwrap_or(f64::NAN);
        (shown - rate).abs() * 20.0 <= rate
    };
    let digits = (0..3).find(is_near).unwrap_or(3);
    format!("{rate:.digits$}")
}

/// A moment or a length exactly, in seconds: two different ones never read alike.
pub(crate) fn moment(moment: Duration) -> String {
    format!("{} s", moment.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_shares_are_of_ten_seconds_before_and_of_the_last_quarter_after_the_incident() {
        let of = |settings| {
            let periods = Periods::of(&settings);
            let seconds =
                |range: Range<Duration>| [range.start, range.end].map(|at| at.as_secs_f64());
            [periods.before, periods.end, periods.last_quarter].map(seconds)
        };
        let quiet = Settings {
            incident: Incident::None,
            ..Settings::DEFAULT
        };
        let early = Settings {
            incident_starts: Duration::from_secs(4),
            ..Settings::DEFAULT
        };

        let (all, quarter) = ([0.0, 60.0], [48.75, 60.0]);
        assert_eq!(of(Settings::DEFAULT), [[0.0, 10.0], quarter, quarter]);
        assert_eq!(of(quiet), [all, all, [45.0, 60.0]]);
        assert_eq!(of(early)[0], [0.0, 4.0]);
        assert_eq!(
            Periods::of(&Settings::DEFAULT).seconds_to_last_quarter(),
            33
        );
    }

    proptest! {
        #[test]
        fn a_rate_reads_near_its_value(rate in 0.02..500.0_f64) {
            let text = super::rate(rate);

            let shown: f64 = text.parse()?;
            prop_assert!((shown - rate).abs() <= rate / 20.0 + 1e-9);
            prop_assert!(text.split('.').nth(1).map_or(0, str::len) <= 3, "{}", text);
        }

        #[test]
        fn a_share_reads_as_its_rounded_percentage(succeeded in 0_u64..3_000, failed in 0_u64..3_000) {
            let share = Share { calls: succeeded + failed, succeeded };

            let shown = share.to_string().parse::<f64>();
            let percent = 100.0 * succeeded as f64 / share.calls as f64;
            prop_assert!(shown.map_or(share.calls == 0, |shown| (shown - percent).abs() <= 0.5));
        }
    }
}
