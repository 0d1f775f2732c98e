//! The result that a process printed: a JSON object on its last line.

use std::time::Duration;

use serde_json::{Map, Value};
use wire::ProcessRecord;

/// The JSON object on the last printed line. The end of a line is no result, whatever it
/// looks like.
#[must_use]
pub fn of(process: &ProcessRecord) -> Option<Map<String, Value>> {
    serde_json::from_str(process.last_line.as_deref()?).ok()
}

/// Whether a result says that the task failed.
#[must_use]
pub fn says_error(result: &Map<String, Value>) -> bool {
    result.get("error").is_some_and(|error| !error.is_null())
}

/// Whether a result says that the client does not do the task.
#[must_use]
pub fn says_skip(result: &Map<String, Value>) -> bool {
    result.get("skip") == Some(&true.into())
}

/// When a process printed its result.
pub(super) fn at(process: &ProcessRecord) -> Option<Duration> {
    process.printed_at.filter(|_| of(process).is_some())
}

/// Whether a process exited with code 0, or was stopped, and printed a result that is not an error.
pub(super) fn ends(process: &ProcessRecord) -> bool {
    let has_ended = process.exit == Some(0) || process.stopped.is_some();
    has_ended && of(process).is_some_and(|result| !says_error(&result) && !says_skip(&result))
}

/// Whether a process ended by itself with an error: it printed one, or has another exit code
/// than 0.
pub(super) fn ends_with_error(process: &ProcessRecord) -> bool {
    let says_error = || of(process).is_some_and(|result| says_error(&result));
    process.exit.is_some_and(|code| code != 0 || says_error())
}
