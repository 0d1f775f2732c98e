//! The storms on offer, and the sliders that vary them.

use std::time::Duration;

use serde::Serialize;
use serde_json::json;
use storm::{Parameter, Parameters, STORIES, Setup, StormPicture, Value, Values};
use wire::duration;

/// A setting as a slider with fixed values.
#[derive(Serialize)]
struct Slider {
    /// The name of the setting.
    name: &'static str,
    title: &'static str,
    what: &'static str,
    /// The default position, if the story does not set one; an index.
    at: usize,
    stops: Vec<Stop>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Stop {
    value: Value,
    label: String,
}

/// A slider, its title, and its unit in the singular and in the plural.
type SliderText = (&'static str, &'static str, fn(f64) -> String);

/// The name of the policy that the user sets up.
pub(super) const OWN_NAME: &str = "yours";

const SETTINGS: [SliderText; 4] = [
    ("calls_per_second", "Load", |rate| format!("{rate} calls/s")),
    ("workers", "Capacity", |workers| {
        several(workers, "worker", "")
    }),
    ("incident_lasts_seconds", "Length of the incident", seconds),
    ("timeout_seconds", "Timeout", seconds),
];

const OWN: [SliderText; 4] = [
    ("attempts", "Attempts", |attempts| {
        several(attempts, "attempt", "")
    }),
    ("backoff", "Wait before a retry", |_| String::new()),
    ("budget", "Retry budget", |tokens| {
        several(tokens, "token", "no budget")
    }),
    ("deadline_seconds", "Deadline", |length| match length {
        0.0 => "no deadline".to_owned(),
        _ => seconds(length),
    }),
];

/// The leading digits of a slider's values in each power of ten.
const STOPS: [f64; 9] = [1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0];

/// The catalogue of a page: the stories before they are simulated, and the sliders of all
/// policies of a storm and of the user's own.
pub(super) fn catalogue() -> serde_json::Value {
    let stories = STORIES.iter().map(|story| {
        let pictures =
            StormPicture::begun(&story.words, &story.settings, story.policies).into_iter();
        let policies =
            pictures.map(|picture| json!({ "name": picture.policy, "changed": picture.changed }));
        json!({
            "name": story.words.name,
            "title": story.words.title,
            "question": story.words.question,
            "settings": story.settings,
            "policies": policies.collect::<Vec<_>>(),
        })
    });
    json!({
        "stories": stories.collect::<Vec<_>>(),
        "settings": settings(),
        "own": own(),
        "own_name": OWN_NAME,
    })
}

/// The sliders for all policies of a storm.
fn settings() -> Vec<Slider> {
    let used: Vec<_> = STORIES.iter().map(|story| story.settings).collect();
    let sliders = SETTINGS.iter();
    sliders.filter_map(|text| Slider::of(text, &used)).collect()
}

/// The sliders for the user's own policy.
fn own() -> Vec<Slider> {
    let sliders = OWN.iter();
    sliders
        .filter_map(|text| Slider::of(text, &[Setup::DEFAULT]))
        .collect()
}

impl Slider {
    /// The slider of a setting, with a value for each of these setups; none if the
    /// setting does not exist.
    fn of<T: Parameters>((name, title, label): &SliderText, used: &[T]) -> Option<Self> {
        let parameter = T::parameter(name).ok()?;
        let used: Vec<_> = used.iter().map(|of| parameter.value(of)).collect();
        let stops: Vec<_> = stops(parameter, &used)
            .into_iter()
            .map(|value| Stop {
                label: match value {
                    Value::Whole(number) => label(number.into()),
                    Value::Number(number) => label(number),
                    Value::Word(word) => word.to_owned(),
                },
                value,
            })
            .collect();
        let first = used.first()?;
        Some(Self {
            name: parameter.name,
            title,
            what: parameter.what,
            at: stops.iter().position(|stop| stop.value == *first)?,
            stops,
        })
    }
}

/// Round values between the limits of a setting, with these values and the limits
/// included.
fn stops<T>(parameter: &Parameter<T>, used: &[Value]) -> Vec<Value> {
    let (least, most) = match parameter.values {
        Values::OneOf(words) => return words.iter().map(|word| Value::Word(word)).collect(),
        Values::Whole { least, most } => (f64::from(least), f64::from(most)),
        Values::Number { least, most } => (least, most),
    };
    let round = (-2..=4).flat_map(|power| STOPS.map(|stop| rounded(stop * 10_f64.powi(power))));
    let is_whole = matches!(parameter.values, Values::Whole { .. });
    let round =
        round.filter(|stop| (!is_whole || stop.fract() == 0.0) && (least..=most).contains(stop));
    let used = used.iter().map(|value| match value {
        Value::Whole(number) => f64::from(*number),
        Value::Number(number) => *number,
        Value::Word(_) => least,
    });
    let mut stops: Vec<_> = round.chain(used).chain([least, most]).collect();
    stops.sort_by(f64::total_cmp);
    stops.dedup();
    stops
        .into_iter()
        .map(|stop| {
            if is_whole {
                Value::Whole(stop as u32)
            } else {
                Value::Number(stop)
            }
        })
        .collect()
}

/// Rounds to thousandths, which removes floating-point noise.
fn rounded(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}

fn seconds(length: f64) -> String {
    duration(Duration::from_secs_f64(length))
}

fn several(number: f64, of: &str, none: &str) -> String {
    match number {
        0.0 if !none.is_empty() => none.to_owned(),
        1.0 => format!("1 {of}"),
        _ => format!("{number} {of}s"),
    }
}

#[cfg(test)]
mod tests {
    use storm::Settings;

    use super::*;

    #[test]
    fn every_slider_names_a_setting_and_has_the_values_of_the_stories() {
        let names =
            |sliders: &[Slider]| sliders.iter().map(|slider| slider.name).collect::<Vec<_>>();
        assert_eq!(names(&settings()), SETTINGS.map(|(name, ..)| name));
        assert_eq!(names(&own()), OWN.map(|(name, ..)| name));
        for slider in settings() {
            let parameter = Settings::parameter(slider.name).expect("a parameter");
            for story in STORIES {
                let value = parameter.value(&story.settings);
                let known = slider.stops.iter().any(|stop| stop.value == value);
                assert!(known, "{} of {}", slider.name, story.words.name);
            }
        }
    }

    #[test]
    fn a_setting_accepts_every_value_of_its_slider_including_the_bounds() {
        for slider in settings() {
            let mut settings = Settings::DEFAULT;
            for stop in &slider.stops {
                let set = settings.set(slider.name, &json!(stop.value));
                assert_eq!(set, Ok(()), "{}: {stop:?}", slider.name);
            }
        }
        let budget = own().into_iter().find(|slider| slider.name == "budget");
        let stops = budget.expect("a slider").stops;
        assert_eq!(stops.first().map(|stop| &*stop.label), Some("no budget"));
        assert_eq!(
            stops.last().map(|stop| stop.value),
            Some(Value::Whole(10_000))
        );
    }
}
