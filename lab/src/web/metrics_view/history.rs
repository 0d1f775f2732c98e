//! The last fifteen minutes of the counters: a sample each second, from the text of `/metrics`.

use std::{collections::VecDeque, time::Duration};

use client::telemetry::{ATTEMPTS, CALL_DURATION, CALLS, CURSOR_LOOPS, GIVE_UPS, RETRIES};
use host::telemetry::{EARLY_RETRIES, FAULTS};

/// A metric with a chart of its own.
pub(super) struct Charted {
    pub(super) title: &'static str,
    pub(super) metric: &'static str,
    pub(super) question: &'static str,
    pub(super) lines: Lines,
}

/// The lines of a chart.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lines {
    /// One, the sum of all series.
    Sum,
    /// One for each value of this label.
    Each(&'static str),
    /// The median and the 99th percentile, from the buckets of a histogram.
    Quantiles,
}

/// The charts. The first four are the counters that the lessons name.
pub(super) const CHARTS: [Charted; 8] = [
    Charted {
        title: "Attempts",
        metric: ATTEMPTS.name,
        question: "How many requests did the reliable client send?",
        lines: Lines::Sum,
    },
    Charted {
        title: "Retries",
        metric: RETRIES.name,
        question: "How many requests were sent again, and who chose the wait?",
        lines: Lines::Each("wait_source"),
    },
    Charted {
        title: "Give-ups",
        metric: GIVE_UPS.name,
        question: GIVE_UPS.question,
        lines: Lines::Each("reason"),
    },
    Charted {
        title: "Cursor loops",
        metric: CURSOR_LOOPS.name,
        question: CURSOR_LOOPS.question,
        lines: Lines::Sum,
    },
    Charted {
        title: "Calls",
        metric: CALLS.name,
        question: "How did the calls of the reliable client end? Each page of a listing is a call. A call sends one request and its retries, or none if a limit forbids it.",
        lines: Lines::Each("outcome"),
    },
    Charted {
        title: "Faults",
        metric: FAULTS.name,
        question: "How many responses were faults on purpose, such as a 503? /metrics names each kind.",
        lines: Lines::Sum,
    },
    Charted {
        title: "Early retries",
        metric: EARLY_RETRIES.name,
        question: EARLY_RETRIES.question,
        lines: Lines::Sum,
    },
    Charted {
        title: "Durations",
        metric: CALL_DURATION.name,
        question: "How long did the calls of the last minute take? Runs in virtual time are not timed.",
        lines: Lines::Quantiles,
    },
];

/// The time that the samples span at most.
const KEPT: Duration = Duration::from_secs(15 * 60);

/// The samples, the oldest first.
#[derive(Default)]
pub(super) struct History {
    series: Vec<Series>,
    samples: VecDeque<Sample>,
}

/// A number of each sample: the sum of the series of a chart that have this label.
struct Series {
    /// The index of the chart.
    chart: usize,
    /// The value of the label that the chart is by, or the bound of a bucket.
    label: String,
}

pub(super) struct Sample {
    /// The time since the start of the process.
    pub(super) at: Duration,
    /// One for each series that was known then.
    values: Vec<u64>,
}

/// The number of one series over time.
#[derive(Clone, Copy)]
pub(super) struct Counted<'a> {
    pub(super) label: &'a str,
    number: usize,
}

impl Counted<'_> {
    /// Its number in a sample: zero before it existed.
    pub(super) fn of(self, sample: &Sample) -> u64 {
        sample.values.get(self.number).copied().unwrap_or(0)
    }
}

impl History {
    /// Adds the text of `/metrics` at a time since the start.
    pub(super) fn add(&mut self, at: Duration, text: &str) {
        let mut values = vec![0; self.series.len()];
        for (chart, label, value) in text.lines().filter_map(read) {
            let is_it = |series: &Series| series.chart == chart && series.label == label;
            let number = self.series.iter().position(is_it).unwrap_or_else(|| {
                let label = label.to_owned();
                self.series.push(Series { chart, label });
                values.push(0);
                values.len() - 1
            });
            if let Some(sum) = values.get_mut(number) {
                *sum += value;
            }
        }
        self.samples.push_back(Sample { at, values });
        while self.samples.front().is_some_and(|old| at - old.at > KEPT) {
            self.samples.pop_front();
        }
    }

    pub(super) fn samples(&self) -> &VecDeque<Sample> {
        &self.samples
    }

    /// The series of a chart, in the order of their labels; buckets in that of their bounds.
    pub(super) fn counted(&self, chart: usize) -> Vec<Counted<'_>> {
        let series = self.series.iter().enumerate();
        let mut counted: Vec<_> = series
            .filter(|(_, series)| series.chart == chart)
            .map(|(number, Series { label, .. })| Counted { label, number })
            .collect();
        counted.sort_by(|one, other| {
            let [bound, other_bound] = [one, other].map(|of| bound(of.label).unwrap_or_default());
            bound
                .total_cmp(&other_bound)
                .then(one.label.cmp(other.label))
        });
        counted
    }
}

/// The bound of a bucket, in seconds.
pub(super) fn bound(label: &str) -> Option<f64> {
    label.parse().ok()
}

/// The chart, the label and the value of a line of `/metrics`; none if no chart shows it.
///
/// Names and values of labels come from closed sets, none of which has a comma or a quote.
fn read(line: &str) -> Option<(usize, &str, u64)> {
    let (series, value) = line.rsplit_once(' ')?;
    let (name, labels) = series.split_once('{').unwrap_or((series, "}"));
    let (chart, charted) = CHARTS.iter().enumerate().find(|(_, charted)| {
        let suffix = name.strip_prefix(charted.metric);
        suffix
            == Some(if charted.lines == Lines::Quantiles {
                "_bucket"
            } else {
                ""
            })
    })?;
    let by = match charted.lines {
        Lines::Sum => return Some((chart, "", value.parse().ok()?)),
        Lines::Each(label) => label,
        Lines::Quantiles => "le",
    };
    let mut labels = labels.strip_suffix('}')?.split(',');
    let label = labels.find_map(|label| label.strip_prefix(by)?.strip_prefix("=\""))?;
    Some((chart, label.strip_suffix('"')?, value.parse().ok()?))
}
