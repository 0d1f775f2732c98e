//! The OpenAPI 3.1 document, made from what the lessons declare.
//!
//! Faults are documented as what they are: a response marked `x-broken-on-purpose`
//! names the schema that it breaks.

use std::collections::BTreeMap;

use axum::routing::MethodRouter;
use http::{Method, StatusCode};
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::idempotency::MAX_KEY_LENGTH;
use crate::lesson::{Content, DeclaredResponse, Lesson, Takes};
use crate::lessons::LESSONS;
use crate::page::{DEFAULT_LIMIT, MAX_LIMIT, Page};
use crate::routes::flaky::FlakyResult;
use crate::routes::jobs::Job;
use host::problem::{PROBLEM_JSON, Problem, ProblemBody};
use host::{METRICS_MEDIA_TYPE, METRICS_PATH};

const DESCRIPTION: &str = "A local HTTP API with faults on purpose. Any other path has the \
    response NotFound, and any other method of a path with MethodNotAllowed. HEAD responds as \
    GET would, without the body. Whatever the path, a request without exactly one valid Host is \
    refused with InvalidHost, one for a host that is not loopback with HostNotAllowed, and one \
    that a browser sends for another web site with CrossSite.";

/// Set on a response that breaks its schema on purpose.
const BROKEN: &str = "x-broken-on-purpose";

const METRICS: Lesson = Lesson {
    path: METRICS_PATH,
    method: Method::GET,
    summary: "What the service counted",
    takes: Takes::Nothing,
    responses: &[DeclaredResponse::new(
        StatusCode::OK,
        "Prometheus text",
        Content::Text(METRICS_MEDIA_TYPE),
    )],
    fault: None,
    // The host does.
    serve: MethodRouter::new,
};

/// The document, its members in the order in which the specification has them.
#[derive(Serialize)]
struct Document {
    openapi: &'static str,
    info: Value,
    paths: BTreeMap<&'static str, Value>,
    components: Value,
}

/// The OpenAPI 3.1 description of the service, as JSON.
#[must_use]
pub fn openapi() -> String {
    let paths = LESSONS.iter().chain([&METRICS]).map(|lesson| {
        let item = if lesson.method == Method::POST {
            json!({ "post": operation(lesson, &Method::POST) })
        } else {
            json!({
                "get": operation(lesson, &Method::GET),
                "head": operation(lesson, &Method::HEAD),
            })
        };
        (lesson.path, item)
    });
    let allow = "the methods of the path";
    let not_allowed =
        DeclaredResponse::problem(Problem::METHOD_NOT_ALLOWED).with_header("Allow", allow);
    let document = Document {
        openapi: "3.1.0",
        info: json!({
            "title": "Teaching API",
            "version": env!("CARGO_PKG_VERSION"),
            "description": DESCRIPTION,
        }),
        paths: paths.collect(),
        components: json!({
            "schemas": schemas(),
            "responses": {
                "NotFound": refusal(Problem::NOT_FOUND),
                "MethodNotAllowed": response(&[not_allowed], true),
                "InvalidHost": refusal(Problem::INVALID_HOST),
                "HostNotAllowed": refusal(Problem::HOST_NOT_ALLOWED),
                "CrossSite": refusal(Problem::CROSS_SITE),
            },
        }),
    };
    #[expect(clippy::expect_used, reason = "it is made here, of constants")]
    serde_json::to_string_pretty(&document).expect("a document of strings and numbers is JSON")
}

/// What responses consist of. A member that may be null is there all the same.
fn schemas() -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schemas = settings
        .with(|settings| settings.definitions_path = "/components/schemas".into())
        .into_generator();
    schemas.subschema_for::<Page>();
    schemas.subschema_for::<FlakyResult>();
    schemas.subschema_for::<Job>();
    schemas.subschema_for::<ProblemBody<'_>>();
    schemas.take_definitions(true)
}

