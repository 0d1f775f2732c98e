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
