//! The goal of a case: what the caller must end up with, read from the process.

use std::time::Duration;

use GoalVerdict::{Crashed, Missed, NotJudged, Reached, Skipped};
use judge::rules::{Verdict, result};
use process::STDOUT_KEPT;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use wire::{
    ClosedBy, ProcessRecord, RetryAfterForm, Stopped, WireConnection, WireRecord, counted,
    duration, duration_left,
};

use crate::{in_flight::left_open, remark};

/// The word for the goal of a task, where rules have their ids.
pub const GOAL: &str = "goal";

/// The exit code of a client that does not do this task. A shell uses the same code for an
/// unknown command.
pub(crate) const NOT_DONE: i32 = 127;

/// The most results that a text names.
const MOST_NAMED: usize = 3;

/// The most turns of the lab, one for each request, whose delays can add up to the reason
/// for a missed goal. Who sends more has been served more than enough.
const MOST_TURNS: u64 = 20;

/// A client that got so many requests through in its time, several times as many as any task
/// takes, was not kept waiting by the lab.
const PLENTY: u64 = 1_000;

/// The result that the caller must have. A result is a JSON object on the last line that the
/// process prints; it may have additional members.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Goal {
    /// A result with the members of one of these.
    Result(Vec<Map<String, Value>>),
    /// An error.
    Error,
    /// An error: a listing with so many records cannot be read to its end.
    ErrorInListing {
        /// The records of the whole listing.
        records: u64,
    },
    /// An error with these members.
    ErrorWith(Map<String, Value>),
}

/// Whether a goal was reached, and what was found instead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GoalResult {
    /// The verdict.
    pub verdict: GoalVerdict,
    /// The finding, as text. If the goal was reached, a remark, or none.
    pub found: Option<String>,
}

/// The verdict on a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GoalVerdict {
    /// The goal was reached.
    Reached,
    /// The goal was not reached.
    Missed,
    /// The process was ended by a signal, or ended without a request.
    Crashed,
    /// The process said that it does not do this task.
    Skipped,
    /// It cannot be judged: there was no process, or the time was up and the lab's own
    /// delays could be the reason.
    NotJudged,
}

impl Goal {
    /// A result with the members of this object.
    ///
    /// # Panics
    ///
    /// If it is not an object.
    pub(crate) fn result(object: Value) -> Self {
        Self::result_of([object])
    }

    /// A result with the members of one of these objects.
    ///
    /// # Panics
    ///
    /// If one of them is not an object.
    pub(crate) fn result_of(objects: impl IntoIterator<Item = Value>) -> Self {
        Self::Result(objects.into_iter().map(members).collect())
    }

    /// A printed error with the members of this object.
    ///
    /// # Panics
    ///
    /// If it is not an object.
    pub(crate) fn error_with(object: Value) -> Self {
        Self::ErrorWith(members(object))
    }

    /// Judges a case.
    pub(crate) fn judge(&self, wire: &WireRecord, process: Option<&ProcessRecord>) -> GoalResult {
        let Some(process) = process else {
            return GoalResult::of(NotJudged, "the client was not run as a process");
        };
        let result = result::of(process);
        let is_not_done = process.exit == Some(NOT_DONE);
        let asked = wire.total > 0 || !wire.refused.is_empty();
        if result.as_ref().is_some_and(result::says_skip) || is_not_done && !asked {
            return GoalResult::of(Skipped, "the client says that it does not do this");
        }
        if let Some(signal) = process.signal {
            return GoalResult::of(Crashed, format!("ended by signal {signal}"));
        }
        let is_accepted = result.as_ref().is_some_and(|result| self.takes(result));
        if is_not_done && !is_accepted {
            let found = format!("exit code {NOT_DONE} after requests: a command was not found");
            return GoalResult::of(Crashed, found);
        }
        match process.stopped {
            Some(Stopped::Flood) => {
                let took = duration(process.ended.saturating_sub(process.started));
                let found = format!("a flood of requests within {took}");
                return GoalResult::of(Missed, found);
            }
            Some(Stopped::TimeUp) if !is_accepted || wire.total == 0 => {
                return self.judge_time_up(wire, process, result.as_ref());
            }
            _ => {}
        }
        if wire.total == 0 {
            let verdict = if wire.refused.is_empty() {
                Crashed
            } else {
                Missed
            };
            let ended = ended_with(process);
            let found = match arrived_instead(wire) {
                Some(found) => format!("{found}; {ended}"),
                None => format!("no request was sent, {ended}"),
            };
            return GoalResult::of(verdict, found);
        }
        self.judge_result(wire, process, result.as_ref())
    }

