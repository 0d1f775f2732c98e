//! Waits should be random, so that clients that fail together do not retry together.

use std::time::Duration;

use super::{
    Case, Judgement, Level, RequestRef, Rule,
    backoff_waits::failed,
    gaps::{PAUSE, SURE},
};
use crate::duration_left;

pub(super) const RULE: Rule = Rule {
    id: "backoff-jitter",
    level: Level::GoodPractice,
    source: "AWS Architecture Blog, Exponential Backoff And Jitter",
    text: "the pauses before retries differed",
    why: "If all clients wait equally long, they return as one wave, as high as the one that overloaded the service.",
    hint: "Draw each wait at random between zero and its ceiling.",
    judge,
};

/// Gaps that differ by at most this are alike: timers are not more precise.
const ALIKE: Duration = Duration::from_millis(3);

/// A busy machine makes equal waits differ by up to this. If most gaps differ by no more,
/// they prove neither jitter nor its absence. Of clients with full jitter below 200 ms, two
/// in a hundred get no verdict for this reason.
const BLURRED: Duration = Duration::from_millis(20);

/// The number of first gaps that a verdict needs.
///
/// The correct client that is most easily mistaken draws each wait from whole milliseconds
/// below 100, and its timer fires [early](super::TOLERANCE) by up to 2 ms. Gaps that are
/// alike are then draws from 6 consecutive values, so that all eight are alike with a
/// probability of 8 × 0.06⁷, 2.2 in a hundred million. For waits below 60 ms it is one in a
/// million, and higher for a client whose waits differ by even less.
const SAMPLE: usize = 8;

/// Only first retries count: later gaps differ because a wait doubles. A machine may be slow
/// at any moment, so a few different gaps among many that are alike prove nothing.
fn judge(cases: &[Case<'_>]) -> Judgement {
    let mut requests = cases.iter().flat_map(|case| &case.wire.entries);
    if !requests.any(failed) {
        return Judgement::not_exercised();
    }
    let whole = cases.iter().enumerate();
    let whole = whole.filter(|(_, case)| case.wire.dropped == 0);
    let judgement = of_sample(whole.filter_map(first_gap).collect());
    cases.iter().fold(judgement, Judgement::unless_dropped)
}

fn of_sample(mut gaps: Vec<(RequestRef, Duration)>) -> Judgement {
    gaps.sort_by_key(|(_, gap)| *gap);
    let number = gaps.len();
    let (Some((_, shortest)), Some((_, longest))) = (gaps.first(), gaps.last()) else {
        return Judgement::skipped();
    };
    let most_within = |apart: Duration| {
        let alike = gaps.iter().enumerate().map(|(at, (_, gap))| {
            let end = gaps.partition_point(|(_, other)| *other <= *gap + apart);
            end - at
        });
        alike.max().unwrap_or_default()
    };
    let (alike, blurred) = (most_within(ALIKE), most_within(BLURRED));
    let pauses = gaps.iter().filter(|(_, gap)| *gap >= SURE).count();
    if *longest < PAUSE {
        Judgement::skipped_because("no pause before the first retry")
    } else if number < SAMPLE {
        Judgement::cannot_tell("too few cases with a retry")
    } else if alike == number {
        let apart = duration_left(*longest - *shortest);
        let found = format!("the first waits of {number} cases differ by at most {apart}");
        gaps.sort_by_key(|(request, _)| request.case);
        let requests = gaps.into_iter().map(|(request, _)| request);
        Judgement::broken_by(requests.collect(), found)
    } else if blurred > number / 2 {
        Judgement::cannot_tell(
            "too many of the first waits are similar to tell whether they are random",
        )
    } else if pauses <= number / 2 {
        // On a busy machine, retries without a pause have gaps too, and no two are alike.
        Judgement::cannot_tell("too few of the first retries came after a pause")
    } else {
        Judgement::kept()
    }
}

/// The first retry of a case, and its gap after the failure.
fn first_gap((case, run): (usize, &Case<'_>)) -> Option<(RequestRef, Duration)> {
    let mut retries = run.ties.repetitions();
    let (first, next) = retries.find(|(first, _)| failed(first))?;
    let seq = next.seq;
    let gap = next.arrived.saturating_sub(first.head?);
    Some((RequestRef { case, seq }, gap))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        rules::{
            TOLERANCE,
            Verdict::{self, Broken, CannotTell, Kept, NotExercised, Skipped},
            testing::Script,
        },
        wire::WireRecord,
    };

    fn judged(records: &[WireRecord]) -> Judgement {
        let cases: Vec<_> = records.iter().map(Case::of).collect();
        judge(&cases)
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
            (&[5, 5, 5, 5, 5, 5, 5, 5], Broken),
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

            let named: Vec<_> = judgement.requests.iter().map(|it| it.case).collect();
            let all = (0..gaps.len()).filter(|_| verdict == Broken);
            assert_eq!(judgement.verdict, verdict, "{gaps:?}");
            assert_eq!(named, all.collect::<Vec<_>>(), "{gaps:?}");
        }
    }

    #[test]
    fn the_spread_of_the_gaps_is_reported() {
        let alike = came_back_after(&[200, 201, 202, 203, 202, 201, 202, 203]);

        let found = judged(&alike).found;

        let words = "the first waits of 8 cases differ by at most 3 ms";
        assert_eq!(found.as_deref(), Some(words));
    }

    /// The client of [`SAMPLE`], which draws whole milliseconds and may be early.
    #[test]
    fn at_most_one_correct_client_in_a_million_breaks_it() {
        let alike = (ALIKE + TOLERANCE).as_millis() as f64 + 1.0;
        let sample = SAMPLE as f64;

        for below in [60.0, 100.0, 200.0] {
            let chance = sample * (alike / below).powf(sample - 1.0);

            assert!(chance <= 1e-6, "waits below {below} ms: {chance}");
        }
    }

    #[test]
    fn only_gaps_that_the_client_chose_count() {
        let of_each = |script: Script| vec![script.record(); SAMPLE];
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
        let mut records = came_back_after(&[200; SAMPLE]);
        records[0].dropped = 1;

        assert_eq!(judged(&records).verdict, CannotTell);
        assert_eq!(judged(&records[..1]).verdict, CannotTell);
    }
}
