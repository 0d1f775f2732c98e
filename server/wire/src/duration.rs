//! Durations as text: one function, so that a wait reads the same everywhere.

use std::time::Duration;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// A duration for a person: `0 ms`, `131 ms`, `1.2 s`, `120 s`, `15 min 0 s`,
/// `1 h 0 min`, `3 d 5 h`.
///
/// It is rounded down, so that no label claims more time than has passed: a wait of 119.9 s
/// under a Retry-After of 120 s must not read `120 s`. Seconds are used up to ten minutes,
/// as in a Retry-After header.
#[must_use]
pub fn duration(length: Duration) -> String {
    let (seconds, millis) = (length.as_secs(), length.subsec_millis());
    match seconds {
        0 => format!("{millis} ms"),
        1..10 if millis < 100 => format!("{seconds} s"),
        1..10 => format!("{seconds}.{} s", millis / 100),
        10..600 => format!("{seconds} s"),
        600..HOUR => format!("{} min {} s", seconds / MINUTE, seconds % MINUTE),
        HOUR..DAY => format!("{} h {} min", seconds / HOUR, seconds % HOUR / MINUTE),
        DAY.. => format!("{} d {} h", seconds / DAY, seconds % DAY / HOUR),
    }
}

/// The remaining time of a wait, or the time by which a request was early: like
/// [`duration`], but rounded up, so that a reader who waits this long is not early.
#[must_use]
pub fn duration_left(length: Duration) -> String {
    const MILLISECOND: u128 = 1_000_000;
    const SECOND: u128 = 1_000 * MILLISECOND;
    // The last shown digit of a duration of this size.
    let step = match length.as_secs() {
        0 => MILLISECOND,
        1..10 => 100 * MILLISECOND,
        10..HOUR => SECOND,
        HOUR..DAY => u128::from(MINUTE) * SECOND,
        DAY.. => u128::from(HOUR) * SECOND,
    };
    let shown = length.as_nanos().next_multiple_of(step);
    let seconds = u64::try_from(shown / SECOND).unwrap_or(u64::MAX);
    // Less than a second, so the conversion cannot fail.
    let below = u32::try_from(shown % SECOND).unwrap_or_default();
    duration(Duration::new(seconds, below))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Parses a label.
    fn read(label: &str) -> Duration {
        let words: Vec<_> = label.split(' ').collect();
        let parts = words.chunks(2).map(|part| {
            let number: f64 = part[0].parse().expect("a number");
            let millis = match part[1] {
                "ms" => 1.0,
                "s" => 1_000.0,
                "min" => 60_000.0,
                "h" => 3_600_000.0,
                "d" => 86_400_000.0,
                unit => panic!("unknown unit {unit}"),
            };
            Duration::from_millis((number * millis).round() as u64)
        });
        parts.sum()
    }

    proptest! {
        #[test]
        fn a_duration_is_never_rounded_up_and_a_duration_left_never_down(
            exponent in 0_u32..15, mantissa in 1.0..10.0_f64,
        ) {
            let nanos = mantissa * 10_f64.powi(i32::try_from(exponent).expect("small"));
            let length = Duration::from_nanos(nanos as u64);

            let (passed, left) = (read(&duration(length)), read(&duration_left(length)));

            prop_assert!(passed <= length, "{passed:?} of {length:?}");
            prop_assert!(left >= length, "{left:?} of {length:?}");
        }
    }

    #[test]
    fn the_time_left_is_rounded_up_to_the_last_shown_digit() {
        let table = [
            (Duration::ZERO, "0 ms"),
            (Duration::from_nanos(1), "1 ms"),
            (Duration::from_micros(999_001), "1 s"),
            (Duration::from_millis(1_001), "1.1 s"),
            (Duration::from_millis(9_901), "10 s"),
            (Duration::from_millis(119_001), "120 s"),
            (Duration::from_millis(599_001), "10 min 0 s"),
            (Duration::from_secs(3_601), "1 h 1 min"),
            (Duration::from_secs(86_401), "1 d 1 h"),
            (Duration::MAX, "213503982334601 d 7 h"),
        ];

        for (length, words) in table {
            assert_eq!(duration_left(length), words, "{length:?}");
        }
    }

    #[test]
    fn a_duration_is_shown_in_a_suitable_unit() {
        let table = [
            (Duration::ZERO, "0 ms"),
            (Duration::from_micros(999), "0 ms"),
            (Duration::from_millis(131), "131 ms"),
            (Duration::from_micros(999_999), "999 ms"),
            (Duration::from_secs(1), "1 s"),
            (Duration::from_millis(1_099), "1 s"),
            (Duration::from_millis(1_290), "1.2 s"),
            (Duration::from_millis(9_999), "9.9 s"),
            (Duration::from_millis(10_900), "10 s"),
            (Duration::from_millis(119_900), "119 s"),
            (Duration::from_secs(120), "120 s"),
            (Duration::from_secs(599), "599 s"),
            (Duration::from_secs(600), "10 min 0 s"),
            (Duration::from_secs(3_599), "59 min 59 s"),
            (Duration::from_secs(3_600), "1 h 0 min"),
            (Duration::from_secs(86_399), "23 h 59 min"),
            (Duration::from_secs(277_403), "3 d 5 h"),
            (Duration::MAX, "213503982334601 d 7 h"),
        ];

        for (length, words) in table {
            assert_eq!(duration(length), words, "{length:?}");
        }
    }
}