    /// Judges a process that ended without a signal and was not stopped.
    fn judge_result(
        &self,
        wire: &WireRecord,
        process: &ProcessRecord,
        result: Option<&Map<String, Value>>,
    ) -> GoalResult {
        if self.is_reached(process, result) {
            GoalResult {
                verdict: Reached,
                found: remark::of(wire, process),
            }
        } else {
            let mut found = printed(process, result);
            let records = result.and_then(|result| result.get("records")?.as_u64());
            if let (Self::ErrorInListing { records: all }, Some(records)) = (self, records) {
                found += &format!(
                    ": {records} of {all} records, and nothing says that the others are missing"
                );
            }
            GoalResult::of(Missed, found)
        }
    }

    /// The goal as text.
    pub(crate) fn expected(&self) -> String {
        let objects = |objects: &[Map<String, Value>]| {
            let mut texts: Vec<_> = objects.iter().take(MOST_NAMED).map(text).collect();
            if objects.len() > MOST_NAMED {
                texts.push(format!("one of {} more", objects.len() - MOST_NAMED));
            }
            texts.join(" or ")
        };
        match self {
            Self::Result(results) => objects(results),
            Self::Error | Self::ErrorInListing { .. } => "an error".to_owned(),
            Self::ErrorWith(members) if members.is_empty() => "a printed error".to_owned(),
            Self::ErrorWith(members) => {
                format!("an error with {}", objects(std::slice::from_ref(members)))
            }
        }
    }

    /// Whether this line is the right result, however its process ends.
    pub(crate) fn accepts(&self, line: &str) -> bool {
        serde_json::from_str(line).is_ok_and(|result| self.takes(&result))
    }

    /// Whether a printed object is the right result.
    fn takes(&self, result: &Map<String, Value>) -> bool {
        let is_one_of =
            |results: &[Map<String, Value>]| results.iter().any(|expected| has(result, expected));
        match self {
            Self::Result(results) => is_one_of(results),
            Self::Error | Self::ErrorInListing { .. } => result::says_error(result),
            Self::ErrorWith(members) => result::says_error(result) && has(result, members),
        }
    }

    /// An exit code other than 0 is an error whatever was printed before: some clients print
    /// the body of a failed response.
    fn is_reached(&self, process: &ProcessRecord, result: Option<&Map<String, Value>>) -> bool {
        let takes_exit = matches!(self, Self::Error | Self::ErrorInListing { .. });
        takes_exit && process.exit.is_some_and(|code| code != 0)
            || result.is_some_and(|result| self.takes(result))
    }

    /// A process whose time was up without the right result has missed its goal, unless the
    /// lab's own delays could be the reason.
    fn judge_time_up(
        &self,
        wire: &WireRecord,
        process: &ProcessRecord,
        result: Option<&Map<String, Value>>,
    ) -> GoalResult {
        let took = duration(process.ended.saturating_sub(process.started));
        let doing = match (wire.total, arrived_instead(wire)) {
            (0, Some(found)) => format!("{found}; still running after {took}"),
            (0, None) => format!("no request within {took}"),
            _ => {
                doing(wire, process.ended).unwrap_or_else(|| format!("still running after {took}"))
            }
        };
        let doing = match result {
            Some(_) => format!("{}; {doing}", printed(process, result)),
            None => doing,
        };
        if lab_is_late(wire, process) {
            let late = duration(process.lab_delay);
            let why = format!("the lab itself was up to {late} late in each turn");
            let found = format!("{doing}, perhaps because {why}");
            GoalResult::of(NotJudged, found)
        } else {
            GoalResult::of(Missed, doing)
        }
    }
}

