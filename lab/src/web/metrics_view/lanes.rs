//! The lanes: which metric each shows, and the parts of each.

use client::telemetry::{ATTEMPTS, CALL_DURATION, CALLS, CURSOR_LOOPS, GIVE_UPS, RETRIES};
use host::telemetry::{FAULTS, LABEL_FAULT, LABEL_STATUS, REQUEST_DURATION};
use render::columns::Fill;

/// A counter over time, divided into parts.
pub(super) struct Lane {
    pub(super) title: &'static str,
    /// What is counted, or by what it is divided, in two words.
    pub(super) by: &'static str,
    /// The name of the metric.
    pub(super) metric: &'static str,
    /// What follows the name in `/metrics`.
    pub(super) suffix: &'static str,
    pub(super) question: &'static str,
    /// The label that tells the parts; none for a counter of one part.
    pub(super) label: Option<&'static str>,
    /// At most [`MOST_PARTS`]. The last has all values that no other part has.
    pub(super) parts: &'static [Part],
}

/// Some values of a label, as one part of a column.
pub(super) struct Part {
    pub(super) name: &'static str,
    pub(super) fill: Fill,
    /// Whether a value belongs to it.
    pub(super) has: fn(&str) -> bool,
}

/// The most parts of a lane.
pub(super) const MOST_PARTS: usize = 6;

/// What the last lane shows: how long calls took.
pub(super) const DURATIONS: &str = CALL_DURATION.name;
pub(super) const DURATIONS_QUESTION: &str = CALL_DURATION.question;

const fn part(name: &'static str, fill: Fill, has: fn(&str) -> bool) -> Part {
    Part { name, fill, has }
}

fn is_success(status: &str) -> bool {
    status.starts_with(['2', '3'])
}

/// The lanes of counters. The first four are those that the lessons name.
pub(super) const LANES: [Lane; 7] = [
    Lane {
        title: "Attempts",
        by: "reliable client",
        metric: ATTEMPTS.name,
        suffix: "",
        question: ATTEMPTS.question,
        label: Some("result"),
        parts: &[
            part("ok", Fill::Good, is_success),
            part("failed", Fill::Failed, |_| true),
        ],
    },
    Lane {
        title: "Retries",
        by: "by reason",
        metric: RETRIES.name,
        suffix: "",
        question: RETRIES.question,
        label: Some("reason"),
        parts: &[
            part("5xx", Fill::Failed, |reason| reason.starts_with('5')),
            part("429", Fill::Wait, |reason| reason == "429"),
            part("timeout", Fill::Plain, |reason| {
                matches!(
                    reason,
                    "408" | "read_timeout" | "connect_timeout" | "queue_timeout"
                )
            }),
            part("no connection", Fill::Dotted, |reason| {
                matches!(reason, "connect" | "tls")
            }),
            part("connection lost", Fill::Lined, |_| true),
        ],
    },
    Lane {
        title: "Give-ups",
        by: "by reason",
        metric: GIVE_UPS.name,
        suffix: "",
        question: GIVE_UPS.question,
        label: Some("reason"),
        parts: &[
            part("attempts used up", Fill::Failed, |reason| {
                reason == "attempts_exhausted"
            }),
            part("budget empty", Fill::Wait, |reason| {
                reason == "retry_budget_empty"
            }),
            part("wait too long", Fill::Plain, |reason| {
                matches!(reason, "retry_after_over_budget" | "deadline")
            }),
            part("listing limit", Fill::Dotted, |reason| {
                matches!(reason, "page_limit" | "item_limit")
            }),
            part("not allowed", Fill::Lined, |_| true),
        ],
    },
    Lane {
        title: "Cursor loops",
        by: "listings stopped",
        metric: CURSOR_LOOPS.name,
        suffix: "",
        question: CURSOR_LOOPS.question,
        label: None,
        parts: &[part("repeated cursor", Fill::Dotted, |_| true)],
    },
    Lane {
        title: "Calls",
        by: "by ending",
        metric: CALLS.name,
        suffix: "",
        question: CALLS.question,
        label: Some("outcome"),
        parts: &[
            part("ok", Fill::Good, |outcome| outcome == "ok"),
            part("HTTP error", Fill::Failed, |outcome| {
                outcome == "http_error"
            }),
            part("bad response", Fill::Plain, |outcome| {
                outcome == "response_error"
            }),
            part("bad listing", Fill::Dotted, |outcome| {
                outcome == "contract_error"
            }),
            part("cancelled", Fill::Wait, |outcome| outcome == "cancelled"),
            part("no response", Fill::Lined, |_| true),
        ],
    },
    Lane {
        title: "Responses",
        by: "in real time",
        metric: REQUEST_DURATION.name,
        suffix: "_count",
        question: REQUEST_DURATION.question,
        label: Some(LABEL_STATUS),
        parts: &[
            part("2xx", Fill::Good, |status| status.starts_with('2')),
            part("5xx", Fill::Failed, |status| status.starts_with('5')),
            part("429", Fill::Wait, |status| status == "429"),
            part("4xx", Fill::Plain, |status| status.starts_with('4')),
            part("3xx", Fill::Lined, |status| status.starts_with('3')),
            part("other", Fill::Dotted, |_| true),
        ],
    },
    Lane {
        title: "Faults",
        by: "to all clients",
        metric: FAULTS.name,
        suffix: "",
        question: FAULTS.question,
        label: Some(LABEL_FAULT),
        parts: &[
            part("503", Fill::Failed, |fault| {
                matches!(
                    fault,
                    "flaky"
                        | "retry_later"
                        | "busy"
                        | "maintenance"
                        | "returned"
                        | "confused"
                        | "down"
                        | "slow"
                        | "unavailable"
                )
            }),
            part("429", Fill::Wait, |fault| fault == "too_many_requests"),
            part("bad listing", Fill::Dotted, |fault| {
                matches!(
                    fault,
                    "looping_items" | "endless_items" | "bad_items" | "bad_cursor"
                )
            }),
            part("no response", Fill::Lined, |fault| {
                matches!(fault, "silence" | "lost_response" | "cut_body" | "drip")
            }),
            part("odd response", Fill::Plain, |_| true),
        ],
    },
];

impl Lane {
    /// The series of `/metrics` that it sums up.
    pub(super) fn series(&self) -> String {
        format!("{}{}", self.metric, self.suffix)
    }

    /// The same as a query of Prometheus.
    pub(super) fn query(&self) -> String {
        let series = self.series();
        match self.label {
            Some(label) => format!("sum by ({label}) (increase({series}[15s]))"),
            None => format!("sum(increase({series}[15s]))"),
        }
    }

    /// The number of the part that has a value of the label.
    pub(super) fn part_of(&self, value: &str) -> usize {
        let part = self.parts.iter().position(|part| (part.has)(value));
        part.unwrap_or_default()
    }
}

/// The durations as a query of Prometheus.
pub(super) fn query_of_durations() -> String {
    format!("histogram_quantile(0.99, sum by (le) (increase({DURATIONS}_bucket[15s])))")
}
