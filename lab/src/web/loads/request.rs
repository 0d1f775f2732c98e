//! The request that starts a load.

use http::StatusCode;
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
    Plan::of(&load).map_err(|error| {
        let status = StatusCode::UNPROCESSABLE_ENTITY;
        Problem::new(status, "unknown_scenario", error.to_string())
    })
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

    /// Bodies, each with the status and the words of its problem.
    const REFUSED: &str = r#"
[] | 422 the body must be a JSON object
{"rate":0} | 422 rate: must be an integer from 1 to 50, got 0
{"rate":51} | 422 got 51
{"rate":-1} | 422 got -1
{"rate":0.5} | 422 got 0.5
{"rate":NaN} | 400 the body is not JSON
{"rate":"NaN"} | 422 got "NaN"
{"rate":1e400} | 400 the body is not JSON
{"rate":18446744073709551616} | 422 from 1 to 50
{"rate":null} | 422 got null
{"seconds":0} | 422 seconds: must be an integer from 1 to 7200, got 0
{"seconds":7201} | 422 got 7201
{"seconds":true} | 422 got true
{"seed":-1} | 422 seed: invalid value: integer `-1`, expected u64
{"filter":7} | 422 filter: invalid type: integer `7`, expected a string
{"filter":"xyzzy"} | 422 no scenario's name contains 'xyzzy'
{"pace":"virtual"} | 422 unknown field `pace`, expected one of `seconds`, `rate`, `seed`, `filter`
"#;

    #[test]
    fn an_invalid_field_is_refused_with_its_name_and_rule() {
        for case in REFUSED.trim().lines() {
            let (body, refusal) = case.split_once(" | ").expect("a refusal");
            let (status, detail) = refusal.split_once(' ').expect("words");
            let problem = read(body.as_bytes()).expect_err(body);

            assert_eq!(problem.status.as_str(), status, "{body}");
            assert!(problem.detail.contains(detail), "{body}: {problem:?}");
        }
    }
}
