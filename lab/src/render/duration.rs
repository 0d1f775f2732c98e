//! Lengths of time in words: one function, so that a wait reads the same
//! wherever it is shown.

use std::time::Duration;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// A length of time for a person: `0 ms`, `131 ms`, `1.2 s`, `120 s`,
/// `15 min 0 s`, `1 h 0 min`, `3 d 5 h`.
///
/// Always rounded down, so that no label claims more time than has passed: a
/// wait of 119.9 s under a Retry-After of 120 s must not read `120 s`. Seconds
/// reach up to ten minutes, because that is how a Retry-After header counts.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_a_length_of_time_in_the_unit_that_suits_it() {
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
