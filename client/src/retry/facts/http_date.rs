//! `HTTP-date` in its three formats (RFC 9110 §5.6.7).
//!
//! `httpdate` supports the calendar and the preferred format. It does not support three
//! cases, each of which would lead to an early retry: a leap second, a year before
//! 1970, and the century of a two-digit year, which depends on the current time. So the
//! fields are read here, converted to the preferred format and to the years that
//! `httpdate` supports, and checked by `httpdate`.

use std::time::{Duration, SystemTime};

const WEEKDAYS: [&str; 7] = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
];

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// The calendar repeats after 400 years, weekdays included.
const CYCLE_YEARS: u32 = 400;
const CYCLE: Duration = Duration::from_secs(146_097 * 24 * 60 * 60);

/// The first year of a [`SystemTime`] that `httpdate` reads.
const FIRST_YEAR: u32 = 1970;

/// Reads a date; `None` if the text is not a date or the weekday is wrong.
///
/// `now` determines the century of a two-digit year: see [`full_year`]. A leap second,
/// which [`SystemTime`] does not have, is read as the second that follows it.
pub(super) fn parse(value: &[u8], now: SystemTime) -> Option<SystemTime> {
    let mut fields = Fields::read(std::str::from_utf8(value).ok()?)?;
    let year = match fields.year {
        Year::Full(year) => year,
        Year::TwoDigits(digits) => full_year(digits, &fields, now)?,
    };

    let leap = fields.time == "23:59:60";
    if leap {
        fields.time = "23:59:59";
    }
    let cycles = FIRST_YEAR.saturating_sub(year).div_ceil(CYCLE_YEARS);

    let date = fields.preferred(year + cycles * CYCLE_YEARS);
    let date = httpdate::parse_http_date(&date).ok()?;
    // If the system cannot represent a date this early, use the epoch, which is also in
    // the past.
    let date = date
        .checked_sub(CYCLE * cycles)
        .unwrap_or(SystemTime::UNIX_EPOCH);
    Some(date + Duration::from_secs(leap.into()))
}

/// The fields of a date; only their shape is checked.
struct Fields<'a> {
    /// The first three letters of the weekday.
    weekday: &'a str,
    day: &'a str,
    month: &'a str,
    year: Year,
    time: &'a str,
}

#[derive(Clone, Copy)]
enum Year {
    Full(u32),
    TwoDigits(u32),
}

impl<'a> Fields<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let parts: Vec<&str> = text.split(' ').collect();
        let (weekday, day, month, year, time) = match parts[..] {
            // Sun, 06 Nov 1994 08:49:37 GMT
            [weekday, day, month, year, time, "GMT"] if day.len() == 2 => {
                let year = Year::Full(digits(year, 4)?);
                (weekday.strip_suffix(',')?, day, month, year, time)
            }
            // Sunday, 06-Nov-94 08:49:37 GMT
            [weekday, date, time, "GMT"] => {
                let weekday = weekday.strip_suffix(',')?;
                let weekday = WEEKDAYS.iter().find(|known| **known == weekday)?.get(..3)?;
                let (day, rest) = date.split_once('-').filter(|(day, _)| day.len() == 2)?;
                let (month, year) = rest.split_once('-')?;
                let year = Year::TwoDigits(digits(year, 2)?);
                (weekday, day, month, year, time)
            }
            // Sun Nov 16 08:49:37 1994, and with one digit Sun Nov  6 08:49:37 1994
            [weekday, month, day, time, year] | [weekday, month, "", day, time, year]
                if day.len() + parts.len() == 7 =>
            {
                (weekday, day, month, Year::Full(digits(year, 4)?), time)
            }
            _ => return None,
        };
        Some(Self {
            weekday,
            day,
            month,
            year,
            time,
        })
    }

    /// The date in the preferred format.
    fn preferred(&self, year: u32) -> String {
        let Self {
            weekday,
            day,
            month,
            time,
            ..
        } = self;
        format!("{weekday}, {day:0>2} {month} {year:04} {time} GMT")
    }

    /// The key that orders dates within a year; `None` if the month is invalid.
    fn within_year(&self) -> Option<(usize, &'a str, &'a str)> {
        let month = MONTHS.iter().position(|month| *month == self.month)?;
        Some((month, self.day, self.time))
    }
}

