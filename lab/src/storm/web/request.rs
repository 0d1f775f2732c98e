//! The request that starts a storm.

use serde::Deserialize;
use storm::{Plan, PolicyOptions, SettingsOptions, story};

use crate::web::{json_body, problem::Problem};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Body {
    story: String,
    seed: Option<u64>,
    /// Changed settings of the storm.
    #[serde(default)]
    settings: SettingsOptions,
    /// Settings of the user's own policy, which is simulated in addition to all others.
    own: Option<PolicyOptions>,
    /// The policies that the reader expects to be right.
    #[serde(default)]
    guess: Vec<String>,
}

/// Reads the storm to simulate, and the reader's guess, from JSON. Without a seed it has that of
/// the command line, whose figures the documents show.
pub(super) fn read(body: &[u8]) -> Result<(Plan, Vec<String>), Problem> {
    let body: Body = json_body::read(body, "invalid_storm")?;
    let story = story(&body.story)
        .map_err(|error| Problem::unprocessable("unknown_story", error.to_string()))?;
    let mut plan = Plan::of(story);
    plan.seed = body.seed.unwrap_or(plan.seed);
    let applied = body.settings.apply(&mut plan.settings);
    applied.map_err(|error| invalid(&error))?;
    if let Some(own) = &body.own {
        let policy = own.policy().map_err(|error| invalid(&error))?;
        plan.policies.push(policy);
    }
    plan.check().map_err(|error| invalid(&error))?;
    Ok((plan, body.guess))
}

fn invalid(error: &impl ToString) -> Problem {
    Problem::unprocessable("invalid_storm", error.to_string())
}
