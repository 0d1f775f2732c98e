//! What the wire saw of one play, row by row.

use std::{collections::HashMap, time::Duration};

use super::scale::{Extent, Scale};
use crate::{
    duration_left,
    rules::TOLERANCE,
    wire::{JobResult, WireRecord, WireRequest},
};

/// A request of a play, and the pause before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayRow {
    /// The number of the request.
    pub seq: u64,
    /// When the pause before it began: at the head of the response before, if that was
    /// there; none of the first.
    pub pause: Option<Duration>,
    /// When it arrived. All moments are counted from the arrival of the first.
    pub arrived: Duration,
    /// When its response was handed over, or its head was, or else when it arrived.
    pub ended: Duration,
    /// What it was, and what it met.
    pub label: String,
}

/// The requests of a play in order of arrival, and the axis they share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayChart {
    /// The rows, from the first request on.
    pub rows: Vec<PlayRow>,
}

impl PlayChart {
    /// The chart of a play.
    #[must_use]
    pub fn new(wire: &WireRecord) -> Self {
        let origin = wire.entries.first().map(|first| first.arrived);
        let since = |moment: Duration| moment.saturating_sub(origin.unwrap_or_default());
        let waits = wire.waits().filter(|wait| wait.early_by() > TOLERANCE);
        let early: HashMap<_, _> = waits.map(|wait| (wait.next.seq, wait.early_by())).collect();
        let mut before: Option<Duration> = None;
        let rows = wire.entries.iter().map(|request| {
            let ended = request.ended.or(request.head).unwrap_or(request.arrived);
            let pause = before.filter(|head| *head <= request.arrived).map(since);
            before = Some(request.head.unwrap_or(request.arrived));
            PlayRow {
                seq: request.seq,
                pause,
                arrived: since(request.arrived),
                ended: since(ended),
                label: label(request, early.get(&request.seq).copied()),
            }
        });
        Self {
            rows: rows.collect(),
        }
    }

    /// The axis of the chart, in so many columns.
    #[must_use]
    pub fn scale(&self, columns: usize) -> Scale {
        let extents = self.rows.iter().flat_map(|row| {
            let pause = row.pause.map(|start| Extent {
                start,
                end: row.arrived,
                pause: true,
            });
            let request = Extent {
                start: row.arrived,
                end: row.ended,
                pause: false,
            };
            pause.into_iter().chain([request])
        });
        Scale::new(&extents.collect::<Vec<_>>(), columns)
    }
}

fn label(request: &WireRequest, early: Option<Duration>) -> String {
    let status = match request.status {
        Some(status) => status.to_string(),
        None => "no response".to_owned(),
    };
    let mut words = vec![format!("{:<4} {status}", request.method)];
    words.extend(request.retry_after.map(|it| format!("Retry-After: {it}")));
    let job = request.job.and_then(|job| match job {
        JobResult::Created => Some("job created"),
        JobResult::Replayed => Some("the same job again"),
        JobResult::Conflict => Some("key of another body"),
        JobResult::Rejected => None,
    });
    words.extend(job.map(str::to_owned));
    let is_cut = request.status.is_some() && request.ended.is_none();
    words.extend(is_cut.then(|| "the body breaks off".to_owned()));
    words.extend(early.map(|early| format!("{} too early", duration_left(early))));
    words.join("  ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::RetryAfter;

    fn request(seq: u64, arrived: u64, head: u64) -> WireRequest {
        WireRequest {
            seq,
            method: "GET",
            arrived: Duration::from_millis(arrived),
            status: Some(503),
            head: Some(Duration::from_millis(head)),
            ended: Some(Duration::from_millis(head)),
            ..WireRequest::default()
        }
    }

    #[test]
    fn a_row_says_when_what_and_how_early() {
        let asks = WireRequest {
            retry_after: Some(RetryAfter::seconds(Duration::from_secs(2))),
            ..request(1, 100, 101)
        };
        let comes = WireRequest {
            status: Some(200),
            ..request(2, 1_121, 1_122)
        };
        let wire = WireRecord {
            total: 2,
            entries: vec![asks, comes],
            one_caller: true,
            ..WireRecord::default()
        };

        let rows = PlayChart::new(&wire).rows;

        let labels: Vec<_> = rows.iter().map(|row| &*row.label).collect();
        let expected = ["GET  503  Retry-After: 2 s", "GET  200  980 ms too early"];
        assert_eq!(labels, expected);
        assert_eq!(rows[0].pause, None);
        assert_eq!(rows[1].pause, Some(Duration::from_millis(1)));
        assert_eq!(rows[1].arrived, Duration::from_millis(1_021));
    }

    #[test]
    fn what_got_no_response_and_what_broke_off_say_so() {
        let lost = WireRequest {
            status: None,
            head: None,
            ended: None,
            job: Some(JobResult::Created),
            ..request(1, 0, 0)
        };
        let cut = WireRequest {
            ended: None,
            ..request(2, 5, 6)
        };
        let wire = WireRecord {
            total: 2,
            entries: vec![lost, cut],
            ..WireRecord::default()
        };

        let rows = PlayChart::new(&wire).rows;

        assert_eq!(rows[0].label, "GET  no response  job created");
        assert_eq!(rows[1].label, "GET  503  the body breaks off");
    }
}
