//! The settings of a storm: its clients, its calls, its service and its incident.

use std::time::Duration;

use super::parameter::{Parameter, Parameters, Value, Values, choice, parameters};

parameters! {
    /// The settings of a storm, the same for all policies.
    Settings

    /// A spike of five seconds to twice the capacity of the service.
    ///
    /// The service works on ten requests at once, for a tenth of a second each: a hundred
    /// per second. A full queue takes three seconds, which is longer than an attempt waits.
    DEFAULT {
        // They take turns with the calls.
        clients "clients": whole(1..=2_000) = 10,
            "The number of clients, each with a budget and a limit of its own";
        load "load": choice(Load) = Load::Open,
            "Calls arrive independently (open), or from callers who wait for the result of each call (closed)";
        calls_per_second "calls_per_second": number(0.1..=1_000.0) = 60.0,
            "Open load: the number of calls that begin per second, on average";
        callers "callers": whole(1..=2_000) = 60,
            "Closed load: the number of callers";
        think "think_seconds": seconds(0.01..=600.0) = Duration::from_secs(1),
            "Closed load: the pause of a caller before its next call, on average";
        workers "workers": whole(1..=10_000) = 10,
            "The number of requests that the service works on at once";
        queue "queue": whole(0..=100_000) = 300,
            "The number of requests that may be queued; a further one gets a 503 at once";
        work "work": choice(Work) = Work::Exponential,
            "The distribution of the time that the service takes for a request";
        work_time "work_time_seconds": seconds(0.001..=60.0) = Duration::from_millis(100),
            "The time that the service takes for a request, on average";
        timeout "timeout_seconds": seconds(0.01..=60.0) = Duration::from_secs(1),
            "How long an attempt waits for a response";
        incident "incident": choice(Incident) = Incident::Spike,
            "What goes wrong: more calls (spike), fewer workers (cut), no work (pause), only 503s (refusal), or nothing";
        incident_starts "incident_starts_seconds": seconds(0.0..=600.0) = Duration::from_secs(10),
            "When the incident starts";
        incident_lasts "incident_lasts_seconds": seconds(0.0..=600.0) = Duration::from_secs(5),
            "How long the incident lasts";
        spike "spike": number(1.0..=100.0) = 3.5,
            "Spike: the load as a multiple of the usual load";
        workers_left "workers_left": whole(0..=10_000) = 2,
            "Cut: the number of requests that the service works on at once";
        retry_after "retry_after": choice(RetryAfter) = RetryAfter::None,
            "The form of the Retry-After of each 503 during the incident, which names its end";
        length "length_seconds": seconds(2.0..=600.0) = Duration::from_secs(60),
            "The length of the whole storm";
    }
}

/// How much each other request in work adds to the time of [`Work::Growing`].
pub const GROWTH: Duration = Duration::from_millis(10);

choice! {
    /// The source of the calls.
    Load {
        /// Independent arrivals at random moments, regardless of the calls in flight (Poisson).
        Open = "open",
        /// Callers who call, wait for the result, pause, and call again.
        Closed = "closed",
    }
}

choice! {
    /// The distribution of the time that a service takes for a request.
    Work {
        /// The exponential distribution.
        Exponential = "exponential",
        /// Always the same time.
        Constant = "constant",
        /// A time that grows with the number of requests in work, by [`GROWTH`] for each
        /// other one.
        Growing = "growing",
    }
}

choice! {
    /// The fault.
    Incident {
        /// More calls arrive.
        Spike = "spike",
        /// The service works on fewer requests at once.
        Cut = "cut",
        /// The service starts no work; requests are queued.
        Pause = "pause",
        /// The service responds with 503 to everything, at once.
        Refusal = "refusal",
        /// Nothing.
        None = "none",
    }
}

choice! {
    /// The form of a `Retry-After`, which names the end of an incident or the next second
    /// of a rate limit.
    RetryAfter {
        /// No `Retry-After`.
        None = "none",
        /// The seconds until then, rounded up.
        Seconds = "seconds",
        /// That moment as a date, in whole seconds: the same for all clients.
        Date = "date",
    }
}

impl Settings {
    /// The end of the incident; the start of the storm if there is no incident.
    #[must_use]
    pub fn incident_ends(&self) -> Duration {
        match self.incident {
            Incident::None => Duration::ZERO,
            _ => self.incident_starts + self.incident_lasts,
        }
    }

    /// Whether a moment is within the incident.
    #[must_use]
    pub fn is_during_incident(&self, moment: Duration) -> bool {
        (self.incident_starts..self.incident_ends()).contains(&moment)
    }

    /// The number of calls that begin per second without an incident, on average.
    pub(crate) fn usual_load(&self) -> f64 {
        match self.load {
            Load::Open => self.calls_per_second,
            // A caller makes the next call after the response and a pause.
            Load::Closed => f64::from(self.callers) / (self.think + self.work_time).as_secs_f64(),
        }
    }

    /// The number of requests that the service can process per second without an incident,
    /// on average.
    #[must_use]
    pub fn capacity_per_second(&self) -> f64 {
        let others = f64::from(self.workers - 1);
        let growth = match self.work {
            Work::Growing => GROWTH.as_secs_f64() * others,
            Work::Exponential | Work::Constant => 0.0,
        };
        f64::from(self.workers) / (self.work_time.as_secs_f64() + growth)
    }