/// Whether the lab's own delays could be the reason why a process had no result in time.
///
/// The lab takes a turn for each request, and one for the result. It was late by at most
/// its largest delay in each. All that together could be the reason if it is no less than
/// the wait that was left, or where none is known, than a tenth of the time that the client
/// had.
fn lab_is_late(wire: &WireRecord, process: &ProcessRecord) -> bool {
    let turns = wire.total.saturating_add(1).min(MOST_TURNS);
    let late = process.lab_delay * u32::try_from(turns).unwrap_or(u32::MAX);
    let began = wire
        .entries
        .first()
        .map_or(process.started, |request| request.arrived);
    let missing = match asked_wait(wire, process.ended) {
        Some((left, _)) => left,
        None => process.ended.saturating_sub(began) / 10,
    };
    wire.total < PLENTY && !late.is_zero() && late >= missing
}

/// How much was left at this moment of the wait that the last response asked for, and how it
/// asked.
fn asked_wait(wire: &WireRecord, at: Duration) -> Option<(Duration, String)> {
    let last = wire.entries.last()?;
    let (head, asked) = (last.head?, last.retry_after?);
    let left = head.saturating_add(asked.wait()).checked_sub(at)?;
    let asked = match asked.form {
        RetryAfterForm::Seconds => format!("Retry-After: {}", asked.wait().as_secs()),
        _ => "the date in Retry-After".to_owned(),
    };
    (!left.is_zero()).then_some((left, asked))
}

/// The activity of a client at this moment, as far as its last request tells.
fn doing(wire: &WireRecord, at: Duration) -> Option<String> {
    if let Some((left, asked)) = asked_wait(wire, at) {
        let left = duration_left(left);
        return Some(format!("still waiting, {left} more, after {asked}"));
    }
    let last = wire.entries.last()?;
    let since = |moment| duration(at.saturating_sub(moment));
    Some(match (last.head, last.ended) {
        (None, _) => format!(
            "time is up: still waiting for the response to request {}, after {}",
            last.seq,
            since(last.arrived)
        ),
        (Some(head), None) => format!(
            "time is up: still reading the response to request {}, after {}",
            last.seq,
            since(head)
        ),
        (Some(_), Some(ended)) => {
            let open = left_open(wire, at).map(|open| format!("; {open}"));
            format!(
                "still running, {} after the response to request {}{}",
                since(ended),
                last.seq,
                open.unwrap_or_default()
            )
        }
    })
}

impl GoalVerdict {
    /// The verdict on a rule that means the same.
    #[must_use]
    pub fn as_verdict(self) -> Verdict {
        match self {
            Self::Reached => Verdict::Kept,
            Self::Missed | Self::Crashed => Verdict::Broken,
            Self::Skipped => Verdict::Skipped,
            Self::NotJudged => Verdict::CannotTell,
        }
    }

    /// Whether a client with this verdict and this number of requests attempted the task.
    pub(crate) fn was_attempted(self, requests: u64) -> bool {
        match self {
            Self::Skipped => false,
            Self::NotJudged => requests > 0,
            Self::Reached | Self::Missed | Self::Crashed => true,
        }
    }
}

impl GoalResult {
    fn of(verdict: GoalVerdict, found: impl Into<String>) -> Self {
        Self {
            verdict,
            found: Some(found.into()),
        }
    }

