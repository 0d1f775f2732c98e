//! Wall times as RFC 3339 has them, in UTC.

use std::time::{SystemTime, UNIX_EPOCH};

/// A time as in `2025-01-01T00:00:00.000Z`. One before 1970 is cut to its
/// start.
pub(super) fn rfc3339(time: SystemTime) -> String {
    let since_epoch = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (days, second) = (
        since_epoch.as_secs() / 86_400,
        since_epoch.as_secs() % 86_400,
    );
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    let (year, month, day) = date(days);
    let millis = since_epoch.subsec_millis();
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// The date of a day, counted from 1970-01-01 on.
///
/// The count starts over at 0000-03-01, so that a leap day is the last of its
/// year, and goes by eras of 400 years, after which the calendar repeats.
fn date(days: u64) -> (u64, u64, u64) {
    const DAYS_TO_1970: u64 = 719_468;
    const DAYS_OF_ERA: u64 = 146_097;
    let days = days + DAYS_TO_1970;
    let (era, day) = (days / DAYS_OF_ERA, days % DAYS_OF_ERA);
    let leap_days = day / 1_460 + day / 146_096 - day / 36_524;
    let year = (day - leap_days) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // The months from March on have 153 days in every five.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    (400 * era + year + next, month, day)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sets_known_times() {
        for (millis, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_735_689_600_042, "2025-01-01T00:00:00.042Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(rfc3339(UNIX_EPOCH + Duration::from_millis(millis)), text);
        }
    }

    proptest! {
        /// HTTP dates are made elsewhere, by other rules, from the same calendar.
        #[test]
        fn agrees_with_http_dates(seconds in 0..253_402_300_800_u64) {
            let time = UNIX_EPOCH + Duration::from_secs(seconds);
            let http = httpdate::fmt_http_date(time);
            let months = "JanFebMarAprMayJunJulAugSepOctNovDec";

            let text = rfc3339(time);

            let month: usize = text[5..7].parse().expect("a month");
            let name = &months[3 * (month - 1)..3 * month];
            let rest = format!("{} {name} {} {}", &text[8..10], &text[..4], &text[11..19]);
            prop_assert_eq!(&http[5..25], rest);
        }
    }
}
