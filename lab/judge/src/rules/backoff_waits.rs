//! A client should wait before a retry.

use super::{
    Judge, Rule, RuleLevel,
    backoff::{GapRule, failed, pauses},
};

/// The rule.
pub const RULE: Rule = Rule {
    id: "backoff-waits",
    level: RuleLevel::GoodPractice,
    source: "AWS Builders' Library, Timeouts, retries and backoff with jitter; Google SRE book, chapter 22",
    text: "there was a pause before most retries",
    why: "An overloaded service cannot recover while every client retries at once.",
    hint: "Wait before each retry: a random time below a ceiling that doubles.",
    judge: Judge::Gaps(GapRule {
        failed,
        is_pooled: true,
        shown: pauses,
    }),
};

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use wire::{TimerDelay, WireRecord};

    use super::*;
    use crate::rules::{
        Case, Judgement,
        Verdict::{self, Broken, CannotTell, Kept, NotExercised, Skipped},
        testing::Script,
    };

    /// Cases with a failure and retries after these gaps in milliseconds that fail as well.
    fn cases(cases: &[&[u64]]) -> Vec<WireRecord> {
        let wires = cases.iter().map(|gaps| Script::gaps(gaps, |script| script));
        wires.map(Script::record).collect()
    }

    fn judged(wires: &[WireRecord]) -> Judgement {
        let cases: Vec<_> = wires.iter().map(Case::of).collect();
        RULE.judge(&cases)
    }

    fn verdict(wires: &[WireRecord]) -> Verdict {
        judged(wires).verdict
    }

    #[test]
    fn eight_retries_at_once_break_it() {
        for (first, second, expected) in [
            ([1; 8], Some([1; 8]), Broken),
            ([1; 8], None, Broken),
            // Two thirds within 5 ms, or all but one within 10 ms.
            ([4, 4, 4, 4, 4, 4, 900, 900], None, Broken),
            ([4, 4, 4, 4, 4, 900, 900, 900], None, CannotTell),
            ([9, 9, 9, 9, 9, 9, 9, 900], None, Broken),
            ([9, 9, 9, 9, 9, 9, 10, 900], None, CannotTell),
            // The first retry of a slow runtime.
            ([20, 30, 39, 39, 39, 25, 90, 90], Some([2; 8]), Broken),
            ([20, 30, 39, 40, 40, 25, 90, 90], Some([2; 8]), CannotTell),
            // The client waits only before later retries.
            ([1; 8], Some([20; 8]), CannotTell),
        ] {
            let gaps = (0..8).map(|case| {
                let gaps = [Some(first[case]), second.map(|second| second[case])];
                gaps.into_iter().flatten().collect::<Vec<_>>()
            });
            let gaps: Vec<_> = gaps.collect();
            let gaps: Vec<_> = gaps.iter().map(Vec::as_slice).collect();

            assert_eq!(verdict(&cases(&gaps)), expected, "{gaps:?}");
        }
    }

    #[test]
    fn a_few_retries_at_once_may_be_chance() {
        assert_eq!(verdict(&cases(&[&[]])), Skipped);
        assert_eq!(verdict(&cases(&[&[1][..]; 7])), CannotTell);
        // Of other numbers, or after another status.
        assert_eq!(
            verdict(&cases(&[&[1, 1], &[1, 1], &[1, 1], &[1, 1]])),
            CannotTell
        );
        let mut records = cases(&[&[1][..]; 8]);
        records[0].entries[0].status = Some(502);
        assert_eq!(verdict(&records), CannotTell);
    }

    #[test]
    fn most_long_gaps_keep_it_and_few_show_nothing() {
        for (gaps, expected) in [
            (&[&[40, 40, 40, 1][..]][..], Kept),
            (&[&[1, 40, 40, 40]], Kept),
            (&[&[39, 40, 40, 1]], CannotTell),
            // All in all, and without the first retries.
            (&[&[40, 40], &[40, 40], &[40, 1]], Kept),
            (&[&[40, 40], &[40, 1], &[40, 1]], CannotTell),
            (&[&[1, 40], &[1, 40], &[1, 40]], CannotTell),
            // First retries alone, or nearly.
            (&[&[100], &[100], &[1]], Kept),
            (&[&[100], &[99], &[1]], CannotTell),
            (&[&[100, 90], &[100, 90]], CannotTell),
            (&[&[100, 100]], CannotTell),
        ] {
            assert_eq!(verdict(&cases(gaps)), expected, "{gaps:?}");
        }
    }

    #[test]
    fn a_gap_on_a_busy_machine_must_be_longer_than_the_noise() {
        let millis = Duration::from_millis;
        for (gap, due, late, expected) in [
            (90, 10, 14, Kept),
            (90, 10, 15, CannotTell),
            (100, 10, 15, Kept),
            (150, 10, 80, CannotTell),
            (160, 10, 80, Kept),
            // It falls into none of the first seconds of the gaps, or into one.
            (1_500, 1_010, 400, Kept),
            (1_500, 1_010, 900, CannotTell),
        ] {
            let mut records = cases(&[&[gap; 4]]);
            for entry in &mut records[0].entries {
                entry.arrived += millis(60);
                entry.head = Some(entry.arrived);
            }
            let (due, late) = (millis(60 + due), millis(late));
            records[0].delays = vec![TimerDelay { due, late }];

            assert_eq!(verdict(&records), expected, "{gap} {due:?} {late:?}");
        }
    }

    #[test]
    fn the_retries_of_all_cases_count_and_those_at_once_are_named() {
        let mut records = cases(&[&[1, 1][..]; 8]);

        let judgement = judged(&records);

        let requests = judgement.requests.iter();
        let requests: Vec<_> = requests
            .map(|request| (request.case, request.seq))
            .collect();
        let all = (0..8).flat_map(|case| [(case, 2), (case, 3)]);
        assert_eq!(requests, all.collect::<Vec<_>>());
        let found = "16 of 16 retries came within 10 ms";
        assert_eq!(judgement.found.as_deref(), Some(found));
        records[1].dropped = 1;
        assert_eq!(verdict(&records), CannotTell);
    }

    #[test]
    fn a_wait_that_the_service_named_is_not_a_backoff() {
        let asked = Script::new()
            .respond(0, 503)
            .retry_after(2)
            .respond(2_000, 200);

        assert_eq!(verdict(&[asked.record()]), NotExercised);
    }
}
