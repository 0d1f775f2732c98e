//! The requests of one case, row by row.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    time::Duration,
};

use judge::{Names, Ties, rules::TOLERANCE};
use render::{Extent, Scale};
use wire::{
    FaultLabel, IssuedCursor, JobResult, RetryAfterForm, WireRecord, WireRequest, duration_left,
};

/// A request of a case, and the pause before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CaseRow {
    /// The number of the request.
    pub(crate) seq: u64,
    /// When the pause before it began: at the head of the previous response, if that was
    /// recorded; none for the first.
    pub(crate) pause: Option<Duration>,
    /// When it arrived. All times are counted from the arrival of the first request.
    pub(crate) arrived: Duration,
    /// When its response ended; or its head, if the end is unknown; or else when it arrived.
    pub(crate) ended: Duration,
    /// The request and its response, as text.
    pub(crate) label: String,
}

/// The requests of a case in order of arrival, and their common axis. Of a flood of
/// requests, the start and the end are the interesting parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CaseChart {
    /// All rows.
    pub(crate) rows: Vec<CaseRow>,
    /// The number of rows before the gap.
    gap: usize,
    /// The requests without a row and their results, such as `3 more: 2 × 200, 1 × 429`; none
    /// if every request has a row.
    pub(crate) left_out: Option<String>,
}

impl CaseChart {
    /// The chart of a case with at most `most` rows; if there are more requests, half of the
    /// rows are from each end.
    pub(crate) fn new(wire: &WireRecord, most: usize) -> Self {
        let origin = wire.entries.first().map(|first| first.arrived);
        let since = |moment: Duration| moment.saturating_sub(origin.unwrap_or_default());
        let ties = Ties::of(wire);
        let waits = ties.waits().iter();
        let waits = waits.filter(|wait| wait.why.doubt().is_none() && wait.early_by > TOLERANCE);
        let early: HashMap<_, _> = waits.map(|wait| (wait.next.seq, wait.early_by)).collect();
        let replays: HashSet<_> = ties.doubtful().map(|(_, next, _)| next.seq).collect();
        let names = Names::of(&wire.entries);
        let mut issued = HashSet::new();
        let mut before: Option<Duration> = None;
        let rows = wire.entries.iter().map(|request| {
            let ended = request.ended.or(request.head).unwrap_or(request.arrived);
            let pause = before.filter(|head| *head <= request.arrived).map(since);
            before = Some(request.head.unwrap_or(request.arrived));
            let mut label = label(request, early.get(&request.seq).copied());
            if request.job.is_some() {
                let key = request.idempotency_key.and_then(|key| names.key(key));
                label += &format!("  {}", key.as_deref().unwrap_or("no key"));
            }
            if let Some(cursor) = request.cursor {
                // A response that was dropped from the record may have issued it.
                let is_known = issued.contains(&cursor) || wire.dropped > 0;
                label += &match names.cursor(cursor).filter(|_| is_known) {
                    Some(name) => format!("  cursor {name}"),
                    None => "  a cursor that was not issued".to_owned(),
                };
            }
            if let Some(IssuedCursor::Hash(next)) = request.cursor_issued {
                issued.insert(next);
                label += &format!("  next {}", names.cursor(next).unwrap_or_default());
            }
            label += match request.fault {
                Some(FaultLabel::INVALID_CURSOR) => "  an invalid cursor",
                Some(FaultLabel::INVALID_JSON) => "  invalid JSON",
                _ => "",
            };
            if replays.contains(&request.seq) {
                label.push_str("  perhaps sent again by the transport");
            }
            CaseRow {
                seq: request.seq,
                pause,
                arrived: since(request.arrived),
                ended: since(ended),
                label,
            }
        });
        let mut rows: Vec<_> = rows.collect();
        let surplus = rows.len().saturating_sub(most);
        let gap = if surplus > 0 { most / 2 } else { rows.len() };
        rows.drain(gap..gap + surplus);
        let (first, next) = (gap, gap + surplus);
        let left_out = wire.entries.get(first..next).unwrap_or_default();
        let left_out = left_out_in_words(left_out, wire.total - rows.len() as u64);
        Self {
            rows,
            gap,
            left_out,
        }
    }

    /// The rows before and after the gap.
    pub(crate) fn ends(&self) -> (&[CaseRow], &[CaseRow]) {
        self.rows.split_at(self.gap)
    }

    /// The axis of the chart, in `columns` columns.
    pub(crate) fn scale(&self, columns: usize) -> Scale {
        let extents = self.rows.iter().flat_map(|row| {
            let extent = |start, end, pause| Extent { start, end, pause };
            let pause = row.pause.map(|start| extent(start, row.arrived, true));
            pause
                .into_iter()
                .chain([extent(row.arrived, row.ended, false)])
        });
        Scale::new(&extents.collect::<Vec<_>>(), columns)
    }
}

/// Recorded requests by their results, of `all` that have no row. The others were dropped
/// from the record.
fn left_out_in_words(recorded: &[WireRequest], all: u64) -> Option<String> {
    let mut results = BTreeMap::<_, u64>::new();
    for request in recorded {
        *results.entry(request.status).or_default() += 1;
    }
    let results = results
        .into_iter()
        .rev()
        .map(|(status, number)| match status {
            Some(status) => format!("{number} × {status}"),
            None => format!("{number} without a response"),
        });
    let dropped = all - recorded.len() as u64;
    let dropped = (dropped > 0).then(|| format!("{dropped} not recorded"));
    let results: Vec<_> = results.chain(dropped).collect();
    (all > 0).then(|| format!("{all} more: {}", results.join(", ")))
}

