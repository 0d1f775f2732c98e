//! How long a run took, and how much of that its client chose.
//!
//! A machine may be slow at any moment, so two runs that did the same seldom take the
//! same time. What a client chose, to wait before a retry and to bear a silence, is told
//! apart from what the machine took.

use std::time::Duration;

use crate::{
    run::Run,
    trace::{Span, SpanName, field},
};

/// How long a run took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Time {
    /// From its begin to its end.
    pub(super) taken: Duration,
    /// The waits before retries, all together. What is left of a date when it is read
    /// is up to the machine, so what the service asked for counts as whole seconds.
    pub(super) waited: Duration,
    /// The silences that a timeout ended, all together.
    silent: Duration,
}

impl Time {
    pub(super) fn of(run: &Run) -> Self {
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

    /// Whether the clients chose to take different times. Two silences of one length
    /// differ by what timers are off by.
    pub(super) fn differ([one, other]: [Self; 2]) -> bool {
        let longer = one.silent.max(other.silent);
        one.waited != other.waited || one.silent.abs_diff(other.silent) > longer / 2
    }
}

fn waited(span: &Span) -> Option<Duration> {
    let wait = span.fields.seconds(field::WAIT_SECONDS)?;
    let asked_for = span.fields.text(field::WAIT_SOURCE) == Some("retry_after");
    Some(match asked_for {
        true => Duration::from_secs(wait.as_nanos().div_ceil(1_000_000_000) as u64),
        false => wait,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_client_chose_differs() {
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
