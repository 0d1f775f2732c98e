//! The requests of a case on an axis of time.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    time::Duration,
};

use judge::{KnownFailures, Names, Ties, rules::TOLERANCE};
use maud::Markup;
use render::timeline::{self, Bar, Gap, Kind, Row, Tag, Timeline};
use wire::{
    FaultLabel, IssuedCursor, JobResult, RetryAfterForm, WireRecord, WireRequest, duration_left,
};

use crate::{TaskGrade, text::failed};

/// The most bars of a small picture: more could not be told apart.
const IN_LINE: usize = 60;

impl TaskGrade {
    /// A case in one line: the first that broke a rule, or else the first that missed the goal, or
    /// that called. None if no request arrived.
    #[must_use]
    pub fn line(&self) -> Option<Markup> {
        let mut broken = self.broken().flat_map(|rule| &rule.judgement.requests);
        let broken = broken.next().map(|request| request.case);
        let called = |number: &usize| {
            let case = self.cases.get(*number);
            case.is_some_and(|case| case.wire.total > 0)
        };
        let missed = failed(self).map(|(number, _)| number);
        let mut cases = broken.into_iter().chain(missed).chain(0..self.cases.len());
        let case = cases.find(called)?;
        let timeline = self.timeline(case, &KnownFailures::default(), IN_LINE);
        Some(timeline::line(&[&timeline]))
    }

    /// The requests of a case, by its number, with a tag for each rule that one of them broke. Of
    /// a flood the middle is left out, so that there are at most so many lines. Without requests
    /// it has no rows.
    #[must_use]
    pub fn timeline(&self, case: usize, known: &KnownFailures, lines: usize) -> Timeline {
        let Some(wire) = self.cases.get(case).map(|case| &case.wire) else {
            return Timeline::default();
        };
        let mut timeline = timeline(wire, lines);
        for rule in self.broken() {
            let is_known = known.cover(Some(self.task), rule.id);
            let tag = if is_known {
                format!("{}, known to fail", rule.id)
            } else {
                format!("✗ {}", rule.id)
            };
            let requests = rule.judgement.requests.iter();
            let broken = requests.filter(|request| request.case == case);
            let broken: HashSet<_> = broken.map(|request| request.seq.to_string()).collect();
            for row in timeline
                .rows
                .iter_mut()
                .filter(|row| broken.contains(&row.id))
            {
                row.tags.push(Tag {
                    words: tag.clone(),
                    is_bad: !is_known,
                });
            }
        }
        timeline
    }
}

/// The requests in order of arrival, each with the pause before it. All times count from the
/// arrival of the first one.
fn timeline(wire: &WireRecord, lines: usize) -> Timeline {
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
        let pause = before.filter(|head| *head <= request.arrived);
        let pause = pause.map(|head| Bar::new(Kind::Pause, since(head), since(request.arrived)));
        before = Some(request.head.unwrap_or(request.arrived));
        let mut note = note(request, early.get(&request.seq).copied());
        if request.job.is_some() {
            let key = request.idempotency_key.and_then(|key| names.key(key));
            note += &format!("  {}", key.as_deref().unwrap_or("no key"));
        }
        if let Some(cursor) = request.cursor {
            // A response that was dropped from the record may have issued it.
            let is_known = issued.contains(&cursor) || wire.dropped > 0;
            note += &match names.cursor(cursor).filter(|_| is_known) {
                Some(name) => format!("  cursor {name}"),
                None => "  a cursor that was not issued".to_owned(),
            };
        }
        if let Some(IssuedCursor::Hash(next)) = request.cursor_issued {
            issued.insert(next);
            note += &format!("  next {}", names.cursor(next).unwrap_or_default());
        }
        note += match request.fault {
            Some(FaultLabel::INVALID_CURSOR) => "  an invalid cursor",
            Some(FaultLabel::INVALID_JSON) => "  invalid JSON",
            _ => "",
        };
        if replays.contains(&request.seq) {
            note.push_str("  perhaps sent again by the transport");
        }
        let kind = kind(request);
        let bar = Bar::new(kind, since(request.arrived), since(ended));
        Row {
            id: request.seq.to_string(),
            level: 1,
            kind,
            is_call: false,
            at: since(request.arrived),
            end: request.ended.map(since),
            label: request.method.to_string(),
            note,
            tags: Vec::new(),
            bars: pause.into_iter().chain([bar]).collect(),
            folded: false,
        }
    });
    let rows: Vec<_> = rows.collect();
    let recorded = rows.len() as u64;
    let timeline = Timeline {
        rows,
        ..Timeline::default()
    };
    let mut timeline = timeline.without_middle(lines, |rows| {
        let left_out = wire.entries.get(rows).unwrap_or_default();
        let shown = recorded - left_out.len() as u64;
        left_out_in_words(left_out, wire.total - shown)
    });
    if timeline.gap.is_none() && wire.total > recorded {
        timeline.gap = Some(Gap {
            at: timeline.rows.len(),
            words: left_out_in_words(&[], wire.total - recorded),
        });
    }
    timeline
}

