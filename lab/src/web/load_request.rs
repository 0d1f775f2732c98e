//! What is asked for when a load is started.

use http::StatusCode;
use serde_json::Value;

use super::{fields::Fields, problem::Problem};
use crate::{load::DEFAULT_RATE, load::DEFAULT_SECONDS, load::Plan, load::RATES, load::SECONDS};
use evidence::load::Load;
use runner::Settings;

/// Reads a load from JSON, and what it comes to. A seed that is not given is
/// random.
pub(super) fn read(body: &[u8]) -> Result<Plan, Problem> {
    let mut fields = Fields::read(body, "invalid_load")?;
    let load = Load {
        seconds: fields
            .integer("seconds", SECONDS)?
            .unwrap_or(DEFAULT_SECONDS),
        rate: fields.integer("rate", RATES)?.unwrap_or(DEFAULT_RATE),
        seed: fields
            .integer("seed", 0..=u64::MAX)?
            .unwrap_or_else(Settings::random_seed),
        filter: match fields.take("filter") {
            None => String::new(),
            Some(Value::String(filter)) => filter,
            Some(other) => {
                return Err(fields.invalid(format!("filter must be a text, got {other}")));
            }
        },
    };
    fields.end("a load")?;
    Plan::of(&load).map_err(|error| {
        let status = StatusCode::UNPROCESSABLE_ENTITY;
        Problem::new(status, "unknown_scenario", error.to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_asked_for_has_a_default() {
        let plan = read(b"{}").expect("legal");

        assert_eq!(plan.length(), DEFAULT_SECONDS * DEFAULT_RATE);
    }

    #[test]
    fn takes_what_is_asked_for() {
        let body = br#"{"seconds":2,"rate":3,"seed":18446744073709551615,"filter":"flaky"}"#;

        let plan = read(body).expect("legal");

        let names: Vec<_> = plan.map(|run| run.scenario.words.name).collect();
        assert_eq!(names.len(), 6);
        assert!(names.iter().all(|name| name.contains("flaky")), "{names:?}");
    }

    #[test]
    fn says_which_field_broke_which_rule() {
        for (body, status, detail) in [
            ("", 400, "the body is not JSON"),
            ("[]", 422, "the body must be a JSON object"),
            (
                r#"{"rate":0}"#,
                422,
                "rate must be an integer from 1 to 50, got 0",
            ),
            (r#"{"rate":51}"#, 422, "got 51"),
            (r#"{"rate":-1}"#, 422, "got -1"),
            (r#"{"rate":0.5}"#, 422, "got 0.5"),
            (r#"{"rate":NaN}"#, 400, "the body is not JSON"),
            (r#"{"rate":"NaN"}"#, 422, "got \"NaN\""),
            (r#"{"rate":1e400}"#, 400, "the body is not JSON"),
            (r#"{"rate":18446744073709551616}"#, 422, "from 1 to 50"),
            (r#"{"rate":null}"#, 422, "got null"),
            (
                r#"{"seconds":0}"#,
                422,
                "seconds must be an integer from 1 to 7200, got 0",
            ),
            (r#"{"seconds":7201}"#, 422, "got 7201"),
            (r#"{"seconds":true}"#, 422, "got true"),
            (r#"{"seed":-1}"#, 422, "seed must be an integer from 0"),
            (r#"{"filter":7}"#, 422, "filter must be a text, got 7"),
            (
                r#"{"filter":"xyzzy"}"#,
                422,
                "no scenario's name contains 'xyzzy'",
            ),
            (
                r#"{"pace":"virtual"}"#,
                422,
                "pace is no field of a load; there are seconds, rate, seed, filter",
            ),
        ] {
            let problem = read(body.as_bytes()).expect_err(body);

            let (status_sent, said) = problem.told();
            assert_eq!(status_sent, status, "{body}");
            assert!(said.contains(detail), "{body}: {said}");
        }
    }
}
