//! Waits should be random, so that clients that fail together do not retry together.

use super::{
    Judge, Rule, RuleLevel,
    backoff::{GapRule, failed, jitter},
};

/// The rule.
pub const RULE: Rule = Rule {
    id: "backoff-jitter",
    level: RuleLevel::GoodPractice,
    source: "AWS Architecture Blog, Exponential Backoff And Jitter",
    text: "the pauses before retries differed",
    why: "If all clients wait equally long, they return as one wave, as high as the one that overloaded the service.",
    hint: "Draw each wait at random between zero and its ceiling.",
    judge: Judge::Gaps(GapRule {
        failed,
        is_pooled: true,
        shown: jitter,
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
        card::NONE,
        testing::Script,
    };

    fn judged(records: &[WireRecord]) -> Judgement {
        let cases: Vec<_> = records.iter().map(Case::of).collect();
        RULE.judge(&cases)
    }

    /// Cases of a client that retries at once, on a slow runtime, and again after this many
    /// milliseconds.
    fn came_back_after(gaps: &[u64]) -> Vec<WireRecord> {
        let case = |gap: &u64| Script::gaps(&[20, *gap], |script| script).record();
        gaps.iter().map(case).collect()
    }

    /// The same, with a timer of the lab that was late in the first of them; in milliseconds.
    fn late(gaps: &[u64], due: u64, late: u64) -> Vec<WireRecord> {
        let mut records = came_back_after(gaps);
        let [due, late] = [due, late].map(Duration::from_millis);
        records[0].delays = vec![TimerDelay { due, late }];
        records
    }

    #[test]
    fn equal_pauses_break_it_and_pauses_that_differ_keep_it() {
        let table: [(&[u64], Verdict); 15] = [
            (&[200, 201, 202, 203, 200, 201, 202, 203], Broken),
            // One may differ.
            (&[200, 201, 202, 203, 200, 201, 202, 900], Broken),
            (&[10, 201, 202, 203, 200, 201, 202, 203], Broken),
            (&[200, 201, 202, 203, 200, 201, 900, 900], Kept),
            // The second retries by at most 5.5 ms, or by a hundredth.
            (&[200, 201, 202, 204, 200, 201, 202, 204], Broken),
            (&[200, 201, 202, 206, 200, 201, 202, 206], CannotTell),
            (&[3000, 3010, 3020, 3030, 3000, 3010, 3020, 3030], Broken),
            // Without the smallest and the largest: by 30 ms, and by a fifth.
            (&[10, 50, 50, 50, 50, 50, 80, 900], Kept),
            (&[10, 50, 50, 50, 50, 50, 79, 900], CannotTell),
            (&[10, 160, 160, 160, 160, 160, 190, 900], CannotTell),
            (&[200; 7], CannotTell),
            (&[40; 8], Broken),
            (&[39; 8], CannotTell),
            (&[1; 8], Skipped),
            (&[9; 8], Skipped),
        ];
        for (gaps, verdict) in table {
            let judgement = judged(&came_back_after(gaps));

            let requests = judgement.requests.iter();
            let named: Vec<_> = requests.map(|request| request.case).collect();
            let all = (0..gaps.len()).filter(|_| verdict == Broken);
            assert_eq!(judgement.verdict, verdict, "{gaps:?}");
            assert_eq!(named, all.collect::<Vec<_>>(), "{gaps:?}");
        }
        let found = judged(&came_back_after(table[0].0)).found;
        let words = "7 of the 8 pauses before second retries differ by at most 3 ms";
        assert_eq!(found.as_deref(), Some(words));
    }

    #[test]
    fn pauses_on_a_busy_machine_must_differ_by_more_and_tell_nothing_if_it_is_too_busy() {
        let wide = [90, 100, 110, 130, 160, 180, 220, 230];
        let narrow = [50, 60, 60, 70, 80, 90, 100, 110];

        assert_eq!(judged(&late(&narrow, 50, 14)).verdict, Kept);
        assert_eq!(judged(&late(&narrow, 50, 15)).verdict, CannotTell);
        // After all gaps.
        assert_eq!(judged(&late(&narrow, 5_000, 29)).verdict, Kept);
        assert_eq!(judged(&late(&narrow, 5_000, 30)).verdict, CannotTell);
        assert_eq!(judged(&late(&wide, 50, 29)).verdict, Kept);
        let untold = judged(&late(&wide, 50, 30));
        assert_eq!(untold.verdict, CannotTell);
        let words = "the pauses differ by up to 120 ms, which may be work or chance; the machine \
                     was busy, and a timer of the lab was 30 ms late: grade again";
        assert_eq!(untold.found.as_deref(), Some(words));
    }

    #[test]
    fn the_reason_names_the_machine_only_if_it_was_busy() {
        let gaps = [200, 201, 202, 206, 200, 201, 202, 206];
        for (delay, busy) in [
            (14, ""),
            (
                15,
                "; the machine was busy, and a timer of the lab was 15 ms late: grade again",
            ),
            (
                16,
                "; the machine was busy, and a timer of the lab was 16 ms late: grade again",
            ),
        ] {
            let found = judged(&late(&gaps, 5_000, delay)).found;
            let words = "the pauses differ by up to 6 ms, which may be work or chance";
            assert_eq!(found, Some(format!("{words}{busy}")));
        }
    }

    /// Those of a runtime that compiles differ by themselves.
    #[test]
    fn first_retries_alone_must_differ_as_on_a_busy_machine() {
        for (gaps, verdict) in [
            ([10, 90, 90, 100, 110, 120, 180, 900], CannotTell),
            ([10, 90, 90, 100, 110, 120, 190, 900], Kept),
            ([10, 50, 50, 60, 90, 120, 190, 900], CannotTell),
        ] {
            let records = gaps.map(|gap| Script::gaps(&[gap], |script| script).record());

            assert_eq!(judged(&records).verdict, verdict, "{gaps:?}");
        }

        let equal = [200; 8].map(|gap| Script::gaps(&[gap], |script| script).record());
        let words = "7 of the 8 pauses before first retries differ by at most 0 ms";
        assert_eq!(judged(&equal).found.as_deref(), Some(words));
    }

    #[test]
    fn too_few_pauses_say_how_many_are_needed() {
        let found = judged(&came_back_after(&[200; 7])).found;

        let words = "14 retries are too few: 8 first ones after the same status tell, or 8 second \
                     ones, in all tasks of the card together";
        assert_eq!(found.as_deref(), Some(words));
    }

    #[test]
    fn only_gaps_that_the_client_chose_count() {
        let of_each = |script: Script| vec![script.record(); 8];
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
        let mut records = came_back_after(&[200; 8]);
        records[0].dropped = 1;

        assert_eq!(judged(&records).verdict, CannotTell);
        assert_eq!(judged(&records[..1]).verdict, CannotTell);
    }

    #[test]
    fn a_client_that_was_stopped_had_retried_at_once_before() {
        let at_once = Script::gaps(&[1], |script| script).stopped_at(9_000);
        let (whole, process) = at_once.case();
        let dropping = at_once.clone().dropping(1).record();
        let mut cases = vec![Case::with(whole, process, &NONE); 8];

        let skipped = RULE.judge(&cases).verdict;
        cases.push(Case::with(&dropping, process, &NONE));

        assert_eq!(skipped, Skipped);
        assert_eq!(RULE.judge(&cases).verdict, CannotTell);
    }
}
