//! How the process of a client ended.

use std::time::Duration;

use serde::Serialize;

use crate::nanoseconds;

/// The time after its result at which a process that is still running gets a remark. If the
/// result is right, and nothing was printed or sent since, only a thread pool or an open
/// connection keeps it alive. Where a rule forbids a later request, the lab keeps watching.
pub const LINGER: Duration = Duration::from_secs(1);

/// How a client's process ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ProcessRecord {
    /// When it was started, on the clock of the wire record.
    #[serde(rename = "started_ns", with = "nanoseconds")]
    pub started: Duration,
    /// When it ended or was stopped.
    #[serde(rename = "ended_ns", with = "nanoseconds")]
    pub ended: Duration,
    /// Until when the lab watched for requests of it and of what it had started.
    #[serde(rename = "watched_until_ns", with = "nanoseconds")]
    pub watched_until: Duration,
    /// Whether it or something that it had started was still running then, and the lab
    /// ended it.
    pub left_running: bool,
    /// Its exit code; none if a signal or the lab ended it.
    pub exit: Option<i32>,
    /// The signal that ended it; none for a signal from the lab.
    pub signal: Option<i32>,
    /// Why the lab stopped it; none if the lab did not.
    pub stopped: Option<Stopped>,
    /// The last non-empty line that it printed; none also if that is longer than the lab
    /// keeps, since the end of a line is no result.
    pub last_line: Option<String>,
    /// When it printed that line, on the clock of the wire record.
    #[serde(rename = "printed_at_ns", with = "nanoseconds")]
    pub printed_at: Option<Duration>,
    /// The largest delay of the lab's own scheduling while the case ran: how late a timer
    /// fired that it started again and again.
    #[serde(rename = "lab_delay_ns", with = "nanoseconds")]
    pub lab_delay: Duration,
    /// The number of bytes that it printed.
    pub printed: u64,
    /// The last lines of its stderr.
    pub stderr: Vec<String>,
}

/// Why the lab stopped a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stopped {
    /// The time of the case was up.
    TimeUp,
    /// It had sent more requests than a case allows.
    Flood,
    /// It had printed the right result, and neither ended nor sent anything more.
    Lingered,
}
