//! The values of each panel after three events on a fresh lab, with seed 1: `flaky` (503, 503, 200, with waits of 194 ms and 276 ms), `retry-later` (503,
//! given up) and `create-job` (201).

use Value::{Above, Count, Mean, Under, Whole};

/// A number that a panel shows.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    /// This many events, or seconds of them, in the time shown.
    Count(f64),
    /// Exactly this many events in the time shown.
    Whole(f64),
    /// At least this, and less than twice as much: it was waited for.
    Above(f64),
    /// A share or a mean, which is exact.
    Mean(f64),
    /// At least 0, and less than this: it depends on the speed of the machine.
    Under(f64),
}

/// The title of a panel, and its series by their names in the legend. All others are 0,
/// or NaN if they divide by it.
pub(crate) const EXPECTED: &[(&str, &[(&str, Value)])] = &[
    ("Service", &[("Service", Count(1.0))]),
    (
        "Calls that succeeded",
        &[("Calls that succeeded", Mean(2.0 / 3.0))],
    ),
    (
        "Attempts that succeeded",
        &[("Attempts that succeeded", Mean(2.0 / 5.0))],
    ),
    (
        "Attempts per call",
        &[("Attempts per call", Mean(5.0 / 3.0))],
    ),
    ("Give-ups", &[("Give-ups", Whole(1.0))]),
    ("Early retries", &[]),
    (
        "Which faults are served?",
        &[("flaky", Count(2.0)), ("retry_later", Count(1.0))],
    ),
    (
        "How do attempts end?",
        &[
            ("200", Count(1.0)),
            ("201", Count(1.0)),
            ("503", Count(3.0)),
        ],
    ),
    ("How do the naive client's attempts end?", &[]),
    ("Why is there another attempt?", &[("503", Count(2.0))]),
    (
        "Why are calls given up?",
        &[("retry_after_over_budget", Count(1.0))],
    ),
    (
        "Succeeded only after a retry",
        &[("Succeeded only after a retry", Whole(1.0))],
    ),
    (
        "Waiting, for each call",
        &[("Waiting, for each call", Above(0.470 / 3.0))],
    ),
    (
        "How do calls end?",
        &[
            ("ok at once", Count(1.0)),
            ("ok after a retry", Count(1.0)),
            ("http_error", Count(1.0)),
        ],
    ),
    (
        "Do more calls succeed than attempts?",
        &[("calls", Mean(2.0 / 3.0)), ("attempts", Mean(2.0 / 5.0))],
    ),
    (
        "How long does a caller wait?",
        &[
            ("a call that succeeded", Above(0.470 / 2.0)),
            ("between attempts", Above(0.470 / 3.0)),
        ],
    ),
    (
        "How many requests does a call take?",
        &[
            ("1", Count(2.0)),
            ("2", Count(2.0)),
            ("3", Count(3.0)),
            ("5", Count(3.0)),
            ("10", Count(3.0)),
            ("+Inf", Count(3.0)),
        ],
    ),
    ("Who chooses the wait?", &[("backoff", Count(2.0))]),
    ("How many calls wait at once?", &[("backoff", Above(0.470))]),
    (
        "How long is one wait?",
        &[
            ("0.25", Count(1.0)),
            ("0.5", Count(2.0)),
            ("1", Count(2.0)),
            ("2.5", Count(2.0)),
            ("5", Count(2.0)),
            ("10", Count(2.0)),
            ("30", Count(2.0)),
            ("+Inf", Count(2.0)),
        ],
    ),
    (
        "How long is one wait, on average?",
        &[("backoff", Above(0.470 / 2.0))],
    ),
    (
        "How long does a request take?",
        &[("/flaky", Under(1.0)), ("/jobs", Under(1.0))],
    ),
    (
        "How often is each endpoint asked?",
        &[
            ("flaky", Count(3.0)),
            ("retry_later", Count(1.0)),
            ("create_job", Count(1.0)),
        ],
    ),
    ("Which retries did the budget refuse?", &[]),
    ("What shrank the concurrency limit?", &[]),
    ("Which listings go round in circles?", &[]),
    ("Who comes back too early?", &[]),
    ("Requests", &[("Requests", Count(5.0))]),
    ("Server errors", &[("Server errors", Mean(3.0 / 5.0))]),
    (
        "Mean time to respond",
        &[("Mean time to respond", Under(1.0))],
    ),
    ("Active requests", &[]),
    ("Jobs created", &[("Jobs created", Whole(1.0))]),
    (
        "Which routes are asked?",
        &[
            ("/flaky", Count(3.0)),
            ("/retry-later", Count(1.0)),
            ("/jobs", Count(1.0)),
        ],
    ),
    (
        "With which status does the service respond?",
        &[
            ("200", Count(1.0)),
            ("201", Count(1.0)),
            ("503", Count(3.0)),
        ],
    ),
    (
        "Which routes respond with errors?",
        &[("/flaky", Count(2.0)), ("/retry-later", Count(1.0))],
    ),
    (
        "How long do responses take?",
        &[
            ("/flaky", Under(1.0)),
            ("/retry-later", Under(1.0)),
            ("/jobs", Under(1.0)),
        ],
    ),
    (
        "How slow are the slowest responses?",
        &[
            ("half", Under(1.0)),
            ("90 %", Under(5.0)),
            ("99 %", Under(5.0)),
        ],
    ),
    (
        "What becomes of job submissions?",
        &[("created", Count(1.0))],
    ),
    ("How many requests are active?", &[]),
];
