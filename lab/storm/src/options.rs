//! The settings that users can change, on the command line and in the web UI.
//!
//! An error names a setting in words, since it is an option of the command line, and a field of
//! the page.

use std::{ops::RangeInclusive, time::Duration};

use clap::Args;

use crate::{Settings, Setup, StormPolicy, policy::Backoff, settings::Incident};

/// Changes to the settings of a storm.
#[derive(Clone, Debug, Default, Args)]
pub struct SettingsOptions {
    /// The calls that start per second, on average [0.1 to 1000]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub calls_per_second: Option<f64>,
    /// The requests that the service works on at once, for 0.1 s each [1 to 10000]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub workers: Option<f64>,
    /// The requests that may be queued; a further one gets a 503 at once [0 to 100000]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub queue: Option<f64>,
    /// What goes wrong
    #[arg(long, value_name = "WORD", value_enum)]
    pub incident: Option<Incident>,
    /// How long the incident lasts [0 to 600]
    #[arg(
        long = "incident-lasts",
        value_name = "SECONDS",
        allow_negative_numbers = true
    )]
    pub incident_lasts_seconds: Option<f64>,
    /// The load during a spike, as a multiple of the usual load [1 to 100]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub spike: Option<f64>,
    /// The share of the responses that are a 503 during a refusal [0 to 1]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub refused: Option<f64>,
    /// The length of the storm: no call starts later [2 to 600]
    #[arg(long = "length", value_name = "SECONDS", allow_negative_numbers = true)]
    pub length_seconds: Option<f64>,
}

/// A policy of one's own.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct PolicyOptions {
    /// The most attempts of one call [1 to 20; default: 3]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub attempts: Option<f64>,
    /// The wait before a retry [default: jitter]
    #[arg(long, value_name = "WORD", value_enum)]
    pub backoff: Option<Backoff>,
    /// The longest first wait; the next are twice as long, up to 5 s [0.001 to 60; default: 0.2]
    #[arg(long = "base", value_name = "SECONDS", allow_negative_numbers = true)]
    pub base_seconds: Option<f64>,
    /// The tokens of each client's retry budget; 0 for no budget [0 to 10000; default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub budget: Option<f64>,
    /// The most attempts that a client has in flight; 0 for no limit [0 to 10000; default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub concurrency: Option<f64>,
    /// The most time that a call may take, with waits; 0 for no deadline [0 to 600; default: 0]
    #[arg(
        long = "deadline",
        value_name = "SECONDS",
        allow_negative_numbers = true
    )]
    pub deadline_seconds: Option<f64>,
    /// The most that is added to a Retry-After at random [0 to 600; default: 0]
    #[arg(long = "spread", value_name = "SECONDS", allow_negative_numbers = true)]
    pub spread_seconds: Option<f64>,
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

impl OptionError {
    /// The rule alone, beside a field that has a name of its own.
    #[must_use]
    pub fn rule(&self) -> String {
        match self {
            Self::OutOfBounds {
                rule, least, most, ..
            } => format!("it must be {rule} from {least} to {most}"),
            Self::OtherIncident { incident, .. } => {
                format!("it has no effect without the incident '{incident}'")
            }
        }
    }
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
    use serde_json::json;

    use super::*;

