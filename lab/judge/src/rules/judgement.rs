//! The judgement of a rule.

use serde::{Deserialize, Serialize};

use super::Case;

/// The verdict on a rule, with the requests that show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// The requests that broke the rule, in order; empty if none did.
    pub requests: Vec<RequestRef>,
    /// The finding, as text.
    pub found: Option<String>,
}

/// The verdict on a rule. Of several cases, the greatest verdict counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The situation of the rule did not occur: the fault was not delivered.
    NotExercised,
    /// The client chose not to do what the rule is about: it gave up and did not retry.
    Skipped,
    /// The client kept it.
    Kept,
    /// The record does not show it: there are too few retries or the machine was busy, the time was up
    /// before the evidence was there, or entries were dropped.
    CannotTell,
    /// The client broke it.
    Broken,
}

/// A request of one of several cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RequestRef {
    /// The number of the case, from 0.
    pub case: usize,
    /// The number of the request in it.
    pub seq: u64,
}

impl Judgement {
    pub(super) fn kept() -> Self {
        Self::plain(Verdict::Kept)
    }

    pub(super) fn skipped() -> Self {
        Self::plain(Verdict::Skipped)
    }

    pub(super) fn skipped_because(found: impl Into<String>) -> Self {
        Self {
            found: Some(found.into()),
            ..Self::skipped()
        }
    }

    pub(super) fn not_exercised() -> Self {
        Self::plain(Verdict::NotExercised)
    }

    pub(super) fn cannot_tell(why: impl Into<String>) -> Self {
        Self {
            found: Some(why.into()),
            ..Self::plain(Verdict::CannotTell)
        }
    }

    /// Kept if `seqs` is empty, else broken by these requests of a single case.
    pub(super) fn kept_unless(seqs: Vec<u64>, found: impl Into<String>) -> Self {
        if seqs.is_empty() {
            Self::kept()
        } else {
            Self::broken(seqs, found)
        }
    }

    /// The lab stopped the client, so its next actions are unknown.
    pub(super) fn still_running() -> Self {
        Self::cannot_tell("still running when the case ended")
    }

    /// Broken by these requests of a single case.
    pub(super) fn broken(seqs: Vec<u64>, found: impl Into<String>) -> Self {
        let requests = seqs.into_iter().map(|seq| RequestRef { case: 0, seq });
        Self::broken_by(requests.collect(), found)
    }

    /// Broken by these requests of several cases.
    pub(super) fn broken_by(requests: Vec<RequestRef>, found: impl Into<String>) -> Self {
        Self {
            requests,
            found: Some(found.into()),
            ..Self::plain(Verdict::Broken)
        }
    }

    /// Judges each case separately. The greatest verdict decides.
    pub(super) fn of_each(cases: &[Case<'_>], judge: impl Fn(&Case<'_>) -> Self) -> Self {
        let judged = cases.iter().enumerate().map(|(number, case)| {
            let mut judged = judge(case);
            for request in &mut judged.requests {
                request.case = number;
            }
            judged.unless_unseen(case)
        });
        judged.reduce(Self::and).unwrap_or_else(Self::not_exercised)
    }

    /// A case with dropped requests may be broken, but never kept or skipped. A client that
    /// was stopped has not chosen to skip anything.
    pub(super) fn unless_unseen(self, case: &Case<'_>) -> Self {
        match self.verdict {
            Verdict::Kept | Verdict::Skipped if case.wire.dropped > 0 => {
                Self::cannot_tell("not every request was recorded")
            }
            Verdict::Skipped if case.was_stopped() => Self::still_running(),
            _ => self,
        }
    }

    /// A rule that forbids a request is kept only by a client that had its result and sent
    /// nothing more: one that was stopped before might have sent it later.
    pub(super) fn if_watched(self, case: &Case<'_>) -> Self {
        match self.verdict {
            Verdict::Kept if case.was_stopped() => Self::still_running(),
            Verdict::Kept => Self {
                found: case.watched(),
                ..self
            },
            _ => self,
        }
    }

    /// Broken by these requests of a single case; in doubt, if they are none but there is a
    /// `doubt` that there were; else kept.
    pub(super) fn kept_unless_in(
        seqs: Vec<u64>,
        found: impl Into<String>,
        doubt: Option<&'static str>,
    ) -> Self {
        match doubt.filter(|_| seqs.is_empty()) {
            Some(doubt) => Self::cannot_tell(doubt),
            None => Self::kept_unless(seqs, found),
        }
    }

    fn plain(verdict: Verdict) -> Self {
        Self {
            verdict,
            requests: Vec::new(),
            found: None,
        }
    }

    fn and(mut self, mut other: Self) -> Self {
        if self.verdict == Verdict::Broken && other.verdict == Verdict::Broken {
            self.requests.append(&mut other.requests);
            return self;
        }
        if self.verdict == other.verdict && self.found.is_none() {
            self.found = other.found.take();
        }
        if self.verdict >= other.verdict {
            self
        } else {
            other
        }
    }
}

#[cfg(test)]
mod tests {
    use wire::WireRecord;

    use super::{Verdict::*, *};
    use crate::rules::{find, testing::Script};

    /// The judgement of these cases of one task.
    fn judged<'a>(wires: impl IntoIterator<Item = &'a WireRecord>) -> Judgement {
        let cases: Vec<_> = wires.into_iter().map(Case::of).collect();
        let rule = find("retry-after-seconds").expect("known");
        rule.judge(&cases)
    }

    /// A case of each verdict.
    fn cases() -> [(Verdict, WireRecord); 5] {
        let asked = || Script::new().respond(0, 503).retry_after(2);
        let waited = || asked().respond(2_000, 200);
        [
            (NotExercised, Script::new().respond(0, 200)),
            (Skipped, asked()),
            (Kept, waited()),
            (CannotTell, waited().dropping(1)),
            (Broken, asked().respond(9, 200)),
        ]
        .map(|(verdict, script)| (verdict, script.record()))
    }

    #[test]
    fn the_greatest_verdict_of_several_cases_counts() {
        let cases = cases();
        for (one, first) in &cases {
            for (other, second) in &cases {
                let judgement = judged([first, second]);

                assert_eq!(judgement.verdict, *one.max(other), "{one}, {other}");
            }
        }
    }

    #[test]
    fn the_requests_of_every_case_that_broke_the_rule_are_listed() {
        let [.., (_, kept), _, (_, broken)] = cases();

        let judgement = judged([&broken, &kept, &broken]);

        let shown = judgement
            .requests
            .iter()
            .map(|request| (request.case, request.seq));
        assert_eq!(shown.collect::<Vec<_>>(), [(0, 2), (2, 2)]);
    }

    #[test]
    fn what_was_found_in_one_case_of_several_is_said() {
        let case = |found: Option<&str>| Judgement {
            found: found.map(str::to_owned),
            ..Judgement::kept()
        };

        for cases in [
            [None, Some("it")],
            [Some("it"), None],
            [Some("it"), Some("other")],
        ] {
            let [one, other] = cases.map(case);
            assert_eq!(one.and(other).found.as_deref(), Some("it"));
        }
    }

    #[test]
    fn a_judgement_says_why_it_cannot_tell() {
        let [.., (_, unclear), _] = cases();

        let found = judged([&unclear]).found;

        assert_eq!(found.as_deref(), Some("not every request was recorded"));
    }
}