#[expect(
    clippy::indexing_slicing,
    reason = "members are set of what `json!` made an object"
)]
fn operation(lesson: &Lesson, method: &Method) -> Value {
    let name = lesson.path.trim_start_matches('/').replace('-', "_");
    let internal_error = DeclaredResponse::problem(Problem::INTERNAL_ERROR);
    let mut declared: BTreeMap<StatusCode, Vec<DeclaredResponse>> = BTreeMap::new();
    for response in lesson.responses().chain([&internal_error]) {
        declared.entry(response.status).or_default().push(*response);
    }
    let has_body = method != Method::HEAD;
    let responses: BTreeMap<_, _> = declared
        .iter()
        .map(|(status, declared)| (status.as_str(), response(declared, has_body)))
        .collect();

    let mut operation = json!({
        "operationId": format!("{}_{name}", method.as_str().to_lowercase()),
        "summary": lesson.summary,
        "responses": responses,
    });
    match lesson.takes {
        Takes::Nothing => {}
        Takes::PageQuery => operation["parameters"] = json!([cursor(), limit()]),
        Takes::Job => {
            operation["parameters"] = json!([idempotency_key()]);
            operation["requestBody"] = job();
        }
    }
    operation
}

fn refusal(problem: Problem) -> Value {
    response(&[DeclaredResponse::problem(problem)], true)
}

/// The one response for those that share a status.
#[expect(
    clippy::indexing_slicing,
    reason = "a status that nobody declared is not asked for, and members are set of what \
              `json!` made an object"
)]
fn response(declared: &[DeclaredResponse], has_body: bool) -> Value {
    let about: Vec<_> = declared.iter().map(|response| response.about).collect();
    let named = declared.iter().filter_map(|response| response.header);
    let headers: BTreeMap<_, _> = [("X-Request-Id", "the name of the request")]
        .into_iter()
        .chain(named)
        .map(|(name, about)| (name, json!({ "description": about, "schema": string() })))
        .collect();
    let mut response = json!({ "description": about.join("; or "), "headers": headers });
    let (media_type, schema) = match declared[0].content {
        _ if !has_body => return response,
        Content::Empty => return response,
        Content::Json(name) => ("application/json", reference(name)),
        Content::BrokenJson(name) => {
            response[BROKEN] = json!(true);
            ("application/json", reference(name))
        }
        Content::Text(media_type) => (media_type, string()),
        Content::Problem(_) => {
            let problems = declared.iter().filter_map(problem).collect();
            (PROBLEM_JSON, one_of(problems))
        }
    };
    response["content"] = json!({ media_type: { "schema": schema } });
    response
}

fn problem(response: &DeclaredResponse) -> Option<Problem> {
    match response.content {
        Content::Problem(problem) => Some(problem),
        _ => None,
    }
}

/// One of these problems, by its code and the field that it names.
fn one_of(problems: Vec<Problem>) -> Value {
    let narrowed = problems.into_iter().map(|problem| {
        let code = json!({ "const": problem.code });
        match problem.field {
            Some(field) => json!({
                "type": "object",
                "properties": { "code": code, "field": { "const": field } },
                "required": ["code", "field"],
            }),
            None => json!({
                "type": "object",
                "properties": { "code": code },
                "required": ["code"],
            }),
        }
    });
    json!({ "allOf": [reference("Problem"), { "oneOf": narrowed.collect::<Vec<_>>() }] })
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

fn string() -> Value {
    json!({ "type": "string" })
}

fn cursor() -> Value {
    json!({
        "name": "cursor",
        "in": "query",
        "description": "the next_cursor of an earlier page, unchanged",
        "schema": { "type": "string", "minLength": 1 },
    })
}

fn limit() -> Value {
    json!({
        "name": "limit",
        "in": "query",
        "description": "an upper bound; no page holds more than two records",
        "schema": {
            "type": "integer",
            "minimum": 1,
            "maximum": MAX_LIMIT,
            "default": DEFAULT_LIMIT,
        },
    })
}

fn idempotency_key() -> Value {
    json!({
        "name": "Idempotency-Key",
        "in": "header",
        "required": true,
        "description": "names this job; a retry sends the same key",
        "schema": {
            "type": "string",
            "minLength": 1,
            "maxLength": MAX_KEY_LENGTH,
            "pattern": "^[!-~]+$",
        },
    })
}

fn job() -> Value {
    let object = json!({ "schema": { "type": "object" } });
    json!({
        "description": "any JSON object, at most 64 KiB",
        "required": true,
        "content": { "application/json": object, "application/*+json": object },
    })
}
