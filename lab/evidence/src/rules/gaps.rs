//! The gaps between failures and the requests that repeat them: were they pauses?
//!
//! If the machine is slow for a moment, a client that does not pause can seem to pause. So a
//! single long gap proves nothing, and neither do a few among many short ones.

use std::time::Duration;

use super::{Case, Judgement, RequestRef};
use crate::{duration_left, wire::WireRequest};

/// A shorter gap is not a pause.
pub(super) const PAUSE: Duration = Duration::from_millis(5);

/// A gap of this length is a pause even on a busy machine. Measured on two cores: an
/// interpreter that retries immediately took up to 48 ms for its first retry while a second one
/// and four busy programs were running, and up to 30 ms without these programs. Its later
/// gaps were at most 13 ms, and most of the gaps must be pauses.
///
/// On an even busier machine, a client that does not pause may be judged *kept*, but a client
/// that pauses is never judged *broken*. With a longer limit, more clients that pause would
/// get no verdict. With this limit, it is one in twelve of the clients whose first wait is
/// random below 100 ms.
pub(super) const SURE: Duration = Duration::from_millis(40);

/// Broken if every gap is too short and there are too many for this to be chance; kept if
/// most of them, and more than one, are certainly pauses.
///
/// The gaps of all cases are one sample, since a process makes few retries.
pub(super) fn judged(cases: &[Case<'_>], failed: fn(&WireRequest) -> bool) -> Judgement {
    if !cases.iter().any(|it| it.wire.entries.iter().any(failed)) {
        return Judgement::not_exercised();
    }
    let gaps = cases.iter().enumerate().flat_map(|(case, it)| {
        let retries = it.ties.repetitions().filter(|(first, _)| failed(first));
        retries.filter_map(move |(first, next)| {
            let seq = next.seq;
            let gap = next.arrived.saturating_sub(first.head?);
            Some((RequestRef { case, seq }, gap))
        })
    });
    let judgement = of_sample(gaps.collect());
    cases.iter().fold(judgement, Judgement::unless_dropped)
}

fn of_sample(gaps: Vec<(RequestRef, Duration)>) -> Judgement {
    let number = gaps.len();
    let Some(longest) = gaps.iter().map(|(_, gap)| *gap).max() else {
        return Judgement::skipped();
    };
    let pauses = gaps.iter().filter(|(_, gap)| *gap >= SURE).count();
    if longest < limit(number) {
        let requests = gaps.into_iter().map(|(request, _)| request);
        let found = format!("{number} retries, each within {}", duration_left(longest));
        Judgement::broken_by(requests.collect(), found)
    } else if let Some(limit) = MOSTLY
        .into_iter()
        .find(|limit| are_mostly_within(&gaps, *limit))
    {
        let short = gaps.into_iter().filter(|(_, gap)| *gap < limit);
        let requests: Vec<_> = short.map(|(request, _)| request).collect();
        let (short, limit) = (requests.len(), duration_left(limit));
        Judgement::broken_by(
            requests,
            format!("{short} of {number} retries within {limit}"),
        )
    } else if pauses > 1 && pauses > number / 2 {
        Judgement::kept()
    } else if pauses > 0 {
        Judgement::cannot_tell("too few of the gaps were certainly pauses")
    } else {
        Judgement::cannot_tell("the gaps were short, possibly by chance")
    }
}

/// Limits for most gaps of a client that retries immediately: a busy machine delays some of its
/// requests.
const MOSTLY: [Duration; 2] = [PAUSE, Duration::from_millis(20)];

/// Whether at most one correct client in ten million would have this many short gaps.
///
/// Such a client draws each wait from whole milliseconds below 50, and its timer fires
/// [early](super::TOLERANCE) by up to 2 ms; the number of its short gaps has a binomial
/// distribution.
fn are_mostly_within(gaps: &[(RequestRef, Duration)], limit: Duration) -> bool {
    let draws = (limit + super::TOLERANCE).as_millis() as f64;
    let chance = draws / 50.0;
    let short = gaps.iter().filter(|(_, gap)| *gap < limit).count();
    tail(gaps.len(), short, chance) <= 1e-7
}

/// The probability of at least this many successes; 1 if the expected number is at
/// least `successes`.
fn tail(trials: usize, successes: usize, chance: f64) -> f64 {
    if successes as f64 <= trials as f64 * chance {
        return 1.0;
    }
    // The logarithm, since a single factor may be too small for an `f64`.
    let ways = (1..=successes).map(|it| ((trials - successes + it) as f64 / it as f64).ln());
    let failures = (trials - successes) as f64;
    let exactly = ways.sum::<f64>() + successes as f64 * chance.ln() + failures * (-chance).ln_1p();
    let (mut term, mut sum) = (exactly.exp(), 0.0);
    for number in successes..=trials {
        sum += term;
        let left = (trials - number) as f64 / (number + 1) as f64;
        term *= left * chance / (1.0 - chance);
    }
    sum
}

/// The limit for this many gaps, all of which must be shorter: at most one correct client in
/// a million is then judged not to pause.
///
/// The correct client that is most easily mistaken draws each wait from whole milliseconds below
/// 100, and its timer fires [early](super::TOLERANCE) by up to 2 ms. Four gaps below 1 ms
/// are then draws of 0, 1 or 2: a chance of 0.03⁴, 8.1 in ten million. Five below 4 ms are
/// draws below 6: 0.06⁵, 7.8 in ten million. Six below 5 ms are draws below 7: 0.07⁶, 1.2
/// in ten million, and more gaps are even less likely. A wait that doubles is longer.
fn limit(gaps: usize) -> Duration {
    match gaps {
        0..=3 => Duration::ZERO,
        4 => Duration::from_millis(1),
        5 => Duration::from_millis(4),
        _ => PAUSE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{TOLERANCE, Verdict};

    #[test]
    fn the_tail_is_that_of_the_binomial_distribution() {
        for (trials, successes, chance, expected) in [
            (4, 2, 0.5, 1.0),
            (4, 4, 0.5, 0.0625),
            (4, 3, 0.5, 0.3125),
            (10, 2, 0.1, 0.263_901_070_9),
            (12_000, 11_000, 0.14, 0.0),
            (12_000, 1_000, 0.14, 1.0),
        ] {
            let tail = tail(trials, successes, chance);
            assert!((tail - expected).abs() < 1e-9, "{tail} {expected}");
        }
    }

    /// `short` gaps of this length, and then `long` pauses.
    fn gaps(short: usize, millis: u64, long: usize) -> Judgement {
        let gaps = [vec![millis; short], vec![70; long]].concat();
        let gaps = gaps.into_iter().zip(0..).map(|(millis, seq)| {
            let request = RequestRef { case: 0, seq };
            (request, Duration::from_millis(millis))
        });
        of_sample(gaps.collect())
    }

    #[test]
    fn a_client_that_retries_at_once_is_found_despite_some_delayed_requests() {
        for (short, millis, long, verdict) in [
            (11, 2, 2, Verdict::Broken),
            (7, 2, 6, Verdict::CannotTell),
            (8, 2, 1, Verdict::CannotTell),
            (11, 5, 2, Verdict::CannotTell),
            (60, 10, 8, Verdict::Broken),
            (12, 10, 1, Verdict::CannotTell),
            (4, 2, 9, Verdict::Kept),
        ] {
            let judgement = gaps(short, millis, long);

            assert_eq!(judgement.verdict, verdict, "{short} of {millis} ms, {long}");
        }
    }

    #[test]
    fn only_gaps_within_the_limit_are_listed() {
        let mut held_up = vec![(0, 20), (1, 70)];
        held_up.extend((2..40).map(|seq| (seq, 19)));
        let gaps = held_up.into_iter().map(|(seq, millis)| {
            let request = RequestRef { case: 0, seq };
            (request, Duration::from_millis(millis))
        });

        let judgement = of_sample(gaps.collect());

        let named: Vec<_> = judgement.requests.iter().map(|it| it.seq).collect();
        assert_eq!(
            judgement.found.as_deref(),
            Some("38 of 40 retries within 20 ms")
        );
        assert_eq!(named, (2..40).collect::<Vec<_>>());
    }

    #[test]
    fn an_inconclusive_sample_says_why() {
        let chance = "the gaps were short, possibly by chance";
        let unsure = "too few of the gaps were certainly pauses";

        for (short, long, why) in [(2, 0, chance), (1, 1, unsure), (3, 2, unsure)] {
            let judgement = gaps(short, 2, long);

            assert_eq!(judgement.found.as_deref(), Some(why), "{short}, {long}");
        }
    }

    /// The client of [`limit`], which draws whole milliseconds and may be early.
    #[test]
    fn at_most_one_correct_client_in_a_million_breaks_it() {
        for number in 1..=100 {
            let limit = limit(number);
            let draws = match limit.is_zero() {
                true => 0,
                false => (limit + TOLERANCE).as_millis(),
            };
            let chance = (draws as f64 / 100.0).powi(number as i32);

            assert!(chance <= 1e-6, "{number} gaps: {chance}");
        }
    }
}
