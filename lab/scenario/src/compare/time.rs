//! The time of a run, and the part of it that its client chose.
//!
//! A machine may be slow at any moment, so two runs of the same actions seldom take the same
//! time. The part that a client chose, in waits before retries and in timeouts, is separate
//! from the part that the machine took.

use std::time::Duration;

use crate::{
    run::ScenarioRun,
    trace::{Span, SpanName, field},
};

/// The time of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Time {
    /// From its start to its end.
    pub(super) taken: Duration,
    /// The waits before retries, in total. The time left until a date depends on the machine
    /// that reads it, so a wait that the service asked for counts in whole seconds.
    pub(super) waited: Duration,
    /// The waits for a response that a timeout ended, in total.
    silent: Duration,
}

impl Time {
    pub(super) fn of(run: &ScenarioRun) -> Self {
        let spans = || run.traces.iter().flat_map(|trace| &trace.spans);
        let lasted = |span: &Span| Some(span.end?.saturating_sub(span.start));
        let runs = spans().filter(|span| span.name == SpanName::Run);
        let attempts = spans().filter(|span| span.name == SpanName::Attempt);
        let silent = attempts
            .filter(|span| span.fields.text(field::ERROR_TYPE) == Some("read_timeout"))
            .filter_map(lasted);
        Self {
            taken: runs.filter_map(lasted).sum(),
            waited: spans().filter_map(waited).sum(),
            silent: silent.sum(),
        }
    }

    /// Whether the clients chose different times. Two timeouts of equal length differ by the
    /// imprecision of timers.
    pub(super) fn differ([one, other]: [Self; 2]) -> bool {
        let longer = one.silent.max(other.silent);
        one.waited != other.waited || one.silent.abs_diff(other.silent) > longer / 2
    }
}

fn waited(span: &Span) -> Option<Duration> {
    let wait = span.fields.seconds(field::WAIT_SECONDS)?;
    let asked_for = span.fields.text(field::WAIT_SOURCE) == Some("retry_after");
    Some(if asked_for {
        Duration::from_secs(wait.as_nanos().div_ceil(1_000_000_000) as u64)
    } else {
        wait
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_times_that_a_client_chose_differ() {
        let [short, long] = [400, 8_000].map(Duration::from_millis);
        let time = |waited, silent| Time {
            taken: waited + silent,
            waited,
            silent,
        };
        let slow = |time: Time| Time {
            taken: time.taken + long,
            ..time
        };
        let at_once = time(Duration::ZERO, Duration::ZERO);
        let nearly_short = time(Duration::ZERO, short + Duration::from_millis(30));

        for (one, other, differ) in [
            (at_once, slow(at_once), false),
            (at_once, time(short, Duration::ZERO), true),
            (time(Duration::ZERO, short), nearly_short, false),
            (
                time(Duration::ZERO, short),
                time(Duration::ZERO, long),
                true,
            ),
            (at_once, time(Duration::ZERO, short), true),
        ] {
            assert_eq!(Time::differ([one, other]), differ, "{one:?} {other:?}");
        }
    }
}
