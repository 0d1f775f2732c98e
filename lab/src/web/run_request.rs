//! What a page asks for when it starts a run.

use std::time::Duration;

use http::StatusCode;
use serde::Serialize;
use serde_json::Value;

use super::{fields::Fields, problem::Problem};
use evidence::{Overrides, Pace};
use runner::{
    CLIENTS, ClientUnderTest, Naive, RELIABLE, Reliable, Settings, scenario, scenario::Scenario,
};

/// The longest Retry-After that a run may wait for, in seconds: a day.
const MAX_RETRY_AFTER_SECONDS: u64 = 86_400;

/// Who plays: one client, by its name, or the two that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(super) struct Players(&'static str);

impl Default for Players {
    fn default() -> Self {
        Self(RELIABLE.name)
    }
}

impl Players {
    /// The reference client and the naive one, each on a service of its own.
    pub(super) const COMPARE: Self = Self("compare");

    /// What can be asked for.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        let clients = CLIENTS.iter().map(|client| Self(client.identity().name));
        clients.chain([Self::COMPARE])
    }

    /// The clients that play, in the order of the sides.
    pub(super) fn clients(self) -> Vec<&'static dyn ClientUnderTest> {
        if self == Self::COMPARE {
            return vec![&Reliable, &Naive];
        }
        let chosen = CLIENTS
            .iter()
            .filter(|client| client.identity().name == self.0);
        chosen.copied().collect()
    }
}

/// A run that can be played.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunRequest {
    pub(super) scenario: &'static Scenario,
    pub(super) players: Players,
    pub(super) seed: u64,
    pub(super) pace: Pace,
    pub(super) overrides: Overrides,
}

impl RunRequest {
    /// Reads a request from JSON. A seed that is not given is random.
    pub(super) fn read(body: &[u8]) -> Result<Self, Problem> {
        let mut fields = Fields::read(body, "invalid_run")?;
        let request = Self {
            scenario: scenario(&mut fields)?,
            players: fields.choice(
                "client",
                &Players::all()
                    .map(|players| (players.0, players))
                    .collect::<Vec<_>>(),
            )?,
            pace: fields.choice("pace", &[("real", Pace::Real), ("virtual", Pace::Virtual)])?,
            seed: fields
                .integer("seed", 0..=u64::MAX)?
                .unwrap_or_else(Settings::random_seed),
            overrides: Overrides {
                max_attempts: fields.positive("max_attempts")?,
                max_retry_after: fields
                    .integer("max_retry_after_seconds", 0..=MAX_RETRY_AFTER_SECONDS)?
                    .map(Duration::from_secs),
                max_pages: fields.positive("max_pages")?,
                max_items: fields.positive("max_items")?,
            },
        };
        fields.end("a run")?;
        Ok(request)
    }

    /// How one of its sides is to be played.
    pub(super) fn settings(&self, client: &'static dyn ClientUnderTest) -> Settings {
        Settings {
            seed: self.seed,
            client,
            pace: self.pace,
            overrides: self.overrides,
        }
    }
}

fn scenario(fields: &mut Fields) -> Result<&'static Scenario, Problem> {
    let Some(Value::String(name)) = fields.take("scenario") else {
        return Err(fields.invalid("scenario must be the name of one"));
    };
    scenario::find(&name).map_err(|error| {
        let status = StatusCode::UNPROCESSABLE_ENTITY;
        Problem::new(status, "unknown_scenario", error.to_string())
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_not_asked_for_is_as_the_scenario_has_it() {
        let request = RunRequest::read(br#"{"scenario":"flaky"}"#).expect("legal");

        assert_eq!(request.scenario.words.name, "flaky");
        assert_eq!(
            (request.players, request.pace),
            (Players::default(), Pace::Real)
        );
        assert_eq!(request.overrides, Overrides::default());
    }

    #[test]
    fn takes_what_is_asked_for() {
        let body = json!({
            "scenario": "items", "client": "compare", "pace": "virtual", "seed": u64::MAX,
            "max_attempts": 2, "max_retry_after_seconds": 0, "max_pages": 3, "max_items": 4,
        });

        let request = RunRequest::read(body.to_string().as_bytes()).expect("legal");

        assert_eq!(
            (request.players, request.pace),
            (Players::COMPARE, Pace::Virtual)
        );
        assert_eq!(request.seed, u64::MAX);
        assert_eq!(
            request.overrides,
            Overrides {
                max_attempts: Some(2),
                max_retry_after: Some(Duration::ZERO),
                max_pages: Some(3),
                max_items: Some(4),
            }
        );
    }

    #[test]
    fn says_which_field_broke_which_rule() {
        for (body, status, detail) in [
            ("{", 400, "the body is not JSON: EOF"),
            ("[]", 422, "the body must be a JSON object"),
            ("{}", 422, "scenario must be the name of one"),
            (r#"{"scenario":7}"#, 422, "scenario must be the name of one"),
            (r#"{"scenario":"flakey"}"#, 422, "did you mean 'flaky'?"),
            (
                r#"{"client":"curl"}"#,
                422,
                "client must be one of reliable, naive, compare, got \"curl\"",
            ),
            (
                r#"{"pace":1}"#,
                422,
                "pace must be one of real, virtual, got 1",
            ),
            (
                r#"{"seed":-1}"#,
                422,
                "seed must be an integer from 0 to 18446744073709551615, got -1",
            ),
            (r#"{"seed":1.0}"#, 422, "got 1.0"),
            (r#"{"seed":true}"#, 422, "got true"),
            (r#"{"seed":null}"#, 422, "got null"),
            (
                r#"{"max_attempts":0}"#,
                422,
                "max_attempts must be a positive integer, got zero",
            ),
            (
                r#"{"max_attempts":-1}"#,
                422,
                "max_attempts must be a positive integer, got the negative number -1",
            ),
            (
                r#"{"max_pages":2.0}"#,
                422,
                "max_pages must be a positive integer, got the float 2.0",
            ),
            (
                r#"{"max_items":true}"#,
                422,
                "max_items must be a positive integer, got the boolean true",
            ),
            (
                r#"{"max_items":"3"}"#,
                422,
                "max_items must be a positive integer",
            ),
            (
                r#"{"max_attempts":10001}"#,
                422,
                "max_attempts must be at most 10000, got 10001",
            ),
            (
                r#"{"max_pages":4294967295}"#,
                422,
                "max_pages must be at most 10000, got 4294967295",
            ),
            (
                r#"{"max_items":10001}"#,
                422,
                "max_items must be at most 10000, got 10001",
            ),
            (
                r#"{"max_retry_after_seconds":86401}"#,
                422,
                "max_retry_after_seconds must be an integer from 0 to 86400, got 86401",
            ),
            (r#"{"max_retry_after_seconds":0.5}"#, 422, "got 0.5"),
            (r#"{"deadline":1}"#, 422, "deadline is no field of a run"),
        ] {
            let body = match body.strip_prefix("{\"") {
                Some(rest) if !rest.starts_with("scenario") => {
                    format!("{{\"scenario\":\"flaky\",\"{rest}")
                }
                _ => body.to_owned(),
            };

            let problem = RunRequest::read(body.as_bytes()).expect_err(&body);

            let (status_sent, said) = problem.told();
            assert_eq!(status_sent, status, "{body}");
            assert!(said.contains(detail), "{body}: {said}");
        }
    }
}
