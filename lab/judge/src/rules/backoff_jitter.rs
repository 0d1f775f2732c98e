//! Waits should be random, so that clients that fail together do not retry together.

use super::{Judge, Rule, RuleLevel, backoff_waits::failed, gaps, sample::Sample};

/// The rule.
pub const RULE: Rule = Rule {
    id: "backoff-jitter",
    level: RuleLevel::GoodPractice,
    source: "AWS Architecture Blog, Exponential Backoff And Jitter",
    text: "the pauses before retries differed",
    why: "If all clients wait equally long, they return as one wave, as high as the one that overloaded the service.",
    hint: "Draw each wait at random between zero and its ceiling.",
    judge: Judge::Gaps(|cases| {
        gaps::judged(
            cases,
            |_, request| failed(request),
            true,
            Sample::has_jitter,
        )
    }),
};

#[cfg(test)]
mod tests {
    use wire::WireRecord;

    use super::*;
    use crate::rules::{
        Case, Judgement,
        Verdict::{self, Broken, CannotTell, Kept, NotExercised, Skipped},
        sample::ALIKE_NEEDS,
        testing::Script,
    };
    fn judged(records: &[WireRecord]) -> Judgement {
        let cases: Vec<_> = records.iter().map(Case::of).collect();
        RULE.judge(&cases)
    }

    /// Runs of a client that retries this many milliseconds after a failure.
    fn came_back_after(gaps: &[u64]) -> Vec<WireRecord> {
        let case = |(start, gap): (usize, &u64)| {
            let start = 40 * start as u64;
            let failed = Script::new().respond(start, 503);
            failed.respond(start + gap, 200).record()
        };
        gaps.iter().enumerate().map(case).collect()
    }

    #[test]
    fn eight_similar_first_gaps_break_it() {
        let table: [(&[u64], Verdict); 15] = [
            (&[200, 201, 202, 203, 200, 201, 202, 203], Broken),
            (&[5, 5, 5, 5, 5, 5, 5, 5], CannotTell),
            (&[200, 201, 202, 204, 200, 201, 202, 203], CannotTell),
            (&[200, 201, 202, 203, 200, 80, 90, 100], CannotTell),
            (&[200, 201, 202, 203, 70, 80, 90, 100], Kept),
            (&[227, 226, 215, 222, 217, 221, 211, 210], CannotTell),
            (
                &[1003, 1011, 1174, 1001, 1003, 1003, 1029, 1112],
                CannotTell,
            ),
            (&[227, 226, 215, 222, 190, 170, 140, 130], Kept),
            (&[200, 200, 200, 200, 200, 200, 200], CannotTell),
            (&[2, 1, 1, 14, 6, 1, 26, 21], CannotTell),
            (&[1, 2, 30, 39, 60, 90, 120, 150], CannotTell),
            (&[1, 2, 30, 45, 75, 100, 130, 160], Kept),
            (&[200, 150], CannotTell),
            (&[0, 1, 0, 4, 0, 0, 2, 0], Skipped),
            (&[0], Skipped),
        ];
        for (gaps, verdict) in table {
            let judgement = judged(&came_back_after(gaps));
            let found = "8 of 8 1st waits differ by at most 3 ms";

            let named: Vec<_> = judgement
                .requests
                .iter()
                .map(|request| request.case)
                .collect();
            let all = (0..gaps.len()).filter(|_| verdict == Broken);
            assert_eq!(judgement.verdict, verdict, "{gaps:?}");
            assert_eq!(named, all.collect::<Vec<_>>(), "{gaps:?}");
            assert!(verdict != Broken || judgement.found.as_deref() == Some(found));
        }
    }

    #[test]
    fn too_few_cases_say_how_many_are_needed() {
        let found = judged(&came_back_after(&[200; ALIKE_NEEDS - 1])).found;

        let words = "8 cases with a pause before a retry are needed, and there were 7";
        assert_eq!(found.as_deref(), Some(words));
    }

    #[test]
    fn only_gaps_that_the_client_chose_count() {
        let of_each = |script: Script| vec![script.record(); ALIKE_NEEDS];
        let asked = Script::new().respond(0, 503).retry_after(2);

        for (records, verdict) in [
            (of_each(Script::new().respond(0, 200)), NotExercised),
            (of_each(asked.respond(2_000, 200)), NotExercised),
            (of_each(Script::new().respond(0, 503)), Skipped),
        ] {
            assert_eq!(judged(&records).verdict, verdict);
        }
    }

    #[test]
    fn a_case_with_dropped_requests_does_not_count() {
        let mut records = came_back_after(&[200; ALIKE_NEEDS]);
        records[0].dropped = 1;

        assert_eq!(judged(&records).verdict, CannotTell);
        assert_eq!(judged(&records[..1]).verdict, CannotTell);
    }
}
