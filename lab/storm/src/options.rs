//! The settings that users can change, on the command line and in the web UI.
//!
//! An error names a setting in words, since it is one option for the command line, one slider
//! for the page, and one member for a program.

use std::{ops::RangeInclusive, time::Duration};

use clap::Args;
use serde::Deserialize;

use crate::{Settings, Setup, StormPolicy, policy::Backoff, settings::Incident};

/// Changes to the settings of a storm.
#[derive(Debug, Default, Deserialize, Args)]
#[serde(default, deny_unknown_fields)]
pub struct SettingsOptions {
    /// The calls that start per second, on average [0.1 to 1000]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    calls_per_second: Option<f64>,
    /// The requests that the service works on at once, for 0.1 s each [1 to 10000]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    workers: Option<f64>,
    /// The requests that may be queued; a further one gets a 503 at once [0 to 100000]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    queue: Option<f64>,
    /// What goes wrong
    #[arg(long, value_name = "WORD", value_enum)]
    incident: Option<Incident>,
    /// How long the incident lasts [0 to 600]
    #[arg(
        long = "incident-lasts",
        value_name = "SECONDS",
        allow_negative_numbers = true
    )]
    incident_lasts_seconds: Option<f64>,
    /// The load during a spike, as a multiple of the usual load [1 to 100]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    spike: Option<f64>,
    /// The share of the responses that are a 503 during a refusal [0 to 1]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    refused: Option<f64>,
    /// The length of the storm: no call starts later [2 to 600]
    #[arg(long = "length", value_name = "SECONDS", allow_negative_numbers = true)]
    length_seconds: Option<f64>,
}

/// A policy of one's own.
#[derive(Debug, Default, PartialEq, Deserialize, Args)]
#[serde(default, deny_unknown_fields)]
pub struct PolicyOptions {
    /// The most attempts of one call [1 to 20; default: 3]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    attempts: Option<f64>,
    /// The wait before a retry [default: jitter]
    #[arg(long, value_name = "WORD", value_enum)]
    backoff: Option<Backoff>,
    /// The longest first wait; the next are twice as long, up to 5 s [0.001 to 60; default: 0.2]
    #[arg(long = "base", value_name = "SECONDS", allow_negative_numbers = true)]
    base_seconds: Option<f64>,
    /// The tokens of each client's retry budget; 0 for no budget [0 to 10000; default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    budget: Option<f64>,
    /// The most attempts that a client has in flight; 0 for no limit [0 to 10000; default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    concurrency: Option<f64>,
    /// The most time that a call may take, with waits; 0 for no deadline [0 to 600; default: 0]
    #[arg(
        long = "deadline",
        value_name = "SECONDS",
        allow_negative_numbers = true
    )]
    deadline_seconds: Option<f64>,
    /// The most that is added to a Retry-After at random [0 to 600; default: 0]
    #[arg(long = "spread", value_name = "SECONDS", allow_negative_numbers = true)]
    spread_seconds: Option<f64>,
}

/// Why an option cannot be applied.
#[derive(Debug, thiserror::Error)]
pub enum OptionError {
    /// It has a value outside its bounds.
    #[error("{what} must be {rule} from {least} to {most}, got {got}")]
    OutOfBounds {
        /// The setting.
        what: &'static str,
        /// The kind of number.
        rule: &'static str,
        /// Its least value.
        least: f64,
        /// Its greatest value.
        most: f64,
        /// The given value.
        got: f64,
    },
    /// It belongs to another incident.
    #[error("{what} has no effect without the incident '{incident}'")]
    OtherIncident {
        /// The setting.
        what: &'static str,
        /// The incident that it belongs to.
        incident: &'static str,
    },
}