/// Whether a request got a complete response with a status under 400.
fn kind(request: &WireRequest) -> Kind {
    match (request.status, request.ended) {
        (Some(_), None) => Kind::Cut,
        (Some(..400), Some(_)) => Kind::Good,
        _ => Kind::Failed,
    }
}

/// Recorded requests by their results, of `all` that have no row, such as `3 more: 2 × 200,
/// 1 × 429`. The others were dropped from the record.
fn left_out_in_words(recorded: &[WireRequest], all: u64) -> String {
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
    format!("{all} more: {}", results.join(", "))
}

/// The response to a request, and what was noticed about it.
fn note(request: &WireRequest, early: Option<Duration>) -> String {
    let status = match request.status {
        Some(status) => status.to_string(),
        None => "no response".to_owned(),
    };
    let mut words = vec![status];
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
    use wire::{ClosedBy, JobResult::Created, RetryAfter, UnusableValue};

    use super::*;

    fn notes(script: Script) -> Vec<String> {
        let rows = timeline(&script.record(), 10).rows.into_iter();
        rows.map(|row| row.note).collect()
    }

    #[test]
    fn a_row_has_its_times_its_bars_and_how_early_it_was() {
        let asked = Script::new().respond(100, 503).lasting(1).retry_after(2);
        let script = asked.respond(1_121, 200).lasting(1);

        let rows = timeline(&script.clone().record(), 10).rows;

        let [first, retried, answered, end] = [0, 1, 1_021, 1_022].map(Duration::from_millis);
        let expected = ["503  Retry-After: 2 s", "200  980 ms too early"];
        assert_eq!(notes(script), expected);
        assert_eq!(rows[0].bars, [Bar::new(Kind::Failed, first, retried)]);
        let pause = Bar::new(Kind::Pause, retried, answered);
        assert_eq!(rows[1].bars, [pause, Bar::new(Kind::Good, answered, end)]);
        assert_eq!((rows[1].at, &*rows[1].label), (answered, "GET"));
    }

    #[test]
    fn a_retry_after_that_cannot_be_read_is_shown_as_it_was_sent() {
        let unusable = RetryAfter::unusable(UnusableValue("-1"));
        let script = Script::new().respond(0, 503).retry_after_header(unusable);

        assert_eq!(notes(script), ["503  Retry-After: -1"]);
    }

    #[test]
    fn many_requests_have_rows_for_both_ends_only() {
        for (requests, head, tail, left_out) in [
            (
                4,
                &["1", "2", "3", "4"][..],
                &[][..],
                "1 more: 1 not recorded",
            ),
            (
                6,
                &["1", "2"],
                &["5", "6"],
                "3 more: 2 × 503, 1 not recorded",
            ),
            (
                90,
                &["1", "2"],
                &["89", "90"],
                "87 more: 86 × 503, 1 not recorded",
            ),
            (0, &[], &[], "1 more: 1 not recorded"),
        ] {
            let script = (0..requests).fold(Script::new(), |script, at| script.respond(at, 503));
            let mut wire = script.dropping(1).record();
            // One more was counted, but not recorded.
            wire.total += 1;

            let timeline = timeline(&wire, 5);

            let gap = timeline.gap.expect("a gap");
            let ids: Vec<_> = timeline.rows.iter().map(|row| &*row.id).collect();
            assert_eq!(ids.split_at(gap.at), (head, tail), "{requests}");
            assert_eq!(gap.words, left_out, "{requests}");
        }
        let complete = Script::new().respond(0, 503).respond(1, 503).record();
        assert_eq!(timeline(&complete, 2).gap, None);
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

        let job = "503  job created  ";
        let expected = ["key 1", "key 2", "key 1", "no key"].map(|key| format!("{job}{key}"));
        assert_eq!(notes(posts), expected);
        let expected = [
            "503  next A",
            "503  cursor A  next B",
            "503  a cursor that was not issued  next A",
        ];
        assert_eq!(notes(pages), expected);
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
            "200  next A",
            "200  cursor A  an invalid cursor",
            "200  cursor A  invalid JSON",
        ];
        assert_eq!(notes(page), expected);
    }

    #[test]
    fn a_possible_resend_by_the_transport_is_marked() {
        let lost = Script::new().respond(1, 503).on(1, 2).lost();
        let again = lost.respond(2, 503).on(2, 1);

        let notes = notes(again.connection(1, Some((1, ClosedBy::Service))));

        let ends = notes.iter().filter_map(|note| note.split("  ").last());
        let expected = ["no response", "perhaps sent again by the transport"];
        assert_eq!(ends.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_missing_response_and_an_incomplete_body_are_marked() {
        let lost = Script::new().respond(0, 503).lost().job(Created);
        let cut = lost.respond(5, 503).with(|request| request.ended = None);

        let expected = ["no response  job created  no key", "503  incomplete"];
        assert_eq!(notes(cut), expected);
    }
}
