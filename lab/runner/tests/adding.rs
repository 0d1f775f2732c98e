//! Adding a scenario, a rule and a client, as `lab/docs/contributing.md` describes it: each
//! is a value of its own and needs no other change.

use std::ops::ControlFlow;

use axum::{Json, Router, response::IntoResponse, routing};
use client::{
    ConfigError, Endpoint, IdempotencyKey, JsonObject, MemoryCheckpoints, install_tls_provider,
    teaching::endpoint,
};
use evidence::{
    Client, Ending, Expectation, Fact, Outcome, Policy, Question, Run, ScenarioWords, Setting,
    counters::ATTEMPTS,
};
use host::{ExpectedRoute, Fault, Served};
use http::{Method, StatusCode};
use judge::rules::{Case, Judge, Judgement, Level, RequestRef, Rule, Verdict};
use metrics::{counter, with_local_recorder};
use runner::{
    CLIENTS, ClientUnderTest, Connection, RELIABLE, ScenarioClient, Settings, Task, run,
    scenario::{PLAIN, Scenario},
};
use serde_json::json;

const TEAPOT: Endpoint = Endpoint::new("teapot", "/teapot");

/// A scenario with a route, a fault and an expectation of its own.
const SCENARIO: Scenario = Scenario {
    words: ScenarioWords {
        name: "teapot",
        title: "the service is a teapot",
        request: "GET /teapot",
        question: Question::number("How many requests does a 418 take?", "requests", |run| {
            Some(run.wire.total)
        }),
        hint: "What would have to change before the next one?",
        ..PLAIN.words
    },
    routes: |_| Served {
        router: Router::new().route(TEAPOT.template(), routing::get(refuse)),
        expected: vec![ExpectedRoute {
            path: TEAPOT.template(),
            method: Method::GET,
            statuses: vec![StatusCode::IM_A_TEAPOT],
            faults: vec!["teapot"],
            has_retry_after: false,
        }],
    },
    task: Task::Get(TEAPOT),
    expect: |_| {
        vec![
            Expectation::ending(Ending::HttpError, "the refusal reached the caller"),
            Expectation::fact("status", 418_u64, "its status is 418"),
            Expectation::requests(1),
        ]
    },
    ..PLAIN
};

/// A listing that is a bare array, as many services have it.
const ARRAY: Endpoint = Endpoint::new("array", "/array");

const BARE_ARRAY: Scenario = Scenario {
    words: ScenarioWords {
        name: "array",
        ..PLAIN.words
    },
    routes: |_| Served {
        router: Router::new().route(ARRAY.template(), routing::get(async || Json(json!([{}])))),
        expected: Vec::new(),
    },
    task: Task::List(ARRAY),
    ..PLAIN
};

async fn refuse() -> impl IntoResponse {
    let refusal = (StatusCode::IM_A_TEAPOT, Json(json!({})));
    (axum::Extension(Fault("teapot")), refusal)
}

/// A client that makes one attempt and treats every response as data.
#[derive(Debug)]
struct Trusting;

impl ClientUnderTest for Trusting {
    fn identity(&self) -> Client {
        Client {
            name: "trusting",
            headlines: &[ATTEMPTS],
            without: None,
        }
    }

    fn about(&self) -> &'static str {
        "One attempt, and no look at the status"
    }

    fn terms(&self, _: &Policy, _: Task) -> Vec<String> {
        vec!["1 attempt, no look at the status".to_owned()]
    }

    fn ignores(&self, _: Setting) -> Option<&'static str> {
        Some("it has no settings")
    }

    fn connect(&self, connection: Connection) -> Result<Box<dyn ScenarioClient>, ConfigError> {
        install_tls_provider();
        // Every run must end, with any client.
        let silence = connection.policy.read_timeout;
        let session = reqwest::Client::builder().no_proxy().tls_certs_only([]);
        let session = session.read_timeout(silence);
        let session = session.build().map_err(ConfigError::Session)?;
        let http = connection.stack(session);
        Ok(Box::new(TrustingClient { http, connection }))
    }
}

struct TrustingClient {
    http: reqwest_middleware::ClientWithMiddleware,
    connection: Connection,
}

impl TrustingClient {
    async fn request(&self, method: Method, endpoint: Endpoint) -> Result<(), Outcome> {
        with_local_recorder(&*self.connection.recorder, || {
            counter!(ATTEMPTS).increment(1);
        });
        let url = format!("{}{}", self.connection.base_url, endpoint.template());
        let sent = self.http.request(method, url).send().await;
        sent.map(drop)
            .map_err(|error| Outcome::ended(Ending::TransportError, error.to_string()))
    }
}

#[async_trait::async_trait]
impl ScenarioClient for TrustingClient {
    async fn flaky(&self) -> Result<u64, Outcome> {
        self.get(endpoint::FLAKY).await.map(|()| 0)
    }