    /// With a closed load: the most callers at any time.
    #[must_use]
    pub fn most_callers(&self) -> u32 {
        let usual = f64::from(self.callers);
        match (self.load, self.incident) {
            (Load::Open, _) => 0,
            (Load::Closed, Incident::Spike) => (usual * self.spike).round() as u32,
            (Load::Closed, _) => self.callers,
        }
    }

    /// Checks that the settings are consistent.
    ///
    /// # Errors
    ///
    /// [`SettingsError`] if they are not.
    pub fn check(&self) -> Result<(), SettingsError> {
        let (ends, length) = (self.incident_ends(), self.length);
        if ends + AFTER > length {
            return Err(SettingsError::TooLate { ends, length });
        }
        let callers = self.most_callers();
        if callers <= MOST_CALLERS {
            Ok(())
        } else {
            Err(SettingsError::TooManyCallers(callers))
        }
    }
}

/// The minimum time after an incident, which is needed to tell whether a service has
/// recovered.
const AFTER: Duration = Duration::from_secs(2);

/// The most callers of a closed load: each takes some ten kilobytes, even between calls.
const MOST_CALLERS: u32 = 5_000;

/// Why settings are inconsistent.
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
        /// The end of the incident.
        ends: Duration,
        /// The end of the storm.
        length: Duration,
    },
    /// There are too many callers during the spike.
    #[error("callers times spike must be at most {MOST_CALLERS}, got {0}")]
    TooManyCallers(u32),
}

#[cfg(test)]
mod tests {
    use proptest::{prelude::*, sample::Index};
    use serde_json::Value as Json;

    use super::*;

    const QUIET: Settings = Settings {
        incident: Incident::None,
        ..Settings::DEFAULT
    };

    #[test]
    fn the_incident_must_end_before_the_storm() {
        let check = |seconds, settings| {
            let length = Duration::from_secs(seconds);
            Settings { length, ..settings }.check()
        };

        let error = check(16, Settings::DEFAULT).expect_err("a second is too little");

        assert_eq!(
            error.to_string(),
            "the incident must end 2 s before the storm does or earlier, got 15 s of 16 s"
        );
        assert_eq!(check(17, Settings::DEFAULT), Ok(()));
        assert_eq!(check(2, QUIET), Ok(()), "there is no end to check");
    }

    #[test]
    fn callers_and_the_spike_that_multiplies_them_are_bounded_together() {
        let check = |load, spike| {
            let callers = 500;
            let settings = Settings {
                load,
                callers,
                spike,
                ..Settings::DEFAULT
            };
            settings.check()
        };

        assert_eq!(check(Load::Closed, 10.0), Ok(()));
        let error = check(Load::Closed, 10.1).expect_err("they are too many");
        let words = "callers times spike must be at most 5000, got 5050";
        assert_eq!(error.to_string(), words);
        assert_eq!(check(Load::Open, 10.1), Ok(()), "it has no callers");
    }

    #[test]
    fn the_capacity_follows_from_the_workers() {
        let growing = Settings {
            work: Work::Growing,
            ..Settings::DEFAULT
        };

        let capacities = [Settings::DEFAULT, growing].map(|of| of.capacity_per_second());

        assert!((capacities[0] - 100.0).abs() < 1e-9);
        assert!((capacities[1] - 10.0 / 0.19).abs() < 1e-9);
    }

    #[test]
    fn an_incident_includes_its_start_and_excludes_its_end() {
        let in_incident = |settings: Settings| {
            let moments = [9_999, 10_000, 14_999, 15_000].map(Duration::from_millis);
            moments.map(|moment| settings.is_during_incident(moment))
        };

        assert_eq!(in_incident(Settings::DEFAULT), [false, true, true, false]);
        assert_eq!(in_incident(QUIET), [false; 4]);
    }

    #[test]
    fn only_a_spike_adds_callers() {
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
        /// A parameter accepts a text if it accepts the number in JSON, and shows the value it
        /// took.
        #[test]
        fn a_knob_accepts_the_same_numbers_as_text_and_as_json(
            parameter: Index,
            text in "(0{0,2}[0-9]{1,9}(\\.[0-9]{0,20})?|[-+.e0-9a-z]{0,6}|4294967296|1e999|NaN)",
        ) {
            let parameter = &Settings::PARAMETERS[parameter.index(Settings::PARAMETERS.len())];
            let mut settings = Settings::DEFAULT;
            let plain = text.chars().all(|sign| sign.is_ascii_digit() || sign == '.');
            let number = text.parse::<f64>().ok().filter(|_| plain);

            let set = settings.set_text(parameter.name, &text);

            let shown = parameter.value(&settings).to_string();
            match (set, number) {
                (Ok(()), Some(number)) => {
                    let taken: f64 = shown.parse()?;
                    prop_assert!((taken - number).abs() <= 1e-9, "{} is {}", text, shown);
                    if let Ok(json) = text.parse::<Json>() {
                        let mut sent = Settings::DEFAULT;
                        prop_assert_eq!(sent.set(parameter.name, &json), Ok(()));
                        prop_assert_eq!(sent, settings);
                    }
                    prop_assert_eq!(settings.set_text(parameter.name, &shown), Ok(()));
                    prop_assert_eq!(parameter.value(&settings).to_string(), shown);
                }
                (Ok(()), None) => prop_assert_eq!(shown, text),
                (Err(_), _) => {
                    let json: Option<Json> = text.parse().ok().filter(|_| plain);
                    let set = json.map(|json| settings.set(parameter.name, &json));
                    prop_assert!(set.is_none_or(|set| set.is_err()));
                    prop_assert_eq!(settings, Settings::DEFAULT);
                }
            }
        }
    }
}