impl SettingsOptions {
    /// Changes the settings.
    ///
    /// # Errors
    ///
    /// [`OptionError`] if a value is outside its bounds.
    pub fn apply(&self, to: &mut Settings) -> Result<(), OptionError> {
        if let Some(load) = self.calls_per_second {
            to.calls_per_second = checked_load(load)?;
        }
        whole(
            &mut to.workers,
            "the number of workers",
            self.workers,
            1..=10_000,
        )?;
        whole(
            &mut to.queue,
            "the length of the queue",
            self.queue,
            0..=100_000,
        )?;
        to.incident = self.incident.unwrap_or(to.incident);
        let lasts = "the length of the incident in seconds";
        time(
            &mut to.incident_lasts,
            lasts,
            self.incident_lasts_seconds,
            0.0..=600.0,
        )?;
        let spike = "the factor of the spike";
        number(&mut to.spike, spike, self.spike, 1.0..=100.0)?;
        if self.spike.is_some() && to.incident != Incident::Spike {
            return Err(OptionError::OtherIncident {
                what: spike,
                incident: "spike",
            });
        }
        let refused = "the share of responses that are a 503";
        number(&mut to.refused, refused, self.refused, 0.0..=1.0)?;
        if self.refused.is_some() && to.incident != Incident::Refusal {
            return Err(OptionError::OtherIncident {
                what: refused,
                incident: "refusal",
            });
        }
        let length = "the length of the storm in seconds";
        time(&mut to.length, length, self.length_seconds, 2.0..=600.0)
    }
}

impl PolicyOptions {
    /// Whether no option is given.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The policy.
    ///
    /// # Errors
    ///
    /// [`OptionError`] if a value is outside its bounds.
    pub fn policy(&self) -> Result<StormPolicy, OptionError> {
        Ok(StormPolicy::new(StormPolicy::YOURS, self.setup()?))
    }

    fn setup(&self) -> Result<Setup, OptionError> {
        let mut setup = Setup::DEFAULT;
        whole(
            &mut setup.attempts,
            "the number of attempts",
            self.attempts,
            1..=20,
        )?;
        setup.backoff = self.backoff.unwrap_or(setup.backoff);
        let base = "the longest first wait in seconds";
        time(&mut setup.base, base, self.base_seconds, 0.001..=60.0)?;
        // The client refuses a longest wait that is shorter than the first.
        setup.cap = setup.cap.max(setup.base);
        let budget = "the number of tokens in a budget";
        whole(&mut setup.budget, budget, self.budget, 0..=10_000)?;
        let limit = "the number of attempts in flight";
        whole(&mut setup.concurrency, limit, self.concurrency, 0..=10_000)?;
        let deadline = "the deadline in seconds";
        time(
            &mut setup.deadline,
            deadline,
            self.deadline_seconds,
            0.0..=600.0,
        )?;
        let spread = "the random delay in seconds";
        time(&mut setup.spread, spread, self.spread_seconds, 0.0..=600.0)?;
        Ok(setup)
    }
}

/// A load within its bounds.
pub(crate) fn checked_load(load: f64) -> Result<f64, OptionError> {
    let what = "the number of calls per second";
    within(what, "a number", load, &(0.1..=1_000.0), true)
}

fn number(
    to: &mut f64,
    what: &'static str,
    given: Option<f64>,
    bounds: RangeInclusive<f64>,
) -> Result<(), OptionError> {
    if let Some(got) = given {
        *to = within(what, "a number", got, &bounds, true)?;
    }
    Ok(())
}

fn whole(
    to: &mut u32,
    what: &'static str,
    given: Option<f64>,
    bounds: RangeInclusive<u32>,
) -> Result<(), OptionError> {
    if let Some(got) = given {
        let bounds = f64::from(*bounds.start())..=f64::from(*bounds.end());
        let rule = "a whole number";
        *to = within(what, rule, got, &bounds, got.fract() == 0.0)? as u32;
    }
    Ok(())
}

fn time(
    to: &mut Duration,
    what: &'static str,
    given: Option<f64>,
    bounds: RangeInclusive<f64>,
) -> Result<(), OptionError> {
    if let Some(got) = given {
        let seconds = within(what, "a number", got, &bounds, true)?;
        *to = Duration::from_secs_f64(seconds);
    }
    Ok(())
}