    async fn get(&self, endpoint: Endpoint) -> Result<(), Outcome> {
        self.request(Method::GET, endpoint).await
    }

    async fn post(
        &self,
        endpoint: Endpoint,
        _: Option<&IdempotencyKey>,
        _: &JsonObject,
    ) -> Result<(), Outcome> {
        self.request(Method::POST, endpoint).await
    }

    async fn create_job(
        &self,
        _: Option<&IdempotencyKey>,
        _: &JsonObject,
    ) -> Result<String, Outcome> {
        let created = self.request(Method::POST, endpoint::CREATE_JOB).await;
        created.map(|()| String::new())
    }

    async fn crawl(
        &self,
        endpoint: Endpoint,
        _: &MemoryCheckpoints,
        _: &mut (dyn FnMut(Vec<String>) -> ControlFlow<()> + Send),
    ) -> Result<(), Outcome> {
        self.get(endpoint).await
    }
}

/// A rule that a teapot is asked once.
const RULE: Rule = Rule {
    id: "one-teapot",
    level: Level::Contract,
    source: "RFC 2324 §2.3.2",
    text: "a 418 was not asked for again",
    why: "A teapot stays a teapot.",
    hint: "Look at the status before the next attempt.",
    judge: Judge::Case(|case| {
        let teapots = case.wire.entries.iter().filter(|it| it.status == Some(418));
        let again = teapots.skip(1).map(|request| RequestRef {
            case: 0,
            seq: request.seq,
        });
        let requests: Vec<_> = again.collect();
        Judgement {
            verdict: match requests.is_empty() {
                true => Verdict::Kept,
                false => Verdict::Broken,
            },
            requests,
            found: None,
        }
    }),
};

async fn run_scenario(scenario: &Scenario, client: &'static dyn ClientUnderTest) -> Run {
    let settings = Settings::in_virtual_time(client, 7);
    run(scenario, &settings).await.expect("a run")
}

/// The runs of the reference client and of the naive one.
async fn by_both(scenario: &Scenario) -> (Run, Run) {
    let [reliable, naive] = [CLIENTS[0], CLIENTS[1]].map(|client| run_scenario(scenario, client));
    (reliable.await, naive.await)
}

#[tokio::test]
async fn a_scenario_of_ones_own_is_run_and_judged() {
    let (reliable, naive) = by_both(&SCENARIO).await;

    assert!(reliable.passed(), "{:#?}", reliable.verdict);
    assert_eq!(
        reliable
            .counters
            .labelled("service_faults_total", "fault", "teapot"),
        1
    );
    assert!(!naive.passed(), "{:#?}", naive.verdict);
    assert_eq!(naive.wire.total, 10);
}

#[tokio::test]
async fn a_client_of_ones_own_is_run_and_judged_by_the_same_rules() {
    let run = run_scenario(&SCENARIO, &Trusting).await;

    assert_eq!(run.client.name, "trusting");
    assert_eq!(
        run.terms,
        ["GET /teapot", "1 attempt, no look at the status"]
    );
    assert_eq!(run.counters.total(ATTEMPTS), 1);
    assert_eq!(run.wire.total, 1);
    assert_eq!(run.outcome.ending, Ending::Ok);
    let broken: Vec<_> = run.verdict.iter().filter(|check| !check.held).collect();
    assert_eq!(broken.len(), 2, "its ending and its status: {broken:#?}");
}

#[tokio::test]
async fn a_rule_of_ones_own_judges_what_the_wire_saw() {
    let (reliable, naive) = by_both(&SCENARIO).await;

    let judge = |run: &Run| RULE.judge(&[Case::of(&run.wire)]);
    assert_eq!(judge(&reliable).verdict, Verdict::Kept);
    let judged = judge(&naive);
    assert_eq!(judged.verdict, Verdict::Broken);
    let again: Vec<_> = judged.requests.iter().map(|request| request.seq).collect();
    assert_eq!(again, (2..=10).collect::<Vec<_>>());
}

/// Every task uses the same code, for any client.
#[tokio::test]
async fn a_client_of_ones_own_comes_to_an_end_in_every_scenario() {
    for scenario in runner::scenario::CATALOGUE {
        let run = run_scenario(scenario, &Trusting).await;

        assert_ne!(run.client, RELIABLE);
        assert_eq!(run.outcome.fact("gave_up"), None::<&Fact>, "{run:?}");
    }
}

/// JSON of another shape than expected is data to one client, and a finding to the other.
#[tokio::test]
async fn every_client_comes_to_an_end_with_json_of_another_shape() {
    let (reliable, naive) = by_both(&BARE_ARRAY).await;

    assert_eq!(reliable.outcome.ending, Ending::ResponseError);
    assert_eq!(naive.outcome.ending, Ending::Ok);
    assert_eq!(naive.outcome.fact("items"), Some(&Fact::from(0_u64)));
}