    /// The result of all cases of a task: reached unless one of them says otherwise.
    pub(crate) fn of_all<'a>(cases: impl IntoIterator<Item = &'a Self> + Clone) -> Self {
        let of = |verdict| {
            cases
                .clone()
                .into_iter()
                .find(|result| result.verdict == verdict)
        };
        let reached = of(Reached);
        let failed = of(Crashed).or_else(|| of(Missed));
        let skipped = of(Skipped);
        let decides = match (failed, skipped, reached) {
            (Some(failed), ..) => failed,
            (None, Some(_), Some(_)) => {
                return Self::of(Missed, "done in some cases and skipped in others");
            }
            (None, Some(skipped), None) => skipped,
            (None, None, reached) => {
                let remarked = |goal: &&Self| goal.verdict == Reached && goal.found.is_some();
                let remarked = cases.clone().into_iter().find(remarked);
                let not_judged = of(NotJudged);
                let decides = not_judged.or(remarked).or(reached).cloned();
                return decides.unwrap_or_else(|| Self::of(NotJudged, "not run"));
            }
        };
        decides.clone()
    }
}

fn printed(process: &ProcessRecord, result: Option<&Map<String, Value>>) -> String {
    match &process.last_line {
        Some(line) if result.is_some() => format!("printed {line}"),
        Some(line) if line.starts_with("{'") => {
            format!("the last line is not JSON (JSON needs double quotes): {line}")
        }
        Some(line) if line == "}" => "the result must be on one line".to_owned(),
        Some(line) => format!("the last line is not a JSON object: {line}"),
        None if process.printed > STDOUT_KEPT as u64 => format!(
            "the last line is longer than the {} KiB that the lab reads: print a shorter result",
            STDOUT_KEPT / 1024
        ),
        None => format!("printed nothing, {}", ended_with(process)),
    }
}

fn ended_with(process: &ProcessRecord) -> String {
    match (process.exit, process.signal) {
        (Some(exit), _) => format!("exit code {exit}"),
        (None, Some(signal)) => format!("ended by signal {signal}"),
        (None, None) => "ended".to_owned(),
    }
}

/// The arrivals although no request reached the service: refused requests, or connections
/// without a request.
fn arrived_instead(wire: &WireRecord) -> Option<String> {
    let refused = wire.refusals_in_words();
    let mut connections = wire.connections.iter();
    let is_http2 = |connection: &WireConnection| {
        let closed = connection.closed;
        closed.is_some_and(|end| end.by == ClosedBy::Http2)
    };
    refused.or_else(|| {
        let last = connections.next_back()?;
        let (were, them) = match wire.connections.len() {
            1 => ("was", "it"),
            _ => ("were", "them"),
        };
        let opened = counted(wire.connections.len() as u64, "connection");
        let opened = format!("{opened} {were} opened");
        Some(if is_http2(last) {
            format!("{opened}, and the client spoke HTTP/2; the service speaks HTTP/1.1")
        } else if last.requests > 0 {
            format!("{opened}, and the client closed it, or its half of it, before a response")
        } else {
            format!("{opened}, but no HTTP request arrived on {them}")
        })
    })
}

#[expect(clippy::panic, reason = "each caller passes an object literal")]
fn members(object: Value) -> Map<String, Value> {
    match object {
        Value::Object(members) => members,
        other => panic!("a result must be an object, not {other}"),
    }
}

fn text(object: &Map<String, Value>) -> String {
    Value::from(object.clone()).to_string()
}

/// Whether a result has all of these members.
fn has(result: &Map<String, Value>, members: &Map<String, Value>) -> bool {
    let mut members = members.iter();
    members.all(|(name, expected)| result.get(name).is_some_and(|value| equal(value, expected)))
}