/// A number of exactly `length` digits. `str::parse` alone would accept a sign.
fn digits(text: &str, length: usize) -> Option<u32> {
    let digits = text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok())?
}

/// The year that two digits stand for (RFC 9110 §5.6.7).
///
/// A date that seems more than 50 years ahead "represents the most recent year in the
/// past that had the same last two digits". So it is the latest year of those digits in
/// which the date is no more than 50 years ahead. A rule that starts from the current
/// century would read the first second of a new century as a hundred years ago.
fn full_year(two_digits: u32, fields: &Fields<'_>, now: SystemTime) -> Option<u32> {
    // Outside of these bounds `fmt_http_date` panics.
    let end = SystemTime::UNIX_EPOCH + Duration::from_secs(253_402_300_799);
    let now = httpdate::fmt_http_date(now.clamp(SystemTime::UNIX_EPOCH, end));
    let now = Fields::read(&now)?;
    let Year::Full(this_year) = now.year else {
        return None;
    };

    let latest = (this_year + 50, now.within_year()?);
    let of_this_century = this_year - this_year % 100 + two_digits;
    let within_year = fields.within_year()?;
    let ahead = [of_this_century + 100, of_this_century];
    let year = ahead
        .into_iter()
        .find(|year| (*year, within_year) <= latest);
    Some(year.unwrap_or(of_this_century - 100))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// 1994-11-06 08:49:37 GMT, the example date of RFC 9110.
    const RFC_DATE: u64 = 784_111_777;

    fn at(seconds: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
    }

    fn read(date: &str) -> Option<SystemTime> {
        parse(date.as_bytes(), at(RFC_DATE))
    }

    /// The three formats of one date. The two-digit year does not contain the century.
    fn formats(date: SystemTime) -> [String; 3] {
        let preferred = httpdate::fmt_http_date(date);
        let [weekday, day, month, year, time] =
            [0..3, 5..7, 8..11, 12..16, 17..25].map(|part| &preferred[part]);
        let long = WEEKDAYS.iter().find(|long| long.starts_with(weekday));
        let long = long.expect("a weekday");
        let rfc850 = format!("{long}, {day}-{month}-{} {time} GMT", &year[2..]);
        let day = day.trim_start_matches('0');
        let asctime = format!("{weekday} {month} {day:>2} {time} {year}");
        [preferred, rfc850, asctime]
    }

    #[test]
    fn a_leap_second_is_the_second_after_and_a_date_before_1970_is_a_date() {
        // The leap second at the end of 2016.
        for (date, seconds) in [
            ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
            ("Saturday, 31-Dec-16 23:59:60 GMT", 1_483_228_800),
            ("Sat Dec 31 23:59:60 2016", 1_483_228_800),
            ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
            ("Wed Dec 31 23:59:59 1969", -1),
            ("Wed, 31 Dec 1969 23:59:60 GMT", 0),
            ("Mon, 01 Jan 1900 00:00:00 GMT", -2_208_988_800),
            // The zero time of Go, sent by a program that never set its date.
            ("Mon, 01 Jan 0001 00:00:00 GMT", -62_135_596_800),
        ] {
            let distance = Duration::from_secs(i64::unsigned_abs(seconds));
            let expected = match seconds {
                0.. => SystemTime::UNIX_EPOCH + distance,
                _ => SystemTime::UNIX_EPOCH - distance,
            };

            assert_eq!(read(date), Some(expected), "{date}");
        }
    }

    #[test]
    fn a_year_of_two_digits_is_never_more_than_50_years_ahead() {
        let [rfc, long_after, eve, in_2068, last] = [
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Fri, 06 Nov 2026 08:49:37 GMT",
            "Fri, 31 Dec 1999 23:59:59 GMT",
            "Tue, 06 Nov 2068 08:49:37 GMT",
            "Fri, 31 Dec 9999 23:59:59 GMT",
        ];
        for (now, day, year, time) in [
            (rfc, "Sunday, 06-Nov", 1994, "08:49:57"),
            // 50 years ahead to the second, and one second more.
            (rfc, "Sunday, 06-Nov", 2044, "08:49:37"),
            (rfc, "Monday, 06-Nov", 1944, "08:49:38"),
            // A day and a month more; the letters of the month play no part.
            (rfc, "Tuesday, 07-Nov", 1944, "08:49:37"),
            (rfc, "Tuesday, 05-Dec", 1944, "08:49:37"),
            (rfc, "Wednesday, 05-Oct", 2044, "08:49:38"),
            (rfc, "Friday, 06-Nov", 1970, "08:49:37"),
            // Long ago, and so of the century before.
            (long_after, "Sunday, 06-Nov", 1994, "08:49:37"),
            (eve, "Saturday, 01-Jan", 2000, "00:00:05"),
            (in_2068, "Wednesday, 06-Nov", 2069, "08:49:37"),
            (last, "Friday, 31-Dec", 9999, "23:59:59"),
        ] {
            let now = read(now).expect("a date");
            let two_digits = format!("{day}-{:02} {time} GMT", year % 100);
            let (weekday, of_month) = (&day[..3], day[day.len() - 6..].replace('-', " "));
            let full = read(&format!("{weekday}, {of_month} {year} {time} GMT"));

            let date = parse(two_digits.as_bytes(), now);

            assert!(date.is_some(), "{two_digits}");
            assert_eq!(date, full, "{two_digits}");
        }
    }

    #[test]
    fn only_a_date_that_exists_in_one_of_the_three_formats_is_a_date() {
        for date in [
            // Seconds beyond the leap second, and where there is none.
            "Sat, 31 Dec 2016 23:59:61 GMT",
            "Sat, 31 Dec 2016 22:59:60 GMT",
            "Sat, 31 Dec 2016 23:58:60 GMT",
            "Sat, 31 Dec 2016 24:00:00 GMT",
            "Sat, 31 Dec 2016 08:60:00 GMT",
            // The weekday of another day.
            "Mon, 06 Nov 1994 08:49:37 GMT",
            "Monday, 06-Nov-94 08:49:37 GMT",
            "Mon Nov  6 08:49:37 1994",
            "Thu, 31 Dec 1969 23:59:59 GMT",
            "Sunday, 31-Dec-16 23:59:60 GMT",
            // Another format.
            "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sunday, 6-Nov-94 08:49:37 GMT",
            "Sunday, 06-Nov-1994 08:49:37 GMT",
            "Sunday, 06 Nov 1994 08:49:37 GMT",
            "Sun, 06-Nov-94 08:49:37 GMT",
            "Sun, 06 Nov 94 08:49:37 GMT",
            "Thu, 06 Nov +994 08:49:37 GMT",
            "Sun, 06 Nov 01994 08:49:37 GMT",
            "Sun, 06 nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 UTC",
            "Sun, 06 Nov 1994 08:49:37",
            "Sun, 06 Nov 1994 8:49:37 GMT",
            "Sun, 31 Nov 1994 08:49:37 GMT",
            "Sun Nov 6 08:49:37 1994",
            "Sun Nov   6 08:49:37 1994",
            "Sun Nov  06 08:49:37 1994",
            "Sun Nov  6 08:49:37 94",
            "Sun, 06 Nov 1994 08:49:37 GMT GMT",
            "",
            "GMT",
        ] {
            assert_eq!(read(date), None, "{date:?}");
        }
    }

    proptest! {
        #[test]
        fn all_formats_of_a_date_are_read_alike(
            date in 0_u64..253_402_300_800,
            ahead in 0_u64..18_261 * 24 * 60 * 60,
        ) {
            // Fifty years have at least 18 261 days, as those across 2100 do;
            // `ahead` is less.
            let now = at(date.saturating_sub(ahead));
            for format in formats(at(date)) {
                prop_assert_eq!(parse(format.as_bytes(), now), Some(at(date)), "{}", format);
            }
        }

        /// Anything of the right shape, impossible days and years included.
        #[test]
        fn any_fields_are_read_without_a_panic(
            weekday in 0_usize..7,
            day in 0_u32..100,
            month in 0_usize..12,
            year in 0_u32..10_000,
            time in "[0-9]{2}:[0-9]{2}:[0-9]{2}",
            now in 0_u64..300_000_000_000,
        ) {
            let (long, month) = (WEEKDAYS[weekday], MONTHS[month]);
            let weekday = &long[..3];
            for date in [
                format!("{weekday}, {day:02} {month} {year:04} {time} GMT"),
                format!("{long}, {day:02}-{month}-{:02} {time} GMT", year % 100),
                format!("{weekday} {month} {day:>2} {time} {year:04}"),
            ] {
                let _ = parse(date.as_bytes(), at(now));
            }
        }
    }
}
