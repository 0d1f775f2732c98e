//! How a storm is set up: its clients, its calls, its service and its incident.

use std::{borrow::Cow, time::Duration};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

use super::knob::{self, Knob, Knobs, Value, Values, choice, knob};

/// How a storm is set up. All policies meet the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// How many clients there are. The calls go to one after the other.
    pub clients: u32,
    /// Where calls come from.
    pub load: Load,
    /// With an open load: the calls that begin in a second, on average.
    pub calls_per_second: f64,
    /// With a closed load: how many callers there are.
    pub callers: u32,
    /// With a closed load: how long a caller thinks before its next call, on average.
    pub think: Duration,
    /// How many requests the service works on at once.
    pub workers: u32,
    /// How many more may wait; a request beyond that gets a 503 at once.
    pub queue: u32,
    /// How the time is drawn that the service takes for a request.
    pub work: Work,
    /// How long the service takes for a request, on average.
    pub work_time: Duration,
    /// With a growing time: what each other request in flight adds to it.
    pub growth: Duration,
    /// How long a client waits for a response.
    pub timeout: Duration,
    /// What goes wrong.
    pub incident: Incident,
    /// When it begins.
    pub incident_starts: Duration,
    /// How long it lasts.
    pub incident_lasts: Duration,
    /// During a spike: how many times the usual load there is.
    pub spike: f64,
    /// During a cut: how many requests the service works on at once.
    pub workers_left: u32,
    /// During a refusal: what the 503 says of when to come back.
    pub retry_after: RetryAfter,
    /// How long it lasts in all.
    pub length: Duration,
}

choice! {
    /// Where calls come from.
    Load {
        /// From outside, at random moments, however many go on already (Poisson).
        Open = "open",
        /// From callers who call, wait for the result, think, and call again.
        Closed = "closed",
    }
}

choice! {
    /// How the time is drawn that a service takes for a request.
    Work {
        /// From the exponential distribution.
        Exponential = "exponential",
        /// It is always the same.
        Constant = "constant",
        /// It grows with the requests that the service works on.
        Growing = "growing",
    }
}

choice! {
    /// What goes wrong.
    Incident {
        /// More calls come.
        Spike = "spike",
        /// The service works on fewer requests at once.
        Cut = "cut",
        /// The service begins to work on nothing; what comes waits.
        Pause = "pause",
        /// The service responds with 503 to everything, at once.
        Refusal = "refusal",
        /// Nothing.
        None = "none",
    }
}

choice! {
    /// What a 503 says of when to come back.
    RetryAfter {
        /// Nothing: it has no `Retry-After`.
        None = "none",
        /// The seconds that are left of the incident, rounded up.
        Seconds = "seconds",
        /// The second in which the incident ends, as a date: the same for all.
        Date = "date",
    }
}

