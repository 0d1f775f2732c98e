//! The request that starts a storm.

use serde::Deserialize;
use serde_json::{Map, Value};
use storm::{Parameters, Plan, Setup, StormError, StormPolicy, story};

use super::catalogue::OWN_NAME;
use crate::web::{json_body, problem::Problem};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Body {
    story: String,
    seed: Option<u64>,
    /// Changed settings of the storm.
    #[serde(default)]
    settings: Map<String, Value>,
    /// Settings of the user's own policy, which is simulated in addition to all others.
    own: Option<Map<String, Value>>,
    /// The policies that the reader expects to be right.
    #[serde(default)]
    guess: Vec<String>,
}

/// Reads the storm to simulate, and the reader's guess, from JSON. A missing seed is replaced by a random one.
pub(super) fn read(body: &[u8]) -> Result<(Plan, Vec<String>), Problem> {
    let body: Body = json_body::read(body, "invalid_storm")?;
    let story = story(&body.story)
        .map_err(|error| Problem::unprocessable("unknown_story", error.to_string()))?;
    let mut plan = Plan {
        seed: body.seed.unwrap_or_else(scenario::Settings::random_seed),
        ..Plan::of(story)
    };
    turn(&mut plan.settings, "settings", &body.settings)?;
    if let Some(own) = &body.own {
        let mut setup = Setup::DEFAULT;
        turn(&mut setup, "own", own)?;
        plan.policies.push(StormPolicy::new(OWN_NAME, setup));
    }
    plan.check().map_err(|error| match error {
        StormError::Settings(error) => invalid("settings", &error),
        _ => invalid("own", &error),
    })?;
    Ok((plan, body.guess))
}

fn turn<T: Parameters>(
    of: &mut T,
    field: &str,
    parameters: &Map<String, Value>,
) -> Result<(), Problem> {
    let mut parameters = parameters.iter();
    let applied = parameters.try_for_each(|(name, value)| of.set(name, value));
    applied.map_err(|error| invalid(field, &error))
}

fn invalid(field: &str, error: &impl ToString) -> Problem {
    Problem::unprocessable("invalid_storm", format!("{field}: {}", error.to_string()))
}