    /// A setting, by the member that it changes.
    type Number<T> = (&'static str, fn(&mut T) -> &mut Option<f64>);

    const NUMBERS: [Number<SettingsOptions>; 6] = [
        ("calls_per_second", |options| &mut options.calls_per_second),
        ("workers", |options| &mut options.workers),
        ("queue", |options| &mut options.queue),
        ("incident_lasts_seconds", |options| {
            &mut options.incident_lasts_seconds
        }),
        ("spike", |options| &mut options.spike),
        ("length_seconds", |options| &mut options.length_seconds),
    ];
    const OF_A_POLICY: [Number<PolicyOptions>; 6] = [
        ("attempts", |options| &mut options.attempts),
        ("base_seconds", |options| &mut options.base_seconds),
        ("budget", |options| &mut options.budget),
        ("concurrency", |options| &mut options.concurrency),
        ("deadline_seconds", |options| &mut options.deadline_seconds),
        ("spread_seconds", |options| &mut options.spread_seconds),
    ];

    fn settings((_, member): Number<SettingsOptions>, value: f64) -> Result<Settings, OptionError> {
        let mut options = SettingsOptions::default();
        *member(&mut options) = Some(value);
        let mut settings = Settings::DEFAULT;
        options.apply(&mut settings).map(|()| settings)
    }

    fn setup((_, member): Number<PolicyOptions>, value: f64) -> Result<Setup, OptionError> {
        let mut options = PolicyOptions::default();
        *member(&mut options) = Some(value);
        options.setup()
    }

    #[test]
    fn an_option_changes_the_member_of_its_name() {
        for number in NUMBERS {
            let changed = json!(settings(number, 7.0).expect("a valid value"));
            let mut expected = json!(Settings::DEFAULT);
            let (name, _) = number;
            expected[name] = expected[name].as_u64().map_or(json!(7.0), |_| json!(7));
            assert_eq!(changed, expected);
        }
        for number in OF_A_POLICY {
            let changed = json!(setup(number, 4.0).expect("a valid value"));
            let mut expected = json!(Setup::DEFAULT);
            let (name, _) = number;
            expected[name] = expected[name].as_u64().map_or(json!(4.0), |_| json!(4));
            assert_eq!(changed, expected);
        }
        let long = setup(OF_A_POLICY[1], 7.0).expect("a valid value");
        assert_eq!(
            (long.base, long.cap),
            (Duration::from_secs(7), Duration::from_secs(7))
        );
    }

    /// The page shows an error to a reader who knows neither the option nor the member.
    #[test]
    fn a_value_outside_its_bounds_is_named_in_words() {
        let errors = NUMBERS.map(|number| settings(number, -1.5).map(|_| ()));
        let of_a_policy = OF_A_POLICY.map(|number| setup(number, 1e9).map(|_| ()));
        for error in errors.into_iter().chain(of_a_policy) {
            let error = error.expect_err("it is outside").to_string();
            assert!(
                !error.contains(['_', '-', '`']) || error.contains("got -1.5"),
                "{error}"
            );
            assert!(!error.contains('_'), "{error}");
        }
        let error = settings(NUMBERS[1], 1.5).expect_err("not whole");
        assert_eq!(
            error.to_string(),
            "the number of workers must be a whole number from 1 to 10000, got 1.5"
        );
        assert_eq!(error.rule(), "it must be a whole number from 1 to 10000");
        assert!(setup(OF_A_POLICY[0], 21.0).is_err());
        for not_a_number in [f64::NAN, f64::INFINITY] {
            for number in NUMBERS {
                assert!(settings(number, not_a_number).is_err(), "{}", number.0);
            }
        }
    }

    #[test]
    fn an_option_of_one_incident_is_refused_with_another() {
        let with = |incident, spike, refused| {
            let options = SettingsOptions {
                incident: Some(incident),
                spike,
                refused,
                ..SettingsOptions::default()
            };
            options.apply(&mut Settings::DEFAULT.clone())
        };
        let one = Some(1.0);

        assert!(with(Incident::Refusal, None, one).is_ok());
        assert!(with(Incident::Spike, one, None).is_ok());
        let errors = [
            with(Incident::Spike, None, one),
            with(Incident::Refusal, one, None),
            with(Incident::Cut, one, None),
        ];
        let errors = errors.map(|error| error.expect_err("no effect").to_string());
        let refused = "the share of responses that are a 503 has no effect without the incident \
                       'refusal'";
        let spike = "the factor of the spike has no effect without the incident 'spike'";
        assert_eq!(errors, [refused, spike, spike]);
    }
}