impl Default for Settings {
    /// A spike of five seconds to twice of what the service can bear.
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Settings {
    /// A spike of five seconds to twice of what the service can bear.
    ///
    /// The service works on ten requests at once, a tenth of a second each: a hundred a
    /// second. Its queue is as long as what it takes three seconds to work off, and
    /// nobody waits for as long.
    pub const DEFAULT: Self = Self {
        clients: 10,
        load: Load::Open,
        calls_per_second: 60.0,
        callers: 60,
        think: Duration::from_secs(1),
        workers: 10,
        queue: 300,
        work: Work::Exponential,
        work_time: Duration::from_millis(100),
        growth: Duration::from_millis(10),
        timeout: Duration::from_secs(1),
        incident: Incident::Spike,
        incident_starts: Duration::from_secs(10),
        incident_lasts: Duration::from_secs(5),
        spike: 3.5,
        workers_left: 2,
        retry_after: RetryAfter::None,
        length: Duration::from_secs(60),
    };

    /// When the incident ends: at the very beginning, if there is none.
    #[must_use]
    pub fn incident_ends(&self) -> Duration {
        match self.incident {
            Incident::None => Duration::ZERO,
            _ => self.incident_starts + self.incident_lasts,
        }
    }

    /// Whether a moment lies within the incident.
    #[must_use]
    pub fn is_during_incident(&self, moment: Duration) -> bool {
        (self.incident_starts..self.incident_ends()).contains(&moment)
    }

    /// The calls that begin in a second while nothing is wrong, on average.
    pub(crate) fn usual_load(&self) -> f64 {
        match self.load {
            Load::Open => self.calls_per_second,
            // A caller calls again once it has a response and has thought.
            Load::Closed => f64::from(self.callers) / (self.think + self.work_time).as_secs_f64(),
        }
    }

    /// The requests that the service can work on in a second while there is no incident,
    /// on average.
    #[must_use]
    pub fn capacity_per_second(&self) -> f64 {
        let others = f64::from(self.workers - 1);
        let growth = match self.work {
            Work::Growing => self.growth.as_secs_f64() * others,
            Work::Exponential | Work::Constant => 0.0,
        };
        f64::from(self.workers) / (self.work_time.as_secs_f64() + growth)
    }

    /// With a closed load: how many callers there are at most, at any time.
    #[must_use]
    pub fn most_callers(&self) -> u32 {
        let usual = f64::from(self.callers);
        match (self.load, self.incident) {
            (Load::Open, _) => 0,
            (Load::Closed, Incident::Spike) => (usual * self.spike).round() as u32,
            (Load::Closed, _) => self.callers,
        }
    }

    /// Whether the settings go together.
    ///
    /// # Errors
    ///
    /// [`SettingsError`] if they do not.
    pub fn check(&self) -> Result<(), SettingsError> {
        let (ends, length) = (self.incident_ends(), self.length);
        if ends + AFTER > length {
            return Err(SettingsError::TooLate { ends, length });
        }
        let callers = self.most_callers();
        match callers <= MOST_CALLERS {
            true => Ok(()),
            false => Err(SettingsError::TooManyCallers(callers)),
        }
    }
}

/// How much of a storm comes after its incident at least: it takes so long to say whether
/// a service is back.
const AFTER: Duration = Duration::from_secs(2);

/// The most callers of a closed load: each takes some ten kilobytes, even while it thinks.
const MOST_CALLERS: u32 = 5_000;

/// Why settings do not go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// The incident ends too late.
    #[error(
        "the incident must end {} s before the storm does or earlier, got {} s of {} s",
        AFTER.as_secs(),
        ends.as_secs_f64(),
        length.as_secs_f64()
    )]
    TooLate {
        /// When the incident ends.
        ends: Duration,
        /// When the storm does.
        length: Duration,
    },
    /// There are too many callers during the spike.
    #[error("callers times spike must be at most {MOST_CALLERS}, got {0}")]
    TooManyCallers(u32),
}

impl Knobs for Settings {
    const KNOBS: &'static [Knob<Self>] = &[
        knob!(whole "clients" clients 1..=2_000, "How many clients there are, each with a budget and a limit of its own"),
        knob!(choice "load" load Load, "Calls come from outside (open), or from callers who wait for the result (closed)"),
        knob!(number "calls_per_second" calls_per_second 0.1..=1_000.0, "Open load: the calls that begin in a second, on average"),
        knob!(whole "callers" callers 1..=2_000, "Closed load: how many callers there are"),
        knob!(seconds "think_seconds" think 0.01..=600.0, "Closed load: how long a caller thinks before its next call, on average"),
        knob!(whole "workers" workers 1..=10_000, "How many requests the service works on at once"),
        knob!(whole "queue" queue 0..=100_000, "How many more requests may wait; one beyond that gets a 503 at once"),
        knob!(choice "work" work Work, "How the time is drawn that the service takes for a request"),
        knob!(seconds "work_time_seconds" work_time 0.001..=60.0, "How long the service takes for a request, on average"),
        knob!(seconds "growth_seconds" growth 0.0..=1.0, "Growing work: what each other request that is worked on adds to it"),
        knob!(seconds "timeout_seconds" timeout 0.01..=60.0, "How long a client waits for a response"),
        knob!(choice "incident" incident Incident, "What goes wrong: more calls (spike), fewer workers (cut), nothing is begun (pause), only 503s (refusal), or nothing"),
        knob!(seconds "incident_starts_seconds" incident_starts 0.0..=600.0, "When the incident begins"),
        knob!(seconds "incident_lasts_seconds" incident_lasts 0.0..=600.0, "How long the incident lasts"),
        knob!(number "spike" spike 1.0..=100.0, "Spike: how many times the usual load there is"),
        knob!(whole "workers_left" workers_left 0..=10_000, "Cut: how many requests the service works on at once"),
        knob!(choice "retry_after" retry_after RetryAfter, "Refusal: the Retry-After of the 503, which is the end of the incident"),
        knob!(seconds "length_seconds" length 2.0..=600.0, "How long it lasts in all"),
    ];
}

impl Serialize for Settings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        knob::serialize(self, serializer)
    }
}

impl JsonSchema for Settings {
    fn schema_name() -> Cow<'static, str> {
        knob::schema_name("StormSettings")
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        knob::schema::<Self>("How a storm is set up. All policies meet the same.")
    }
}

#[cfg(test)]
mod tests {
    use proptest::{prelude::*, sample::Index};
    use serde_json::{Value as Json, json};

    use super::*;