/// Equal as JSON: `3` and `3.0` are the same number.
fn equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal(one, other))
        }
        (Value::Object(one), Value::Object(other)) => one.len() == other.len() && has(one, other),
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::{collection::vec, prelude::*, sample::select};
    use serde_json::json;
    use testkit::script::{Script, exits};
    use wire::{ConnectionEnd, RetryAfter, WireRefusal, WireRequest};

    use super::*;

    fn printed(line: &str) -> ProcessRecord {
        exits(0, line)
    }

    fn time_up(seconds: u64) -> ProcessRecord {
        ProcessRecord {
            stopped: Some(Stopped::TimeUp),
            ended: Duration::from_secs(seconds),
            ..ProcessRecord::default()
        }
    }

    /// A record of one request that arrived at once, with this response.
    fn one_request(response: WireRequest) -> WireRecord {
        let (seq, status) = (1, Some(503));
        WireRecord {
            total: 1,
            entries: vec![WireRequest {
                seq,
                status,
                ..response
            }],
            ..WireRecord::default()
        }
    }

    fn verdict(goal: &Goal, process: &ProcessRecord) -> GoalVerdict {
        let wire = one_request(WireRequest::default());
        goal.judge(&wire, Some(process)).verdict
    }

    #[test]
    fn a_goal_is_judged_by_the_last_line_and_the_exit_code() {
        let attempts = Goal::result_of([json!({"attempt": 2}), json!({"attempt": 3})]);
        let (error, printed_error) = (Goal::Error, Goal::error_with(json!({})));
        let members = Goal::error_with(json!({"retry_after": 120}));
        let lists = Goal::result(json!({"ids": [1, "b"]}));
        let objects = Goal::result(json!({"job": {"id": 1}}));
        let down = r#"{"error": "down"}"#;
        let until = r#"{"error": "down", "retry_after": 120}"#;

        for (goal, code, line, expected) in [
            (&attempts, 0, r#"{"attempt": 2.0, "more": [1]}"#, Reached),
            (&attempts, 0, "attempt 3", Missed),
            (&attempts, 0, r#"{"skip": false}"#, Missed),
            (&error, 0, down, Reached),
            (&error, 1, until, Reached),
            (&error, 1, "", Reached),
            (&error, 1, r#"{"status": 503}"#, Reached),
            (&error, 1, "Traceback", Reached),
            (&error, 0, "", Missed),
            (&error, 0, r#"{"error": null}"#, Missed),
            (&error, 0, r#"{"retry_after": 120}"#, Missed),
            (&members, 0, down, Missed),
            (&members, 1, until, Reached),
            (&members, 1, "", Missed),
            (&members, 1, "Traceback", Missed),
            (&members, 0, r#"{"retry_after": 120}"#, Missed),
            (&printed_error, 1, "", Missed),
            (&printed_error, 0, down, Reached),
            // A command was not found after requests.
            (&error, NOT_DONE, "", Crashed),
            (&attempts, NOT_DONE, "", Crashed),
            (&error, NOT_DONE, down, Reached),
            // Lists and objects within a result must be equal as JSON.
            (&lists, 0, r#"{"ids": [1.0, "b"]}"#, Reached),
            (&lists, 0, r#"{"ids": ["b", 1]}"#, Missed),
            (&lists, 0, r#"{"ids": [1, "c"]}"#, Missed),
            (&lists, 0, r#"{"ids": [1]}"#, Missed),
            (&lists, 0, r#"{"ids": [1, "b", "c"]}"#, Missed),
            (&objects, 0, r#"{"job": {"id": 1.0}}"#, Reached),
            (&objects, 0, r#"{"job": {"id": 2}}"#, Missed),
            (&objects, 0, r#"{"job": {"id": 1, "more": 2}}"#, Missed),
            (&objects, 0, r#"{"job": {"no": 1}}"#, Missed),
        ] {
            let found = verdict(goal, &exits(code, line));
            assert_eq!(found, expected, "{goal:?}: {code}, {line}");
        }
    }

    #[test]
    fn a_process_without_a_request_or_ended_by_a_signal_has_crashed() {
        let killed = ProcessRecord {
            signal: Some(11),
            ..ProcessRecord::default()
        };

        for (process, expected) in [
            (printed(""), Crashed),
            (printed(r#"{"error": "down"}"#), Crashed),
            (printed("Traceback"), Crashed),
            (killed, Crashed),
            (exits(1, ""), Crashed),
            (time_up(0), Missed),
            (printed(r#"{"skip": true}"#), Skipped),
            (exits(NOT_DONE, ""), Skipped),
        ] {
            let judged = Goal::Error.judge(&WireRecord::default(), Some(&process));
            assert_eq!(judged.verdict, expected, "{process:?}");
        }
    }

    #[test]
    fn a_missed_goal_shows_the_last_line() {
        let goal = Goal::result(json!({"records": 7}));

        for (line, expected) in [
            (r#"{"records": 6}"#, r#"printed {"records": 6}"#),
            (r#"{"items": 7}"#, r#"printed {"items": 7}"#),
            (
                "{'records': 7}",
                "the last line is not JSON (JSON needs double quotes): {'records': 7}",
            ),
            ("}", "the result must be on one line"),
            ("done", "the last line is not a JSON object: done"),
            ("", "printed nothing, exit code 0"),
        ] {
            let wire = one_request(WireRequest::default());
            let found = goal.judge(&wire, Some(&printed(line))).found;
            assert_eq!(found.as_deref(), Some(expected), "{line}");
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_named() {
        let cut = ProcessRecord {
            last_line: None,
            printed: 1_500_000,
            ..exits(0, "")
        };

        let wire = one_request(WireRequest::default());
        let judged = Goal::result(json!({"records": 7})).judge(&wire, Some(&cut));

        let found = "the last line is longer than the 64 KiB that the lab reads: \
                     print a shorter result";
        assert_eq!(judged, GoalResult::of(Missed, found));
    }

    #[test]
    fn a_part_of_a_listing_is_counted() {
        let wire = one_request(WireRequest::default());
        let judged = |code, line: &str| {
            let goal = Goal::ErrorInListing { records: 17 };
            let judged = goal.judge(&wire, Some(&exits(code, line)));
            (judged.verdict, judged.found)
        };

        for (code, line) in [
            (0, r#"{"error": "page 3"}"#),
            (1, ""),
            (1, r#"{"records": 9}"#),
        ] {
            assert_eq!(judged(code, line), (Reached, None), "{line}");
        }
        let found = "9 of 17 records, and nothing says that the others are missing";
        let part = r#"{"records": 9}"#;
        let expected = format!("printed {part}: {found}");
        assert_eq!(judged(0, part), (Missed, Some(expected)));
        let expected = "printed nothing, exit code 0".to_owned();
        assert_eq!(judged(0, ""), (Missed, Some(expected)));
    }

    #[test]
    fn a_refused_request_or_an_unused_connection_is_reported() {
        let refused = WireRecord {
            refused: vec![WireRefusal {
                status: 421,
                code: "host_not_allowed",
                detail: "the Host is another",
                requests: 2,
            }],
            ..WireRecord::default()
        };
        let connected = |requests, by: Option<ClosedBy>| WireRecord {
            connections: vec![WireConnection {
                number: 1,
                opened: Duration::ZERO,
                closed: by.map(|by| ConnectionEnd {
                    at: Duration::ZERO,
                    by,
                }),
                requests,
            }],
            ..WireRecord::default()
        };
        let said = "2 requests were refused with 421 host_not_allowed: the Host is another";
        let silent = "1 connection was opened, but no HTTP request arrived on it";
        let http2 =
            "1 connection was opened, and the client spoke HTTP/2; the service speaks HTTP/1.1";
        let closed = "1 connection was opened, and the client closed it, or its half of it, before \
                      a response";
        let (exit, waits) = ("exit code 0", "still running after 20 s");

        for (wire, verdict, said, then) in [
            (&refused, Missed, said, exit),
            (&refused, Missed, said, waits),
            (&connected(0, None), Crashed, silent, exit),
            (&connected(0, None), Missed, silent, waits),
            (&connected(0, Some(ClosedBy::Http2)), Crashed, http2, exit),
            (&connected(1, Some(ClosedBy::Client)), Crashed, closed, exit),
        ] {
            let process = if then == waits {
                time_up(20)
            } else {
                printed("")
            };
            let judged = Goal::Error.judge(wire, Some(&process));
            assert_eq!(judged, GoalResult::of(verdict, format!("{said}; {then}")));
        }
    }

    #[test]
    fn a_missed_goal_says_what_the_client_was_doing_when_the_time_was_up() {
        let second = Some(Duration::from_secs(1));
        let retry_after = Some(RetryAfter::seconds(Duration::from_secs(120)));

        let asked = "still waiting, 111 s more, after Retry-After: 120";
        let silent = "time is up: still waiting for the response to request 1, after 10 s";
        let begun = "time is up: still reading the response to request 1, after 9 s";
        let whole = "still running, 9 s after the response to request 1";
        for (head, ended, retry_after, found) in [
            (second, second, retry_after, asked),
            (None, None, None, silent),
            (second, None, None, begun),
            (second, second, None, whole),
        ] {
            let wire = one_request(WireRequest {
                head,
                ended,
                retry_after,
                ..WireRequest::default()
            });
            for goal in [Goal::Error, Goal::error_with(json!({}))] {
                let judged = goal.judge(&wire, Some(&time_up(10)));
                assert_eq!(judged, GoalResult::of(Missed, found));
            }
        }
        let two = Script::new().respond(500, 200).on(1, 1).connection(1, None);
        let two = two.respond(1_000, 200).on(2, 1).connection(2, None);
        let judged = Goal::Error.judge(&two.record(), Some(&time_up(10)));
        let found = "still running, 9 s after the response to request 2; 2 connections were open \
                     at the end";
        assert_eq!(judged, GoalResult::of(Missed, found));
        let flood = ProcessRecord {
            stopped: Some(Stopped::Flood),
            ..time_up(10)
        };
        let one = one_request(WireRequest::default());
        for (process, wire, found) in [
            (flood, one, "a flood of requests within 10 s"),
            (time_up(20), WireRecord::default(), "no request within 20 s"),
        ] {
            let judged = Goal::Error.judge(&wire, Some(&process));
            assert_eq!(judged, GoalResult::of(Missed, found));
        }
    }

    #[test]
    fn a_result_counts_from_when_it_was_printed() {
        let goal = Goal::result(json!({"attempt": 3}));
        let judged = |line: &str, stopped, millis| {
            let process = ProcessRecord {
                printed_at: Some(Duration::from_secs(2)),
                stopped,
                exit: None,
                ended: Duration::from_millis(millis),
                ..printed(line)
            };
            let judged = goal.judge(&one_request(WireRequest::default()), Some(&process));
            (judged.verdict, judged.found.unwrap_or_default())
        };
        let right = r#"{"attempt": 3}"#;

        for stopped in [None, Some(Stopped::TimeUp), Some(Stopped::Lingered)] {
            let (verdict, remark) = judged(right, stopped, 5_500);
            assert_eq!(verdict, Reached);
            let until = stopped.map_or("", |_| ", until the lab ended it");
            let expected = format!("note: the process ran for 3.5 s after its result{until}");
            assert_eq!(remark, expected);
        }
        let (verdict, found) = judged(r#"{"attempt": 4}"#, Some(Stopped::TimeUp), 5_500);
        assert_eq!(verdict, Missed);
        assert!(
            found.starts_with(r#"printed {"attempt": 4}; time is up: still"#),
            "{found}"
        );
        assert_eq!(judged(right, None, 2_900), (Reached, String::new()));
    }

    #[test]
    fn a_task_is_reached_unless_a_case_says_otherwise() {
        for (cases, task) in [
            (&[Reached, Reached][..], Reached),
            (&[Reached, NotJudged], NotJudged),
            (&[Reached, Missed, Crashed], Crashed),
            (&[Reached, Missed], Missed),
            (&[Skipped, Skipped], Skipped),
            (&[Skipped, Reached], Missed),
            (&[NotJudged], NotJudged),
            (&[], NotJudged),
        ] {
            let cases: Vec<_> = cases
                .iter()
                .map(|verdict| GoalResult::of(*verdict, ""))
                .collect();
            assert_eq!(GoalResult::of_all(&cases).verdict, task, "{cases:?}");
        }
    }

    #[test]
    fn a_goal_is_written_as_text() {
        let one = json!({"id": "a"});
        let six = Goal::result_of(vec![one.clone(); 6]);
        let two = Goal::result_of([one.clone(), json!({"id": "b"})]);

        for (goal, words) in [
            (Goal::result(one.clone()), r#"{"id":"a"}"#),
            (two, r#"{"id":"a"} or {"id":"b"}"#),
            (
                six,
                r#"{"id":"a"} or {"id":"a"} or {"id":"a"} or one of 3 more"#,
            ),
            (Goal::Error, "an error"),
            (Goal::error_with(json!({})), "a printed error"),
            (Goal::error_with(one), r#"an error with {"id":"a"}"#),
        ] {
            assert_eq!(goal.expected(), words);
        }
    }

    /// Pieces of a last line: some combinations are results, and many nearly are.
    const PIECES: [&str; 18] = [
        "{",
        "}",
        "[",
        "]",
        ",",
        " ",
        "\"",
        "\"attempt\": 3",
        "\"attempt\":3.0",
        "\"attempt\":30e-1",
        "\"attempt\":4",
        "\"attempt\":\"3\"",
        "\"skip\":true",
        "\"error\":null",
        "null",
        "3",
        "\u{fffd}",
        "\0",
    ];

    proptest! {
        /// A client's result is what a JSON parser finds on the last line, and nothing else.
        #[test]
        fn a_result_is_what_a_json_parser_finds(
            members in vec(select(&PIECES[..]), 0..4), more in select(&PIECES[..]), whole: bool,
        ) {
            let line = if whole {
                format!("{{{}}}", members.join(","))
            } else {
                format!("{{{}{more}", members.concat())
            };
            let goal = Goal::result(json!({"attempt": 3}));
            let read: Option<Map<String, Value>> = serde_json::from_str(&line).ok();
            let member = |name: &str| read.as_ref().and_then(|members| members.get(name));

            let expected = match (member("skip"), member("attempt").and_then(Value::as_f64)) {
                (Some(Value::Bool(true)), _) => Skipped,
                (_, Some(3.0)) => Reached,
                _ => Missed,
            };

            prop_assert_eq!(verdict(&goal, &printed(&line)), expected, "{}", line);
        }

        /// A process out of time has missed its goal, and only a lab that was late for as
        /// long as was missing takes that back.
        #[test]
        fn only_a_late_lab_takes_a_miss_back(
            requests in prop_oneof![1_u64..60, 998_u64..1_002],
            seconds in 1_u64..20,
            lab_ms in 0_u64..2_000,
        ) {
            let wire = WireRecord {
                total: requests,
                ..one_request(WireRequest::default())
            };
            let lab_delay = Duration::from_millis(lab_ms);
            let process = ProcessRecord { lab_delay, ..time_up(seconds) };

            let judged = Goal::Error.judge(&wire, Some(&process)).verdict;

            let delays_ms = lab_ms * (requests + 1).min(20);
            let is_late = requests < 1_000 && lab_ms > 0 && delays_ms >= seconds * 100;
            prop_assert_eq!(judged, if is_late { NotJudged } else { Missed });
        }
    }
}
