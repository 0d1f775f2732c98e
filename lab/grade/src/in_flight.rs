//! The most requests of a case that were in flight at one moment, or connections that were open.

use std::{collections::HashSet, time::Duration};

use wire::{WireRecord, WireRequest};

/// Fewer at once are a retry, or a call that was sent twice.
const SEVERAL: usize = 4;

/// The most requests in flight, and the most of those that came after the first 429; none if
/// there were never several.
///
/// A request is in flight from its arrival until the head of its response was written. One
/// without a response counts at its arrival only.
pub(crate) fn in_flight(wire: &WireRecord) -> Option<String> {
    let most = most_in_flight(&wire.entries, Duration::ZERO);
    if most < SEVERAL {
        return None;
    }
    let refused = wire
        .entries
        .iter()
        .filter(|entry| entry.status == Some(429));
    let refused_at = refused.filter_map(|entry| entry.head).min();
    let after = refused_at.map(|moment| {
        let after = most_in_flight(&wire.entries, moment);
        format!(", at most {after} of those that came after the first 429")
    });
    Some(format!(
        "at most {most} requests in flight at once{}",
        after.unwrap_or_default()
    ))
}

fn most_in_flight(requests: &[WireRequest], since: Duration) -> usize {
    let requests = requests.iter().filter(|request| request.arrived >= since);
    most_at_once(requests.map(|request| {
        let head = request.head.unwrap_or(request.arrived);
        (request.arrived, Some(head))
    }))
}

/// The connections that a client had left open at this moment; none if it needed them.
///
/// A client needs as many connections as it had requests in flight at once. One that never closes
/// a response opens another for each request, until its pool is empty. A connection without a
/// request may have been opened in advance, and does not count.
pub(crate) fn left_open(wire: &WireRecord, at: Duration) -> Option<String> {
    let connections = wire.connections.iter().filter(|connection| {
        let is_open = connection.closed.is_none_or(|end| end.at >= at);
        is_open && connection.requests > 0
    });
    let open: HashSet<_> = connections.map(|connection| connection.number).collect();
    let needed = most_at_once(wire.entries.iter().map(|request| {
        let is_open = request
            .connection
            .is_some_and(|number| open.contains(&number));
        let broken_off = (!is_open).then(|| request.head.unwrap_or(request.arrived));
        (request.arrived, request.ended.or(broken_off))
    }));
    let is_whole = wire.dropped == 0 && wire.connections_dropped == 0;
    (is_whole && open.len() > needed.max(1))
        .then(|| format!("{} connections were open at the end", open.len()))
}

/// The most of these that went on at one moment, given when each begins and ends; one without an
/// end goes on for ever.
pub(crate) fn most_at_once(spans: impl IntoIterator<Item = (Duration, Option<Duration>)>) -> usize {
    let (mut begins, ends): (Vec<_>, Vec<_>) = spans.into_iter().unzip();
    let mut ends: Vec<_> = ends.into_iter().flatten().collect();
    begins.sort_unstable();
    ends.sort_unstable();
    // Their number can rise only where one begins.
    let at_begins = begins.iter().map(|moment| {
        let begun = begins.partition_point(|begin| begin <= moment);
        begun - ends.partition_point(|end| end < moment)
    });
    at_begins.max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, option, prelude::*};
    use testkit::script::Script;
    use wire::ClosedBy;

    use super::*;

    /// This many requests at once, for 100 ms each; those beyond four are refused.
    fn at_once(script: Script, start: u64, number: u64) -> Script {
        (0..number).fold(script, |script, position| {
            let status = if position < 4 { 200 } else { 429 };
            script.respond(start + position, status).lasting(100)
        })
    }

    #[test]
    fn several_requests_in_flight_are_a_fact_and_so_are_those_after_a_429() {
        let burst = |number| at_once(Script::new(), 0, number);
        for (script, fact) in [
            (burst(3), None),
            (burst(4), Some("at most 4 requests in flight at once")),
            (
                at_once(burst(16), 300, 6),
                Some(
                    "at most 16 requests in flight at once, at most 6 of those that came after the first 429",
                ),
            ),
        ] {
            assert_eq!(in_flight(&script.record()).as_deref(), fact);
        }
        let lost = Script::new().respond(0, 200).lost();
        assert_eq!(in_flight(&at_once(lost, 10, 3).record()), None);
    }

    #[test]
    fn connections_that_a_client_needs_are_not_left_open() {
        let end = Duration::from_secs(10);
        let asks = |script: Script, number: u64, lasting: u64| {
            let script = script.respond(100 * number, 200).lasting(lasting);
            script.on(number, 1)
        };
        let each_open = |number: u64, lasting: u64| {
            (1..=number).fold(Script::new(), |script, number| {
                asks(script, number, lasting).connection(number, None)
            })
        };
        let closed = |millis| each_open(1, 1).connection(2, Some((millis, ClosedBy::Client)));
        let unanswered = (1..=3).fold(Script::new(), |script, number| {
            let script = asks(script, number, 1).connection(number, None);
            script.lost()
        });
        let two = Some("2 connections were open at the end");
        for (script, found) in [
            (
                each_open(12, 1),
                Some("12 connections were open at the end"),
            ),
            (each_open(2, 1), two),
            (each_open(1, 1), None),
            // Two were in flight at once.
            (each_open(2, 150), None),
            (
                each_open(3, 150),
                Some("3 connections were open at the end"),
            ),
            (unanswered, None),
            // The lab ended the client.
            (closed(10_001), two),
            (closed(9_000), None),
            (each_open(2, 1).dropping(1), None),
        ] {
            assert_eq!(left_open(&script.record(), end).as_deref(), found);
        }
        let mut in_advance = each_open(2, 1).record();
        in_advance.connections[1].requests = 0;
        assert_eq!(left_open(&in_advance, end), None);
    }

    proptest! {
        #[test]
        fn the_most_are_those_at_the_beginning_of_one(
            spans in vec((0..500_u64, option::of(0..300_u64)), 0..40),
        ) {
            let on_at = |moment: u64| {
                let is_on = |(begin, lasts): &&(u64, Option<u64>)| {
                    *begin <= moment && lasts.is_none_or(|lasts| moment <= begin + lasts)
                };
                spans.iter().filter(is_on).count()
            };
            let counted = spans.iter().map(|(begin, _)| on_at(*begin)).max();

            let most = most_at_once(spans.iter().map(|(begin, lasts)| {
                let end = lasts.map(|lasts| Duration::from_millis(begin + lasts));
                (Duration::from_millis(*begin), end)
            }));

            prop_assert_eq!(most, counted.unwrap_or_default());
        }
    }
}