    #[test]
    fn every_knob_takes_the_value_that_it_has() {
        let mut settings = Settings::DEFAULT;

        for knob in Settings::KNOBS {
            let value = knob.value(&settings);
            let set = settings.set(knob.name, &json!(value));
            assert_eq!(set, Ok(()), "{}", knob.name);
            let set = settings.set_text(knob.name, &value.to_string());
            assert_eq!(set, Ok(()), "{}", knob.name);
        }

        assert_eq!(settings, Settings::DEFAULT);
    }

    #[test]
    fn what_a_knob_does_not_take_is_named_with_the_rule() {
        let mut settings = Settings::DEFAULT;
        let mut refused = |name, text| {
            let error = settings.set_text(name, text).expect_err(text);
            error.to_string()
        };

        for (name, text, words) in [
            (
                "clients",
                "0",
                "clients must be a whole number from 1 to 2000, got '0'",
            ),
            (
                "clients",
                "+1",
                "clients must be a whole number from 1 to 2000, got '+1'",
            ),
            (
                "clients",
                "1.5",
                "clients must be a whole number from 1 to 2000, got '1.5'",
            ),
            (
                "spike",
                "inf",
                "spike must be a number from 1 to 100, got 'inf'",
            ),
            (
                "spike",
                "1e1",
                "spike must be a number from 1 to 100, got '1e1'",
            ),
            ("load", "", "load must be one of open, closed, got ''"),
            ("speed", "1", "there is no setting 'speed'"),
        ] {
            assert_eq!(refused(name, text), words);
        }
    }

    #[test]
    fn the_incident_ends_before_the_storm() {
        let of_length = |length| Settings {
            length: Duration::from_secs(length),
            ..Settings::DEFAULT
        };

        let error = of_length(16).check().expect_err("a second is too little");

        assert_eq!(
            error.to_string(),
            "the incident must end 2 s before the storm does or earlier, got 15 s of 16 s"
        );
        assert_eq!(of_length(17).check(), Ok(()));
        let quiet = Settings {
            incident: Incident::None,
            ..of_length(2)
        };
        assert_eq!(
            quiet.check(),
            Ok(()),
            "where there is none, it does not end"
        );
    }

    #[test]
    fn callers_are_bounded_together_with_the_spike_that_multiplies_them() {
        let closed = Settings {
            load: Load::Closed,
            callers: 500,
            spike: 10.0,
            ..Settings::DEFAULT
        };
        let more = Settings {
            spike: 10.1,
            ..closed
        };

        assert_eq!(closed.check(), Ok(()));
        let error = more.check().expect_err("they are too many");
        let words = "callers times spike must be at most 5000, got 5050";
        assert_eq!(error.to_string(), words);
        let open = Settings {
            load: Load::Open,
            ..more
        };
        assert_eq!(open.check(), Ok(()), "nobody reads it");
    }

    #[test]
    fn a_service_can_do_what_its_workers_can() {
        let growing = Settings {
            work: Work::Growing,
            ..Settings::DEFAULT
        };

        let capacities = [Settings::DEFAULT, growing].map(|of| of.capacity_per_second());

        assert!((capacities[0] - 100.0).abs() < 1e-9);
        assert!((capacities[1] - 10.0 / 0.19).abs() < 1e-9);
    }

    /// The least and the most that a knob takes, or all of its words.
    fn ends(values: Values) -> Vec<Json> {
        match values {
            Values::Whole { least, most } => vec![least.into(), most.into()],
            Values::Number { least, most } => vec![least.into(), most.into()],
            Values::OneOf(words) => words.iter().map(|word| json!(word)).collect(),
        }
    }

    #[test]
    fn a_knob_sets_what_it_shows_and_nothing_else() {
        let shown = |settings: &Settings| {
            let knobs = Settings::KNOBS.iter();
            let knobs = knobs.map(|knob| (knob.name, json!(knob.value(settings))));
            knobs.collect::<Vec<_>>()
        };

        for (place, knob) in Settings::KNOBS.iter().enumerate() {
            for value in ends(knob.values) {
                let mut settings = Settings::DEFAULT;
                let mut expected = shown(&settings);
                expected[place].1 = value.clone();

                assert_eq!(settings.set(knob.name, &value), Ok(()));

                assert_eq!(shown(&settings), expected, "{} {value}", knob.name);
            }
        }
    }

