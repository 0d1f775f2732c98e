//! The concurrency limit of a client over time: a line that falls with every 429 and
//! rises slowly with every success.

use std::{cmp::Reverse, time::Duration};

use crate::trace::{Span, SpanName, Trace, field};

/// The number of attempts that a client allowed itself in flight, from the start of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LimitLine {
    /// The limit at the start.
    pub(crate) from: u64,
    /// The changes, in order of time.
    pub(crate) steps: Vec<LimitStep>,
    /// The same as text.
    pub(crate) text: String,
}

/// A change of the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LimitStep {
    /// The moment: the end of the response that changed it.
    pub(crate) at: Duration,
    /// The limit from then on.
    pub(crate) limit: u64,
}

impl LimitLine {
    /// The line in the recorded spans; none if the limit did not change.
    #[must_use]
    pub(crate) fn of(trace: &Trace) -> Option<Self> {
        let mut moves: Vec<_> = trace.spans.iter().filter_map(Move::of).collect();
        moves.sort_by_key(Move::place);
        let from = moves.first()?.before;
        let steps = moves.iter().map(|change| LimitStep {
            at: change.at,
            limit: change.after,
        });
        Some(Self {
            from,
            steps: steps.collect(),
            text: text(from, &moves),
        })
    }
}

/// The effect of one response on the limit.
struct Move {
    at: Duration,
    before: u64,
    after: u64,
}

impl Move {
    fn of(span: &Span) -> Option<Self> {
        (span.name == SpanName::Attempt).then_some(())?;
        Some(Self {
            at: span.end?,
            before: span.fields.number(field::LIMIT_BEFORE)?,
            after: span.fields.number(field::LIMIT_AFTER)?,
        })
    }

    fn falls(&self) -> bool {
        self.after < self.before
    }

    /// The sort key. Moves at one moment are chained: each starts where another ended, falls
    /// from high to low, then rises from low to high.
    fn place(&self) -> (Duration, bool, Reverse<u64>, u64) {
        let [fall, rise] = if self.falls() {
            [self.before, 0]
        } else {
            [0, self.before]
        };
        (self.at, !self.falls(), Reverse(fall), rise)
    }
}

/// Every fall, and the last value if it rose afterwards.
fn text(from: u64, moves: &[Move]) -> String {
    let falls: Vec<_> = moves.iter().filter(|change| change.falls()).collect();
    let line: Vec<_> = std::iter::once(from)
        .chain(falls.iter().map(|fall| fall.after))
        .map(|limit| limit.to_string())
        .collect();
    let last = moves.last().map_or(from, |last| last.after);
    let lowest = falls.last().map_or(from, |fall| fall.after);
    let mut text = match falls.len() {
        0 => format!("{from}"),
        1 => format!("{} after one response with 429", line.join(" → ")),
        number => format!("{} after {number} responses with 429", line.join(" → ")),
    };
    if last > lowest {
        text.push_str(&format!("; later successes raised it to {last}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::testing::{span, trace};

    fn line(spans: &[&str]) -> Option<LimitLine> {
        let spans = spans.iter().map(|text| span(text));
        LimitLine::of(&trace(spans.collect(), 9))
    }

    #[test]
    fn falls_at_one_moment_are_sorted_from_high_to_low_with_rises_after_them() {
        let line = line(&[
            "attempt 0-5 concurrency.limit_before=8 concurrency.limit_after=9",
            "attempt 0-0 concurrency.limit_before=16 concurrency.limit_after=8",
            "attempt 0-0",
            "attempt 0-0 concurrency.limit_before=32 concurrency.limit_after=16",
        ]);

        let line = line.expect("a limit that moved");
        let steps: Vec<_> = line.steps.iter().map(|step| step.limit).collect();
        assert_eq!((line.from, steps), (32, vec![16, 8, 9]));
        assert_eq!(
            line.text,
            "32 → 16 → 8 after 2 responses with 429; later successes raised it to 9"
        );
    }

    #[test]
    fn a_constant_limit_has_no_line() {
        assert_eq!(line(&["attempt 0-0"]), None);
    }
}
