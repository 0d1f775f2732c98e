//! The request that starts a run.

use scenario::{
    CLIENTS, Client, ClientUnderTest, Exposition, Naive, Overrides, Pace, RELIABLE, Reliable,
    Session, Settings, WITHOUT, Without,
    catalogue::{self, Scenario},
    number::in_json,
};
use serde::{Deserialize, Deserializer, Serialize, de::Error};

use crate::web::{json_body, problem::Problem};

/// The name of the choice of two clients, side by side.
pub(crate) const COMPARE: &str = "compare";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Body {
    scenario: String,
    #[serde(default)]
    client: ClientChoice,
    #[serde(default, deserialize_with = "defence")]
    without: Option<&'static Without>,
    #[serde(default)]
    pace: Pace,
    #[serde(default, deserialize_with = "in_json::<_, _, 0, { u64::MAX }>")]
    seed: Option<u64>,
    kept: Option<bool>,
    #[serde(default)]
    settings: Overrides,
}

/// The clients of a run: one, by its name, or the two that are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(super) struct ClientChoice(&'static str);

impl<'de> Deserialize<'de> for ClientChoice {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        named(&String::deserialize(json)?, Self::all(), |choice| choice.0)
    }
}

/// Takes a defence of the reference client by its name.
fn defence<'de, D: Deserializer<'de>>(json: D) -> Result<Option<&'static Without>, D::Error> {
    let given = Option::<String>::deserialize(json)?;
    let named = given.map(|id| named(&id, WITHOUT.iter().copied(), |known| known.defence.id));
    named.transpose()
}

/// Takes one of these values by its name.
fn named<T, E: Error>(
    given: &str,
    values: impl Iterator<Item = T> + Clone,
    name: impl Fn(&T) -> &'static str,
) -> Result<T, E> {
    let known = values.clone().find(|value| name(value) == given);
    known.ok_or_else(|| {
        let names: Vec<_> = values.map(|value| name(&value)).collect();
        let names = names.join(", ");
        E::custom(format!("must be one of {names}, got {given}"))
    })
}

impl Default for ClientChoice {
    fn default() -> Self {
        Self(RELIABLE.name)
    }
}

impl ClientChoice {
    /// The reference client and the naive one, each with its own service.
    pub(super) const COMPARE: Self = Self(COMPARE);

    /// The accepted values.
    pub(super) fn all() -> impl Iterator<Item = Self> + Clone {
        let clients = CLIENTS.iter().map(|client| Self(client.identity().name));
        clients.chain([Self::COMPARE])
    }

    /// Its name.
    pub(super) fn name(self) -> &'static str {
        self.0
    }

    /// The clients of the run, in the order of the sides; none if a defence is to be
    /// removed from a client that has none.
    pub(super) fn clients(
        self,
        without: Option<&'static Without>,
    ) -> Vec<&'static dyn ClientUnderTest> {
        match (self, without) {
            (Self::COMPARE, Some(without)) => return vec![&Reliable, without],
            (Self::COMPARE, None) => return vec![&Reliable, &Naive],
            (choice, Some(without)) if choice == Self::default() => return vec![without],
            (_, Some(_)) => return Vec::new(),
            (_, None) => {}
        }
        let chosen = CLIENTS
            .iter()
            .filter(|client| client.identity().name == self.0);
        chosen.copied().collect()
    }
}

/// A valid run.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunRequest {
    pub(super) scenario: &'static Scenario,
    pub(super) choice: ClientChoice,
    pub(super) without: Option<&'static Without>,
    pub(super) seed: u64,
    pub(super) pace: Pace,
    /// Whether it is listed and published, and stays after its end.
    pub(super) kept: bool,
    pub(super) overrides: Overrides,
}

impl RunRequest {
    /// Reads a request from JSON. A missing seed is replaced by a random one.
    pub(super) fn read(body: &[u8]) -> Result<Self, Problem> {
        let body: Body = json_body::read(body, "invalid_run")?;
        let scenario = catalogue::find(&body.scenario);
        let scenario = scenario
            .map_err(|error| Problem::unprocessable("unknown_scenario", error.to_string()))?;
        let invalid = |detail| Problem::unprocessable("invalid_run", detail);
        let clients = body.client.clients(body.without);
        if clients.is_empty() {
            let detail = "without: needs the reliable client or a comparison";
            return Err(invalid(detail.to_owned()));
        }
        let kept = body.kept.unwrap_or(true);
        if !kept && clients.len() > 1 {
            return Err(invalid("kept: a comparison is always kept".to_owned()));
        }
        Ok(Self {
            scenario,
            choice: body.client,
            without: body.without,
            pace: body.pace,
            kept,
            seed: body.seed.unwrap_or_else(Settings::random_seed),
            overrides: body.settings,
        })
    }