fn label(request: &WireRequest, early: Option<Duration>) -> String {
    let status = match request.status {
        Some(status) => status.to_string(),
        None => "no response".to_owned(),
    };
    let mut words = vec![format!("{:<4} {status}", request.method)];
    words.extend(
        request
            .retry_after
            .map(|retry_after| match retry_after.form {
                RetryAfterForm::Date => format!("Retry-After: a date in {retry_after}"),
                _ => format!("Retry-After: {retry_after}"),
            }),
    );
    let job = request.job.and_then(|job| match job {
        JobResult::Created => Some("job created"),
        JobResult::Replayed => Some("the same job again"),
        JobResult::Conflict => Some("another body for a used key"),
        JobResult::Rejected => None,
    });
    words.extend(job.map(str::to_owned));
    let is_cut = request.status.is_some() && request.ended.is_none();
    words.extend(is_cut.then(|| "incomplete".to_owned()));
    words.extend(early.map(|early| format!("{} too early", duration_left(early))));
    words.join("  ")
}

#[cfg(test)]
mod tests {
    use testkit::script::Script;
    use wire::{ClosedBy, JobResult::Created};

    use super::*;
    fn labels(script: Script) -> Vec<String> {
        let rows = CaseChart::new(&script.record(), 9).rows.into_iter();
        rows.map(|row| row.label).collect()
    }

    #[test]
    fn a_row_has_its_times_its_label_and_how_early_it_was() {
        let asked = Script::new().respond(100, 503).lasting(1).retry_after(2);
        let script = asked.respond(1_121, 200).lasting(1);

        let rows = CaseChart::new(&script.clone().record(), 9).rows;

        let expected = ["GET  503  Retry-After: 2 s", "GET  200  980 ms too early"];
        assert_eq!(labels(script), expected);
        assert_eq!(rows[0].pause, None);
        assert_eq!(rows[1].pause, Some(Duration::from_millis(1)));
        assert_eq!(rows[1].arrived, Duration::from_millis(1_021));
    }

    #[test]
    fn many_requests_have_rows_for_both_ends_only() {
        for (requests, head, tail, left_out) in [
            (4, &[1, 2, 3, 4][..], &[][..], "1 more: 1 not recorded"),
            (5, &[1, 2], &[4, 5], "2 more: 1 × 503, 1 not recorded"),
            (90, &[1, 2], &[89, 90], "87 more: 86 × 503, 1 not recorded"),
            (0, &[], &[], "1 more: 1 not recorded"),
        ] {
            let script = (0..requests).fold(Script::new(), |script, at| script.respond(at, 503));
            let mut wire = script.dropping(1).record();
            // One more was counted, but not recorded.
            wire.total += 1;

            let chart = CaseChart::new(&wire, 4);

            let seqs = |rows: &[CaseRow]| rows.iter().map(|row| row.seq).collect::<Vec<_>>();
            let (first, last) = chart.ends();
            assert_eq!((&*seqs(first), &*seqs(last)), (head, tail), "{requests}");
            assert_eq!(chart.left_out.as_deref(), Some(left_out), "{requests}");
        }
        let complete = Script::new().respond(0, 503).respond(1, 503).record();
        assert_eq!(CaseChart::new(&complete, 2).left_out, None);
    }

    #[test]
    fn keys_and_cursors_have_names() {
        let post = |script: Script, at, key| script.post(at, 503, at, key).job(Created);
        let keys = [Some(7), Some(8), Some(7), None];
        let posts = (0..)
            .zip(keys)
            .fold(Script::new(), |script, (at, key)| post(script, at, key));
        let page = |script: Script, cursor| script.respond(9, 503).cursor(cursor);
        let first = Script::new().respond(0, 503).issues(10);
        let pages = page(page(first, 10).issues(11), 99).issues(10);

        let job = "POST 503  job created  ";
        let expected = ["key 1", "key 2", "key 1", "no key"].map(|key| format!("{job}{key}"));
        assert_eq!(labels(posts), expected);
        let expected = [
            "GET  503  next A",
            "GET  503  cursor A  next B",
            "GET  503  a cursor that was not issued  next A",
        ];
        assert_eq!(labels(pages), expected);
    }

    #[test]
    fn a_page_that_leads_nowhere_says_why() {
        let page = Script::new().respond(0, 200).issues(10);
        let page = page
            .respond(1, 200)
            .cursor(10)
            .fault(FaultLabel::INVALID_CURSOR);
        let page = page
            .respond(2, 200)
            .cursor(10)
            .fault(FaultLabel::INVALID_JSON);

        let expected = [
            "GET  200  next A",
            "GET  200  cursor A  an invalid cursor",
            "GET  200  cursor A  invalid JSON",
        ];
        assert_eq!(labels(page), expected);
    }

    #[test]
    fn a_possible_resend_by_the_transport_is_marked() {
        let lost = Script::new().respond(1, 503).on(1, 2).lost();
        let again = lost.respond(2, 503).on(2, 1);

        let labels = labels(again.connection(1, Some((1, ClosedBy::Service))));

        let ends = labels.iter().filter_map(|label| label.split("  ").last());
        let expected = ["no response", "perhaps sent again by the transport"];
        assert_eq!(ends.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_missing_response_and_an_incomplete_body_are_marked() {
        let lost = Script::new().respond(0, 503).lost().job(Created);
        let cut = lost.respond(5, 503).with(|request| request.ended = None);

        let expected = [
            "GET  no response  job created  no key",
            "GET  503  incomplete",
        ];
        assert_eq!(labels(cut), expected);
    }
}