fn within(
    what: &'static str,
    rule: &'static str,
    got: f64,
    bounds: &RangeInclusive<f64>,
    is_of_kind: bool,
) -> Result<f64, OptionError> {
    if is_of_kind && bounds.contains(&got) {
        return Ok(got);
    }
    Err(OptionError::OutOfBounds {
        what,
        rule,
        least: *bounds.start(),
        most: *bounds.end(),
        got,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const NUMBERS: [&str; 5] = [
        "calls_per_second",
        "workers",
        "queue",
        "incident_lasts_seconds",
        "spike",
    ];
    const OF_A_POLICY: [&str; 6] = [
        "attempts",
        "base_seconds",
        "budget",
        "concurrency",
        "deadline_seconds",
        "spread_seconds",
    ];

    fn settings(name: &str, value: &Value) -> Result<Settings, OptionError> {
        let options: SettingsOptions =
            serde_json::from_value(json!({ name: value })).expect("an option");
        let mut settings = Settings::DEFAULT;
        options.apply(&mut settings).map(|()| settings)
    }

    fn setup(name: &str, value: &Value) -> Result<Setup, OptionError> {
        let options: PolicyOptions =
            serde_json::from_value(json!({ name: value })).expect("an option");
        options.setup()
    }

    #[test]
    fn an_option_changes_the_member_of_its_name() {
        for name in NUMBERS {
            let changed = json!(settings(name, &json!(7)).expect("a valid value"));
            let mut expected = json!(Settings::DEFAULT);
            expected[name] = expected[name].as_u64().map_or(json!(7.0), |_| json!(7));
            assert_eq!(changed, expected);
        }
        for name in OF_A_POLICY {
            let changed = json!(setup(name, &json!(4)).expect("a valid value"));
            let mut expected = json!(Setup::DEFAULT);
            expected[name] = expected[name].as_u64().map_or(json!(4.0), |_| json!(4));
            assert_eq!(changed, expected);
        }
        let long = setup("base_seconds", &json!(7)).expect("a valid value");
        assert_eq!(
            (long.base, long.cap),
            (Duration::from_secs(7), Duration::from_secs(7))
        );
    }

    /// The page shows an error to a reader who knows neither the option nor the member.
    #[test]
    fn a_value_outside_its_bounds_is_named_in_words() {
        let errors = NUMBERS.map(|name| settings(name, &json!(-1.5)).map(|_| ()));
        let of_a_policy = OF_A_POLICY.map(|name| setup(name, &json!(1e9)).map(|_| ()));
        for error in errors.into_iter().chain(of_a_policy) {
            let error = error.expect_err("it is outside").to_string();
            assert!(
                !error.contains(['_', '-', '`']) || error.contains("got -1.5"),
                "{error}"
            );
            assert!(!error.contains('_'), "{error}");
        }
        let error = settings("workers", &json!(1.5)).expect_err("not whole");
        assert_eq!(
            error.to_string(),
            "the number of workers must be a whole number from 1 to 10000, got 1.5"
        );
        assert!(setup("attempts", &json!(21)).is_err());
    }

    #[test]
    fn an_option_of_one_incident_is_refused_with_another() {
        let with = |incident, name: &str| {
            let options = json!({ "incident": incident, name: 1 });
            let options: SettingsOptions = serde_json::from_value(options).expect("options");
            options.apply(&mut Settings::DEFAULT.clone())
        };

        assert!(with("refusal", "refused").is_ok() && with("spike", "spike").is_ok());
        let errors = [("spike", "refused"), ("refusal", "spike"), ("cut", "spike")]
            .map(|(incident, name)| with(incident, name).expect_err("no effect").to_string());
        let refused = "the share of responses that are a 503 has no effect without the incident \
                       'refusal'";
        let spike = "the factor of the spike has no effect without the incident 'spike'";
        assert_eq!(errors, [refused, spike, spike]);
    }
}