    /// The clients of the run, in the order of the sides.
    pub(super) fn clients(&self) -> Vec<&'static dyn ClientUnderTest> {
        self.choice.clients(self.without)
    }

    /// Its clients, each with how it works and its limits, before it is started.
    pub(super) fn premises(&self) -> Vec<(Client, Vec<String>)> {
        let sides = self.clients().into_iter().map(|client| {
            let settings = self.settings(client);
            let terms = Session::new(self.scenario, &settings, &Exposition::new()).terms();
            (client.identity(), terms)
        });
        sides.collect()
    }

    /// The settings of one side.
    pub(super) fn settings(&self, client: &'static dyn ClientUnderTest) -> Settings {
        Settings {
            seed: self.seed,
            client,
            pace: self.pace,
            overrides: self.overrides,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use serde_json::json;

    use super::*;
    use crate::scenario::cli::Arguments;

    #[derive(Parser)]
    struct Words {
        #[command(flatten)]
        arguments: Arguments,
    }

    /// `lab scenario --live` asks for the run that the command would make by itself.
    #[test]
    fn a_live_run_has_the_settings_of_the_command_line() {
        let scenario = catalogue::find("flaky").expect("known");
        let names = |clients: Vec<&'static dyn ClientUnderTest>| -> Vec<_> {
            let clients = clients.iter();
            clients.map(|client| client.identity().name).collect()
        };
        for options in [
            "",
            "--compare",
            "--max-attempts 2",
            "--client naive",
            "--without backoff-jitter",
            "--compare --without deadline",
        ] {
            let line = format!("lab flaky --seed 7 --pace virtual {options}");
            let words = Words::try_parse_from(line.split_whitespace());
            let arguments = words.expect("valid").arguments;

            let asked = arguments.run_request(scenario, Pace::Real);
            let there = RunRequest::read(asked.to_string().as_bytes()).expect("legal");

            let here = arguments.settings(Pace::Real);
            let clients = if options.contains("--compare") {
                arguments.compared().to_vec()
            } else {
                vec![here.client]
            };
            assert_eq!(names(there.clients()), names(clients), "{options}");
            let settings = (there.seed, there.pace, there.overrides);
            assert_eq!(
                settings,
                (here.seed, here.pace, here.overrides),
                "{options}"
            );
        }
    }

    #[test]
    fn missing_fields_keep_the_settings_of_the_scenario() {
        let request = RunRequest::read(br#"{"scenario":"flaky"}"#).expect("legal");

        assert_eq!(request.scenario.words.name, "flaky");
        assert_eq!(
            (request.choice, request.pace),
            (ClientChoice::default(), Pace::Real)
        );
        assert!(request.kept);
        assert_eq!(request.overrides, Overrides::default());
    }

    #[test]
    fn given_fields_are_used() {
        let body = json!({
            "scenario": "items", "client": "compare", "pace": "virtual", "seed": u64::MAX,
            "settings": {
                "max_attempts": 2, "backoff_ms": 100, "max_retry_after_seconds": 0,
                "max_pages": 3, "max_items": 4,
            },
        });

        let request = RunRequest::read(body.to_string().as_bytes()).expect("legal");

        assert_eq!(
            (request.choice, request.pace),
            (ClientChoice::COMPARE, Pace::Virtual)
        );
        assert_eq!(request.seed, u64::MAX);
        assert_eq!(
            request.overrides,
            Overrides {
                max_attempts: Some(2),
                backoff_ms: Some(100),
                max_retry_after_seconds: Some(0),
                max_pages: Some(3),
                max_items: Some(4),
            }
        );
    }

    /// Fields beside the scenario, or bodies, each with the words of its problem.
    const REFUSED: &str = r#"
{} | missing field `scenario`
{"scenario":7} | scenario: invalid type: integer `7`, expected a string
{"scenario":"flakey"} | did you mean 'flaky'?
{"client":"curl"} | client: must be one of reliable, naive, compare, got curl
{"without":"luck"} | without: must be one of
{"pace":"slow"} | pace: unknown variant `slow`, expected `real` or `virtual`
{"pace":1} | pace: invalid type: integer `1`
{"seed":-1} | seed: must be an integer from 0 to 18446744073709551615, got -1
{"seed":1.0} | seed: must be an integer from 0 to 18446744073709551615, got 1.0
{"settings":{"max_attempts":0}} | settings.max_attempts: must be an integer from 1 to 10000, got 0
{"settings":{"max_pages":4294967297}} | settings.max_pages: must be an integer from 1 to 10000, got 4294967297
{"settings":{"max_items":10001}} | settings.max_items: must be an integer from 1 to 10000, got 10001
{"settings":{"max_retry_after_seconds":86401}} | settings.max_retry_after_seconds: must be an integer from 0 to 86400
{"settings":{"backoff_ms":99}} | settings.backoff_ms: must be an integer from 100 to 5000
{"settings":{"deadline":1}} | unknown field `deadline`
{"max_attempts":1} | unknown field `max_attempts`
{"kept":0} | kept: invalid type: integer `0`, expected a boolean
{"client":"compare","kept":false} | kept: a comparison is always kept
"#;

    #[test]
    fn an_invalid_field_is_refused_with_its_name_and_rule() {
        for case in REFUSED.trim().lines() {
            let (body, detail) = case.split_once(" | ").expect("a refusal");
            let body = match body.strip_prefix("{\"") {
                Some(rest) if !rest.starts_with("scenario") => {
                    format!("{{\"scenario\":\"flaky\",\"{rest}")
                }
                _ => body.to_owned(),
            };

            let problem = RunRequest::read(body.as_bytes()).expect_err(&body);

            assert!(problem.detail.contains(detail), "{body}: {problem:?}");
        }
    }
}
