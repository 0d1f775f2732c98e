//! The storms on offer, and the sliders that vary them.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};
use storm::{STORIES, Settings, Setup};
use wire::duration;

/// A setting as a slider with fixed values.
#[derive(Serialize)]
struct Slider {
    /// The name of the setting.
    name: &'static str,
    title: &'static str,
    what: &'static str,
    /// The default position, if the story does not set one; an index.
    at: Option<usize>,
    stops: Vec<Stop>,
}

#[derive(Serialize)]
struct Stop {
    value: Value,
    label: String,
}

/// The catalogue of a page: the stories before they are simulated, and the sliders of all
/// policies of a storm and of the user's own.
pub(super) fn catalogue() -> Value {
    let stories = STORIES.iter().map(|story| {
        let policies = story.policies.iter();
        let policies = policies.map(|policy| json!({ "name": policy.name }));
        json!({
            "name": story.name,
            "title": story.title,
            "question": story.question,
            "rows": story.rows,
            "settings": story.settings,
            "policies": policies.collect::<Vec<_>>(),
            "has_guess": story.recovers.is_some(),
        })
    });
    json!({
        "stories": stories.collect::<Vec<_>>(),
        "settings": settings(),
        "own": own(),
    })
}

/// The sliders for all policies of a storm.
fn settings() -> [Slider; 3] {
    let load = [
        1, 2, 5, 10, 15, 20, 25, 30, 40, 45, 50, 60, 80, 100, 150, 200, 500, 1_000,
    ];
    let workers = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 30, 40, 50, 100, 1_000];
    let lengths = [
        0.0, 0.1, 0.3, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0, 20.0, 30.0,
    ];
    [
        Slider::new(
            ("calls_per_second", "Load"),
            "The calls that start per second, on average",
            load.map(|rate| Stop::new(f64::from(rate), format!("{rate} calls/s"))),
        ),
        Slider::new(
            ("workers", "Capacity"),
            "The requests that the service works on at once, for 0.1 s each",
            workers.map(|workers| Stop::new(workers, several(workers, "worker"))),
        ),
        Slider::new(
            ("incident_lasts_seconds", "Length of the incident"),
            "How long the incident lasts",
            lengths.map(|length| Stop::new(length, seconds(length))),
        ),
    ]
}

/// The sliders for the user's own policy.
fn own() -> [Slider; 4] {
    let attempts = [1, 2, 3, 4, 5, 6, 8, 10, 15, 20];
    let tokens = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 10_000];
    let deadlines = [
        0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0, 20.0, 30.0, 60.0,
    ];
    [
        Slider::new(
            ("attempts", "Attempts"),
            "The most attempts of one call",
            attempts.map(|attempts| Stop::new(attempts, several(attempts, "attempt"))),
        ),
        Slider::new(
            ("backoff", "Wait before a retry"),
            "At random up to a ceiling that doubles (jitter), the ceiling itself (exponential), \
             or none",
            ["jitter", "exponential", "none"].map(|word| Stop::new(word, word.to_owned())),
        ),
        Slider::new(
            ("budget", "Retry budget"),
            "The tokens of each client's retry budget",
            tokens.map(|tokens| {
                let label = several(tokens, "token");
                Stop::new(
                    tokens,
                    if tokens == 0 {
                        "no budget".into()
                    } else {
                        label
                    },
                )
            }),
        ),
        Slider::new(
            ("deadline_seconds", "Deadline"),
            "The most time that a call may take, including waits",
            deadlines.map(|length| {
                let label = seconds(length);
                Stop::new(
                    length,
                    if length == 0.0 {
                        "no deadline".into()
                    } else {
                        label
                    },
                )
            }),
        ),
    ]
}

impl Slider {
    /// The slider of a setting. It is first at the value of the default settings.
    fn new<const N: usize>(
        (name, title): (&'static str, &'static str),
        what: &'static str,
        stops: [Stop; N],
    ) -> Self {
        let [settings, setup] = [json!(Settings::DEFAULT), json!(Setup::DEFAULT)];
        let usual = settings.get(name).or(setup.get(name));
        Self {
            name,
            title,
            what,
            at: stops.iter().position(|stop| Some(&stop.value) == usual),
            stops: stops.into(),
        }
    }
}

impl Stop {
    fn new(value: impl Into<Value>, label: String) -> Self {
        Self {
            value: value.into(),
            label,
        }
    }
}

fn seconds(length: f64) -> String {
    duration(Duration::from_secs_f64(length))
}

fn several(number: u32, of: &str) -> String {
    match number {
        1 => format!("1 {of}"),
        _ => format!("{number} {of}s"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::from_value;
    use storm::{PolicyOptions, SettingsOptions};

    use super::*;

    #[test]
    fn every_slider_has_the_default_and_the_values_of_the_stories() {
        for slider in settings().iter().chain(&own()) {
            assert!(slider.at.is_some(), "{}", slider.name);
        }
        for slider in settings() {
            for story in STORIES {
                let value = &json!(story.settings)[slider.name];
                let is_known = slider.stops.iter().any(|stop| stop.value == *value);
                assert!(is_known, "{} of {}", slider.name, story.name);
            }
        }
    }

    #[test]
    fn every_value_of_a_slider_is_accepted() {
        for slider in settings() {
            for stop in slider.stops {
                let given = json!({ slider.name: stop.value });
                let options: SettingsOptions = from_value(given).expect("a setting");
                options
                    .apply(&mut Settings::DEFAULT.clone())
                    .expect("valid");
            }
        }
        for slider in own() {
            for stop in slider.stops {
                let given = json!({ slider.name: stop.value });
                let options: PolicyOptions = from_value(given).expect("a setting");
                options.policy().expect("valid");
            }
        }
    }
}
