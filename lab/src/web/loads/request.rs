//! The request that starts a load.

use serde::Deserialize;

use super::super::{
    json_body::{self, integer},
    problem::Problem,
};
use crate::{load::DEFAULT_RATE, load::DEFAULT_SECONDS, load::Plan, load::RATES, load::SECONDS};
use evidence::load::Load;
use runner::Settings;

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Body {
    #[serde(deserialize_with = "integer::<_, _, { *SECONDS.start() }, { *SECONDS.end() }>")]
    seconds: Option<u64>,
    #[serde(deserialize_with = "integer::<_, _, { *RATES.start() }, { *RATES.end() }>")]
    rate: Option<u64>,
    seed: Option<u64>,
    filter: String,
}

/// Reads a load from JSON, with its plan. A missing seed is replaced by a random one.
pub(super) fn read(body: &[u8]) -> Result<Plan, Problem> {
    let body: Body = json_body::read(body, "invalid_load")?;
    let load = Load {
        seconds: body.seconds.unwrap_or(DEFAULT_SECONDS),
        rate: body.rate.unwrap_or(DEFAULT_RATE),
        seed: body.seed.unwrap_or_else(Settings::random_seed),
        filter: body.filter,
    };
    Plan::of(&load).map_err(|error| Problem::unprocessable("unknown_scenario", error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_fields_have_defaults() {
        let plan = read(b"{}").expect("legal");

        assert_eq!(plan.length(), DEFAULT_SECONDS * DEFAULT_RATE);
    }

    #[test]
    fn given_fields_are_used() {
        let body = br#"{"seconds":2,"rate":3,"seed":18446744073709551615,"filter":"flaky"}"#;

        let plan = read(body).expect("legal");

        let names: Vec<_> = plan.map(|run| run.scenario.words.name).collect();
        assert_eq!(names.len(), 6);
        assert!(names.iter().all(|name| name.contains("flaky")), "{names:?}");
    }

    #[test]
    fn an_invalid_field_is_refused_with_its_name_and_rule() {
        for (body, detail) in [
            (
                r#"{"rate":51}"#,
                "rate: must be an integer from 1 to 50, got 51",
            ),
            (
                r#"{"seconds":0}"#,
                "seconds: must be an integer from 1 to 7200, got 0",
            ),
            (r#"{"seconds":7201}"#, "got 7201"),
            (
                r#"{"seed":-1}"#,
                "seed: invalid value: integer `-1`, expected u64",
            ),
            (
                r#"{"filter":7}"#,
                "filter: invalid type: integer `7`, expected a string",
            ),
            (
                r#"{"filter":"xyzzy"}"#,
                "no scenario's name contains 'xyzzy'",
            ),
            (
                r#"{"pace":"virtual"}"#,
                "unknown field `pace`, expected one of `seconds`, `rate`",
            ),
        ] {
            let problem = read(body.as_bytes()).expect_err(body);

            assert!(problem.detail.contains(detail), "{body}: {problem:?}");
        }
    }
}