    #[test]
    fn what_a_knob_does_not_take_in_json_is_named_as_it_came() {
        let mut settings = Settings::DEFAULT;
        let mut refused = |name, value: Json| {
            let error = settings.set(name, &value).expect_err("no value of its");
            error.to_string()
        };
        let clients = "clients must be a whole number from 1 to 2000, got";

        assert_eq!(refused("clients", json!(0)), format!("{clients} 0"));
        assert_eq!(refused("clients", json!(2_001)), format!("{clients} 2001"));
        assert_eq!(refused("clients", json!("7")), format!("{clients} \"7\""));
        let spike = "spike must be a number from 1 to 100, got 0.5";
        assert_eq!(refused("spike", json!(0.5)), spike);
        assert_eq!(refused("speed", json!(1)), "there is no setting 'speed'");
    }

    #[test]
    fn the_unit_of_a_knob_is_that_of_its_name() {
        let unit = |name| Settings::knob(name).expect("known").unit();

        assert_eq!(["think_seconds", "clients"].map(unit), ["s", ""]);
    }

    #[test]
    fn settings_are_written_as_their_schema_says() {
        let written = json!(Settings::DEFAULT);
        let schema = json!(schemars::schema_for!(Settings));

        assert_eq!(written["clients"], 10);
        assert_eq!(written["load"], "open");
        assert_eq!(written["timeout_seconds"], 1.0);
        let properties = schema["properties"].as_object().expect("an object");
        let named: Vec<_> = properties.keys().collect();
        let written: Vec<_> = written.as_object().expect("an object").keys().collect();
        assert_eq!(named, written);
        let required = schema["required"].as_array().map(Vec::len);
        assert_eq!(required, Some(Settings::KNOBS.len()));
        let clients = &properties["clients"];
        let bounds = ["type", "minimum", "maximum"].map(|key| &clients[key]);
        assert_eq!(bounds, [&json!("integer"), &json!(1), &json!(2_000)]);
        assert_eq!(properties["load"]["enum"], json!(["open", "closed"]));
        assert_eq!(schema["title"], "StormSettings");
    }

    #[test]
    fn an_incident_begins_at_its_moment_and_is_over_at_its_end() {
        let in_incident = |settings: Settings| {
            let moments = [9_999, 10_000, 14_999, 15_000].map(Duration::from_millis);
            moments.map(|moment| settings.is_during_incident(moment))
        };
        let quiet = Settings {
            incident: Incident::None,
            ..Settings::DEFAULT
        };

        assert_eq!(in_incident(Settings::DEFAULT), [false, true, true, false]);
        assert_eq!(in_incident(quiet), [false; 4]);
    }

    #[test]
    fn a_spike_brings_more_callers_and_another_incident_does_not() {
        let callers = |load, incident| {
            let settings = Settings {
                load,
                incident,
                callers: 3,
                spike: 1.5,
                ..Settings::DEFAULT
            };
            settings.most_callers()
        };

        assert_eq!(callers(Load::Closed, Incident::Spike), 5);
        assert_eq!(callers(Load::Closed, Incident::Cut), 3);
        assert_eq!(callers(Load::Open, Incident::Spike), 0);
    }

    proptest! {
        /// A knob takes a text where it takes the number in JSON, and shows it as it took it.
        #[test]
        fn a_knob_takes_a_number_however_it_came(
            knob: Index,
            text in "(0{0,2}[0-9]{1,9}(\\.[0-9]{0,20})?|[-+.e0-9a-z]{0,6}|4294967296|1e999|NaN)",
        ) {
            let knob = &Settings::KNOBS[knob.index(Settings::KNOBS.len())];
            let mut settings = Settings::DEFAULT;
            let plain = text.chars().all(|sign| sign.is_ascii_digit() || sign == '.');
            let number = text.parse::<f64>().ok().filter(|_| plain);

            let set = settings.set_text(knob.name, &text);

            let shown = knob.value(&settings).to_string();
            match (set, number) {
                (Ok(()), Some(number)) => {
                    let taken: f64 = shown.parse()?;
                    prop_assert!((taken - number).abs() <= 1e-9, "{} is {}", text, shown);
                    if let Ok(json) = text.parse::<Json>() {
                        let mut sent = Settings::DEFAULT;
                        prop_assert_eq!(sent.set(knob.name, &json), Ok(()));
                        prop_assert_eq!(sent, settings);
                    }
                    prop_assert_eq!(settings.set_text(knob.name, &shown), Ok(()));
                    prop_assert_eq!(knob.value(&settings).to_string(), shown);
                }
                (Ok(()), None) => prop_assert_eq!(shown, text),
                (Err(_), _) => {
                    let json: Option<Json> = text.parse().ok().filter(|_| plain);
                    let set = json.map(|json| settings.set(knob.name, &json));
                    prop_assert!(set.is_none_or(|set| set.is_err()));
                    prop_assert_eq!(settings, Settings::DEFAULT);
                }
            }
        }
    }
}
