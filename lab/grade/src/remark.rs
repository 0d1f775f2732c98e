//! A fact about a client that reached its goal, which breaks no rule: one line on the card.

use std::time::Duration;

use wire::{LINGER, ProcessRecord, WireRecord, duration};

use crate::in_flight::{in_flight, left_open, most_at_once};

/// With fewer requests, a connection for each says little.
const MANY: u64 = 20;

/// How often a busy machine delays a process after its last response: as it reads the response,
/// prints its result and ends, and as the lab sees that.
const TURNS: u32 = 4;

/// The first of these facts that holds.
pub(crate) fn of(wire: &WireRecord, process: &ProcessRecord) -> Option<String> {
    lingered(wire, process)
        .or_else(|| waited_for_nothing(wire, process))
        .or_else(|| hardly_reused(wire))
        .or_else(|| slowed_down(wire))
}

/// The process went on for long after its result. Connections that it left open may be why.
fn lingered(wire: &WireRecord, process: &ProcessRecord) -> Option<String> {
    let time = process.ended.saturating_sub(process.printed_at?);
    if time < LINGER {
        return None;
    }
    let until = match process.stopped {
        Some(_) => {
            let open = left_open(wire, process.ended).map(|open| format!("; {open}"));
            format!(", until the lab ended it{}", open.unwrap_or_default())
        }
        None => String::new(),
    };
    let time = duration(time);
    Some(format!(
        "note: the process ran for {time} after its result{until}"
    ))
}

/// The process ended by itself, and long after its last response: it waited once more, and sent
/// nothing afterwards. If a request has no response, the client may have waited for that.
fn waited_for_nothing(wire: &WireRecord, process: &ProcessRecord) -> Option<String> {
    let ends: Option<Vec<Duration>> = wire.entries.iter().map(|request| request.ended).collect();
    let last = ends?.into_iter().max()?;
    let time = process.ended.saturating_sub(last);
    let by_itself = process.stopped.is_none() && !process.left_running;
    let is_long = time >= LINGER + process.lab_delay * TURNS;
    let time = (by_itself && is_long).then(|| duration(time))?;
    Some(format!(
        "note: the process ended {time} after its last response, without another request"
    ))
}

/// Of many requests, more than half came on a connection of their own.
fn hardly_reused(wire: &WireRecord) -> Option<String> {
    let used = wire.connections.iter().filter(|one| one.requests > 0);
    let used = used.count() as u64;
    let is_whole = wire.dropped == 0 && wire.connections_dropped == 0;
    (is_whole && wire.total >= MANY && used * 2 > wire.total).then(|| {
        let spans = wire.connections.iter();
        let spans = spans.map(|one| (one.opened, one.closed.map(|end| end.at)));
        format!(
            "note: {} requests on {used} connections, at most {} open at once",
            wire.total,
            most_at_once(spans)
        )
    })
}

/// The service refused requests with 429: how many were in flight at once, and afterwards.
fn slowed_down(wire: &WireRecord) -> Option<String> {
    let is_refused = wire
        .entries
        .iter()
        .any(|request| request.status == Some(429));
    let fact = is_refused.then(|| in_flight(wire))?;
    Some(format!("note: {}", fact?))
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, option, prelude::*};
    use wire::{ClosedBy, ConnectionEnd, Stopped, WireConnection, WireRequest};

    use super::*;

    fn connection(opened: u64, lasted: Option<u64>, requests: u64) -> WireConnection {
        let at = |millis| ConnectionEnd {
            at: Duration::from_millis(millis),
            by: ClosedBy::Client,
        };
        WireConnection {
            number: 1,
            opened: Duration::from_millis(opened),
            closed: lasted.map(|lasted| at(opened + lasted)),
            requests,
        }
    }

    /// Requests in order of arrival, whose responses ended at these moments if they had one.
    fn answered(ends: &[Option<u64>]) -> WireRecord {
        let requests = ends.iter().map(|ended| WireRequest {
            ended: ended.map(Duration::from_millis),
            ..WireRequest::default()
        });
        WireRecord {
            entries: requests.collect(),
            total: ends.len() as u64,
            ..WireRecord::default()
        }
    }

    #[test]
    fn a_process_that_waits_after_its_last_response_is_remarked_on() {
        let process = |stopped, left_running| ProcessRecord {
            ended: Duration::from_millis(4_600),
            stopped,
            left_running,
            ..ProcessRecord::default()
        };
        let by_itself = process(None, false);
        let waited =
            "note: the process ended 1.6 s after its last response, without another request";

        assert_eq!(
            of(&answered(&[Some(3_000)]), &by_itself).as_deref(),
            Some(waited)
        );
        assert_eq!(of(&answered(&[Some(3_601)]), &by_itself), None);
        // A busy machine may be the reason.
        let late = ProcessRecord {
            lab_delay: Duration::from_millis(151),
            ..process(None, false)
        };
        assert_eq!(of(&answered(&[Some(3_000)]), &late), None);
        // A client that ran into its read timeout did not wait for another attempt.
        assert_eq!(of(&answered(&[None]), &by_itself), None);
        for ended in [process(Some(Stopped::TimeUp), true), process(None, true)] {
            assert_eq!(of(&answered(&[Some(3_000)]), &ended), None);
        }
    }

    #[test]
    fn connections_are_remarked_on_if_most_requests_have_one_of_their_own() {
        let record = |reused: u64, alone_count: u64| {
            let long = (reused > 0).then(|| connection(0, None, reused));
            let alone = (0..alone_count).map(|number| connection(number * 10, Some(5), 1));
            // One that was opened in advance, and on which nothing came.
            let connections = long.into_iter().chain(alone);
            WireRecord {
                total: reused + alone_count,
                connections: connections.chain([connection(0, Some(1), 0)]).collect(),
                ..WireRecord::default()
            }
        };
        let found = |reused, alone| of(&record(reused, alone), &ProcessRecord::default());

        let each = "note: 112 requests on 112 connections, at most 2 open at once";
        assert_eq!(found(0, 112).as_deref(), Some(each));
        // One of a hundred calls in twelve fails by a broken connection.
        assert_eq!(found(100, 12), None);
        assert_eq!(found(0, MANY - 1), None);
    }

    proptest! {
        #[test]
        fn a_wait_is_remarked_on_only_if_every_response_came_long_before_the_end(
            ends in vec(option::weighted(0.9, 0..3_000_u64), 0..6),
        ) {
            let process = ProcessRecord {
                ended: Duration::from_secs(3),
                ..ProcessRecord::default()
            };

            let found = waited_for_nothing(&answered(&ends), &process);

            let is_early = |ended: &Option<u64>| ended.is_some_and(|ended| ended <= 2_000);
            let is_wait = !ends.is_empty() && ends.iter().all(is_early);
            prop_assert_eq!(found.is_some(), is_wait);
        }
    }
}
