//! The time zones in which clients read dates. A client that takes a date in GMT for one of
//! its own zone is right where its zone is GMT, as it is on most servers.

use std::path::Path;

/// Where a system keeps the rules of its time zones.
const ZONES: &str = "/usr/share/zoneinfo";

/// A time zone without a summer time.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeZone {
    /// Its name in the tz database.
    pub(super) name: &'static str,
    /// The same zone for a system that lacks the database (POSIX, `TZ`).
    offset: &'static str,
}

/// East of Greenwich, by five and a half hours.
pub(super) const KOLKATA: TimeZone = TimeZone {
    name: "Asia/Kolkata",
    offset: "IST-5:30",
};

/// West of Greenwich, by seven hours.
pub(super) const PHOENIX: TimeZone = TimeZone {
    name: "America/Phoenix",
    offset: "MST7",
};

impl TimeZone {
    /// The variable `TZ` of a client. Where the system lacks a zone, its name stands for GMT.
    pub(super) fn variable(self) -> (String, String) {
        let is_known = Path::new(ZONES).join(self.name).exists();
        let value = if is_known { self.name } else { self.offset };
        ("TZ".to_owned(), value.to_owned())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::process::Command;

    use super::*;

    fn offset(value: &str) -> String {
        let date = Command::new("date").arg("+%z").env("TZ", value).output();
        let stdout = date.expect("date runs").stdout;
        String::from_utf8(stdout).expect("text").trim().to_owned()
    }

    #[test]
    fn a_zone_is_the_same_with_and_without_the_database() {
        for (zone, expected) in [(KOLKATA, "+0530"), (PHOENIX, "-0700")] {
            let (name, value) = zone.variable();

            assert_eq!(name, "TZ");
            assert_eq!(offset(&value), expected);
            assert_eq!(offset(zone.offset), expected);
        }
    }
}
