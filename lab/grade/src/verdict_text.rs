//! The texts of a card, in one place, so that text, report and web UI agree.

use std::fmt;

use judge::{KnownFailures, rules::Verdict};
use wire::counted;

use super::{GoalVerdict, TaskGrade, find};

impl fmt::Display for GoalVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Reached => "reached",
            Self::Missed => "missed",
            Self::Crashed => "crashed",
            Self::Skipped => "skipped",
            Self::NotJudged => "not judged",
        })
    }
}

impl TaskGrade {
    /// The results in a few terms: the rules that were broken, the goal, the number of rules
    /// kept, the rules that cannot be told, and the rules that are `known` to be broken.
    #[must_use]
    pub fn summary(&self, known: &KnownFailures) -> Vec<String> {
        let requests = counted(self.requests(), "request");
        let cases = self.cases.iter();
        let alike = cases.filter(|case| case.goal.verdict == self.goal.verdict);
        let extent = match (self.cases.len(), alike.count()) {
            (0 | 1, _) if self.requests() == 0 => String::new(),
            (0 | 1, _) => format!(" in {requests}"),
            (_, 0) => String::new(),
            (all, _) if self.goal.verdict == GoalVerdict::Reached => {
                format!(" in {all} cases with {requests}")
            }
            (all, alike) => format!(" in {alike} of {all} cases"),
        };
        let goal = match self.goal.verdict {
            GoalVerdict::Crashed if self.requests() == 0 => "sent no request".to_owned(),
            GoalVerdict::NotJudged if self.requests() == 0 => "not called".to_owned(),
            GoalVerdict::Skipped => "skipped by your client".to_owned(),
            GoalVerdict::NotJudged if self.cases.iter().any(|case| case.process.is_some()) => {
                let found = self.goal.found.as_deref().unwrap_or_default();
                format!("goal not judged: {found}")
            }
            GoalVerdict::NotJudged => format!("goal not judged: {requests}"),
            GoalVerdict::Crashed => format!("crashed{extent}"),
            verdict => format!("goal {verdict}{extent}"),
        };
        let [broken, kept, open, known] = self.of_rules(known);
        [broken, Some(goal), kept, open, known]
            .into_iter()
            .flatten()
            .collect()
    }

    /// The requests that arrived, in words, if all have another method than its task.
    pub(crate) fn other_method(&self) -> Option<String> {
        let method = find(self.task).ok()?.method.as_str();
        let mut requests = self.cases.iter().flat_map(|case| &case.wire.entries);
        let arrived = counted(self.requests(), "request");
        let is_other = self.requests() > 0 && requests.all(|request| request.method != method);
        is_other.then(|| format!("{arrived} arrived, and none is a {method}."))
    }

    /// The rules that were broken, how many were kept, those that cannot be told, and those
    /// that are known to be broken.
    fn of_rules(&self, known: &KnownFailures) -> [Option<String>; 4] {
        fn named(what: &str, ids: impl Iterator<Item = &'static str>) -> Option<String> {
            let ids: Vec<_> = ids.collect();
            (!ids.is_empty()).then(|| format!("{what}: {}", ids.join(", ")))
        }
        let kept = match self.with_verdict(Verdict::Kept).count() {
            0 => None,
            kept => Some(format!("{} kept", counted(kept as u64, "rule"))),
        };
        let cannot_tell = self.with_verdict(Verdict::CannotTell);
        let goal = self.is_known_to_miss(known).then_some("goal");
        let known_rules = self
            .broken()
            .filter(|rule| known.cover(Some(self.task), rule.id));
        [
            named("broken", self.broken_but_for(known).map(|rule| rule.id)),
            kept,
            named("cannot tell", cannot_tell.map(|rule| rule.id)),
            named(
                "known to fail",
                goal.into_iter().chain(known_rules.map(|rule| rule.id)),
            ),
        ]
    }
}

#[cfg(test)]
pub(super) mod tests {
    use judge::rules::{CaseKind, Judgement, RuleLevel};

    use wire::WireRecord;

    use super::*;
    use crate::{CaseGrade, GoalResult, RuleGrade};

    pub(crate) fn task(verdicts: &[Verdict]) -> TaskGrade {
        let rule = |(id, verdict): (&'static str, &Verdict)| RuleGrade {
            id,
            level: RuleLevel::Standard,
            source: "",
            judgement: Judgement {
                verdict: *verdict,
                requests: Vec::new(),
                found: None,
            },
        };
        TaskGrade {
            task: "flaky",
            goal: GoalResult::of_all(&[]),
            rules: ["0", "1", "2"]
                .into_iter()
                .zip(verdicts)
                .map(rule)
                .collect(),
            cases: Vec::new(),
            kind: CaseKind::Plain,
        }
    }

    #[test]
    fn a_goal_that_some_cases_missed_names_their_number() {
        let words = |verdicts: &[GoalVerdict]| {
            let mut task = task(&[]);
            let cases = verdicts.iter().map(|verdict| CaseGrade {
                name: "",
                goal: GoalResult {
                    verdict: *verdict,
                    found: None,
                },
                expected: String::new(),
                process: None,
                wire: WireRecord {
                    total: 3,
                    ..WireRecord::default()
                },
            });
            task.cases = cases.collect();
            task.goal = GoalResult::of_all(task.cases.iter().map(|case| &case.goal));
            task.summary(&KnownFailures::default()).join(" · ")
        };
        use GoalVerdict::{Crashed, Missed, NotJudged, Reached, Skipped};
        for (verdicts, expected) in [
            (&[Reached][..], "goal reached in 3 requests"),
            (
                &[Reached, Reached],
                "goal reached in 2 cases with 6 requests",
            ),
            (&[Missed], "goal missed in 3 requests"),
            (&[Missed, Missed], "goal missed in 2 of 2 cases"),
            (&[Reached, Missed, Missed], "goal missed in 2 of 3 cases"),
            (&[Missed, Crashed, Reached], "crashed in 1 of 3 cases"),
            (&[Reached, Skipped], "goal missed"),
            (&[NotJudged, Reached], "goal not judged: 6 requests"),
        ] {
            assert_eq!(words(verdicts), expected, "{verdicts:?}");
        }
    }

    #[test]
    fn rules_are_named_or_counted() {
        use judge::rules::Verdict::{Broken, Kept};
        let summary = |known: KnownFailures| task(&[Broken, Kept]).summary(&known);
        let unknown = ["broken: 0", "not called", "1 rule kept"];
        assert_eq!(summary(KnownFailures::default()), unknown);
        let known = ["not called", "1 rule kept", "known to fail: 0"];
        let list = KnownFailures::read("0", |_| Ok::<_, ()>(())).expect("a list");
        assert_eq!(summary(list), known);
    }
}
