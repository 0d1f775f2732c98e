//! The requests of a case on an axis of time, which begins with the one that met the fault.

use std::time::Duration;

use judge::rules::Verdict;
use render::timeline::{Bar, Kind, Row, Tag, Timeline};

use crate::card::{CaseCard, WireRow};

impl CaseCard {
    /// The requests of its route, each with the pause before it and a tag for each rule that it
    /// broke, in at most so many lines.
    pub(crate) fn timeline(&self, lines: usize) -> Timeline {
        let method = self.route.split(' ').next().unwrap_or_default();
        let mut before = None;
        let rows = self.requests.iter().map(|request| {
            let at = Duration::from_millis(request.after_ms);
            let pause = before.map(|before| Bar::new(Kind::Pause, before, at));
            before = Some(at);
            let kind = kind(request);
            Row {
                id: request.seq.to_string(),
                level: 1,
                kind,
                is_call: false,
                at,
                end: None,
                label: method.to_owned(),
                note: note(request),
                tags: self.tags(request),
                bars: pause.into_iter().chain([Bar::new(kind, at, at)]).collect(),
                folded: false,
            }
        });
        let timeline = Timeline {
            rows: rows.collect(),
            ..Timeline::default()
        };
        timeline.without_middle(lines, |rows| format!("{} more", rows.len()))
    }

    fn tags(&self, request: &WireRow) -> Vec<Tag> {
        let rules = self.rules.iter();
        let broken = rules
            .filter(|rule| rule.verdict == Verdict::Broken && rule.requests.contains(&request.seq));
        let broken = broken.map(|rule| Tag {
            words: format!("✗ {}", rule.rule),
            is_bad: true,
        });
        let unseen = request.upstream.is_none().then(|| Tag {
            words: "your API did not see it".to_owned(),
            is_bad: false,
        });
        broken.chain(unseen).collect()
    }
}

/// Whether the client got a status under 400.
fn kind(request: &WireRow) -> Kind {
    match request.status {
        Some(..400) => Kind::Good,
        _ => Kind::Failed,
    }
}

/// What the client got, what the API answered if that was another response, and the attempt
/// that the client says it is.
fn note(request: &WireRow) -> String {
    let mut words = status(request.status);
    if request.status.is_none() && request.upstream.is_some() {
        words.push_str(&format!("; your API answered {}", status(request.upstream)));
    }
    if let Some(attempt) = request.attempt {
        words.push_str(&format!("  (its own count: {attempt})"));
    }
    words
}

/// A status, or that there was no response.
fn status(status: Option<u16>) -> String {
    status.map_or("nothing".to_owned(), |status| status.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ProxyFault, verdict::Judged};

    fn case(requests: Vec<WireRow>, rules: Vec<Judged>) -> CaseCard {
        CaseCard {
            route: "POST /v1/orders".to_owned(),
            fault: ProxyFault::LostResponse,
            event: String::new(),
            runs: Vec::new(),
            end: None,
            rules,
            requests,
        }
    }

    fn request(seq: u64, after_ms: u64, status: Option<u16>, upstream: Option<u16>) -> WireRow {
        WireRow {
            seq,
            after_ms,
            status,
            upstream,
            attempt: None,
        }
    }

    #[test]
    fn a_request_has_the_pause_before_it_and_what_both_sides_got() {
        let requests = vec![
            request(4, 0, None, Some(201)),
            WireRow {
                attempt: Some(2),
                ..request(5, 200, Some(503), None)
            },
            request(6, 900, Some(201), Some(201)),
        ];
        let broken = Judged {
            rule: "once",
            verdict: Verdict::Broken,
            found: None,
            requests: vec![5],
            is_suspected: false,
            lacks: None,
            shown_by: Duration::ZERO,
        };

        let rows = case(requests, vec![broken]).timeline(9).rows;

        let ms = Duration::from_millis;
        let notes: Vec<_> = rows.iter().map(|row| (&*row.label, &*row.note)).collect();
        let expected = [
            ("POST", "nothing; your API answered 201"),
            ("POST", "503  (its own count: 2)"),
            ("POST", "201"),
        ];
        assert_eq!(notes, expected);
        let at = |kind, at| Bar::new(kind, ms(at), ms(at));
        let pause = |from, to| Bar::new(Kind::Pause, ms(from), ms(to));
        assert_eq!(rows[0].bars, [at(Kind::Failed, 0)]);
        assert_eq!(rows[1].bars, [pause(0, 200), at(Kind::Failed, 200)]);
        assert_eq!(rows[2].bars, [pause(200, 900), at(Kind::Good, 900)]);
        let tags: Vec<_> = rows[1]
            .tags
            .iter()
            .map(|tag| (&*tag.words, tag.is_bad))
            .collect();
        assert_eq!(tags, [("✗ once", true), ("your API did not see it", false)]);
        assert!(rows[0].tags.is_empty() && rows[2].tags.is_empty());
    }

    #[test]
    fn of_many_requests_both_ends_are_shown() {
        let requests = (0..20)
            .map(|seq| request(seq, seq, Some(503), None))
            .collect();

        let timeline = case(requests, Vec::new()).timeline(9);

        let ids: Vec<_> = timeline.rows.iter().map(|row| &*row.id).collect();
        assert_eq!(ids, ["0", "1", "2", "3", "16", "17", "18", "19"]);
        assert_eq!(timeline.gap.expect("a gap").words, "12 more");
    }
}
