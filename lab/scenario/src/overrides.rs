//! The settings of a run that a reader can choose: as options of a command, as members of a
//! request for a run, and as fields of the web UI.

use std::ops::RangeInclusive;

use clap::Args;
use serde::{Deserialize, Serialize};

use crate::number::{in_json, within};

/// The settings that a reader has chosen; `None` keeps the scenario's own. One without an effect
/// on the scenario or on the client has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Args, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Overrides {
    /// The maximum number of requests of one call, up to 10000
    #[arg(long, value_name = "N", value_parser = |text: &str| within::<u32>(text, 1..=MOST), allow_hyphen_values = true)]
    #[serde(
        deserialize_with = "in_json::<_, _, 1, MOST>",
        skip_serializing_if = "Option::is_none"
    )]
    pub max_attempts: Option<u32>,

    /// The longest first backoff, from 100 to 5000; it doubles with each retry, up to 5 s
    #[arg(long = "backoff", value_name = "MILLISECONDS", value_parser = |text: &str| within::<u64>(text, LEAST_BACKOFF..=MOST_BACKOFF), allow_hyphen_values = true)]
    #[serde(
        deserialize_with = "in_json::<_, _, LEAST_BACKOFF, MOST_BACKOFF>",
        skip_serializing_if = "Option::is_none"
    )]
    pub backoff_ms: Option<u64>,

    /// The longest Retry-After that the client waits for; a longer one ends the call
    #[arg(long = "max-retry-after", value_name = "SECONDS", value_parser = |text: &str| within::<u64>(text, 0..=A_DAY), allow_hyphen_values = true)]
    #[serde(
        deserialize_with = "in_json::<_, _, 0, A_DAY>",
        skip_serializing_if = "Option::is_none"
    )]
    pub max_retry_after_seconds: Option<u64>,

    /// The maximum number of pages that the client reads of a listing, up to 10000
    #[arg(long, value_name = "N", value_parser = |text: &str| within::<u32>(text, 1..=MOST), allow_hyphen_values = true)]
    #[serde(
        deserialize_with = "in_json::<_, _, 1, MOST>",
        skip_serializing_if = "Option::is_none"
    )]
    pub max_pages: Option<u32>,

    /// The maximum number of items that the client yields from a listing, up to
    /// 10000
    #[arg(long, value_name = "N", value_parser = |text: &str| within::<u32>(text, 1..=MOST), allow_hyphen_values = true)]
    #[serde(
        deserialize_with = "in_json::<_, _, 1, MOST>",
        skip_serializing_if = "Option::is_none"
    )]
    pub max_items: Option<u32>,
}

impl Overrides {
    /// The names of the settings, each with the numbers that are accepted.
    pub const SETTINGS: [(&str, RangeInclusive<u64>); 5] = [
        ("max_attempts", 1..=MOST),
        ("backoff_ms", LEAST_BACKOFF..=MOST_BACKOFF),
        ("max_retry_after_seconds", 0..=A_DAY),
        ("max_pages", 1..=MOST),
        ("max_items", 1..=MOST),
    ];

    /// The setting with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<u64> {
        match name {
            "max_attempts" => self.max_attempts.map(u64::from),
            "backoff_ms" => self.backoff_ms,
            "max_retry_after_seconds" => self.max_retry_after_seconds,
            "max_pages" => self.max_pages.map(u64::from),
            "max_items" => self.max_items.map(u64::from),
            _ => None,
        }
    }

    /// Changes the setting with this name to an accepted number.
    pub fn set(&mut self, name: &str, number: u64) {
        let small = u32::try_from(number).ok();
        match name {
            "max_attempts" => self.max_attempts = small,
            "backoff_ms" => self.backoff_ms = Some(number),
            "max_retry_after_seconds" => self.max_retry_after_seconds = Some(number),
            "max_pages" => self.max_pages = small,
            "max_items" => self.max_items = small,
            _ => {}
        }
    }
}

/// The most attempts, pages or items: this many pages take seconds, and the client itself sets
/// no maximum.
pub(crate) const MOST: u64 = 10_000;

/// The bounds of the first backoff, in milliseconds: below, it is hard to tell from none, and
/// above stands the longest wait.
const LEAST_BACKOFF: u64 = 100;
const MOST_BACKOFF: u64 = 5_000;

/// In seconds.
const A_DAY: u64 = 86_400;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Overrides;
    use crate::{CLIENTS, Exposition, NAIVE, Session, Settings, WITHOUT, catalogue::CATALOGUE};

    /// A form, a request in JSON and a command accept the same numbers.
    #[test]
    fn every_way_to_choose_a_setting_accepts_the_same_numbers() {
        for (name, range) in Overrides::SETTINGS {
            for number in [*range.start(), *range.end()] {
                let read: Overrides =
                    serde_json::from_value(json!({ name: number })).expect("a setting");
                let mut set = Overrides::default();
                set.set(name, number);

                assert_eq!(set, read, "{name}");
                assert_eq!(set.get(name), Some(number), "{name}");
            }
            for number in [range.start().checked_sub(1), Some(range.end() + 1)] {
                let read = number
                    .map(|number| serde_json::from_value::<Overrides>(json!({ name: number })));
                assert!(read.is_none_or(|read| read.is_err()), "{name} {number:?}");
            }
        }
    }

    /// The web UI shows a setting about listings only where it has an effect.
    #[test]
    fn every_setting_that_the_web_ui_shows_changes_what_a_run_is_allowed() {
        let without = WITHOUT
            .iter()
            .map(|without| *without as &dyn crate::ClientUnderTest);
        let clients: Vec<_> = CLIENTS.iter().copied().chain(without).collect();
        for scenario in CATALOGUE {
            for (&client, name) in clients
                .iter()
                .flat_map(|client| Overrides::SETTINGS.map(|(name, _)| (client, name)))
            {
                let terms = [700, 800].map(|number| {
                    let overrides = serde_json::from_value(json!({ name: number }));
                    let settings = Settings {
                        overrides: overrides.expect("a setting"),
                        ..Settings::in_virtual_time(client, 7)
                    };
                    Session::new(scenario, &settings, &Exposition::new()).terms()
                });

                let is_of_listings = name == "max_pages" || name == "max_items";
                let is_listed = scenario.task.settings_of_listings().contains(&name);
                let has_an_effect = (is_listed || !is_of_listings) && client.identity() != NAIVE;
                let case = format!("{} {client:?} {name}", scenario.name());
                assert_eq!(terms[0] != terms[1], has_an_effect, "{case}");
            }
        }
    }
}
