//! The words of a card, made once: text, report and web UI say the same.

use std::fmt;

use super::{GoalVerdict, TaskGrade};
use crate::rules::{Level, Verdict};

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Kept => "kept",
            Self::Broken => "broken",
            Self::Skipped => "skipped",
            Self::NotExercised => "not exercised",
            Self::CannotTell => "cannot tell",
        })
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Standard => "standard",
            Self::GoodPractice => "good practice",
            Self::Contract => "this contract",
        })
    }
}

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
    /// What came of its rules, as in `1 rule broken · 2 kept`. Nothing is said of those
    /// of which nothing is known.
    #[must_use]
    pub fn rules_in_words(&self) -> Option<String> {
        let counts = [Verdict::Broken, Verdict::Kept, Verdict::Skipped];
        let counts = counts.map(|verdict| (self.with_verdict(verdict).count(), verdict));
        let counts = counts.into_iter().filter(|(count, _)| *count > 0);
        let words = counts.enumerate().map(|(place, (count, verdict))| {
            let noun = match (place, count) {
                (0, 1) => " rule",
                (0, _) => " rules",
                _ => "",
            };
            format!("{count}{noun} {verdict}")
        });
        words.reduce(|one, other| format!("{one} · {other}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        grade::{GoalResult, RuleGrade},
        rules::Judgement,
    };

    fn task(verdicts: &[Verdict]) -> TaskGrade {
        let rule = |verdict: &Verdict| RuleGrade {
            id: "",
            level: Level::Standard,
            source: "",
            judgement: Judgement {
                verdict: *verdict,
                requests: Vec::new(),
                found: None,
            },
        };
        TaskGrade {
            task: "",
            goal: GoalResult::of_all(&[]),
            rules: verdicts.iter().map(rule).collect(),
            plays: Vec::new(),
        }
    }

    #[test]
    fn rules_are_counted_by_what_they_came_to() {
        use Verdict::{Broken, CannotTell, Kept, NotExercised, Skipped};
        for (verdicts, words) in [
            (&[][..], None),
            (&[NotExercised, CannotTell], None),
            (&[Kept], Some("1 rule kept")),
            (&[Kept, Skipped, Kept], Some("2 rules kept · 1 skipped")),
            (&[Kept, Kept, Broken], Some("1 rule broken · 2 kept")),
        ] {
            assert_eq!(task(verdicts).rules_in_words().as_deref(), words);
        }
    }
}
