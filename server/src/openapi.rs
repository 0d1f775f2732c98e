//! The OpenAPI 3.1 document, made from what the lessons declare.
//!
//! Faults are documented as what they are: a response marked `x-broken-on-purpose`
//! names the schema that it breaks.

use std::collections::BTreeMap;

use http::{Method, StatusCode};
use serde_json::json;
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::path::{
    HttpMethod, Operation, OperationBuilder, Parameter, ParameterBuilder, ParameterIn,
    PathItemBuilder, PathsBuilder,
};
use utoipa::openapi::request_body::{RequestBody, RequestBodyBuilder};
use utoipa::openapi::schema::{AllOfBuilder, ComponentsBuilder, Object, ObjectBuilder, Type};
use utoipa::openapi::{
    Content as MediaType, Header, InfoBuilder, OpenApiBuilder, Ref, Required, Response,
    ResponseBuilder,
};

use crate::idempotency::MAX_KEY_LENGTH;
use crate::lesson::{Content, DeclaredResponse, Lesson, Takes};
use crate::metrics_sink::{METRICS_MEDIA_TYPE, METRICS_PATH};
use crate::page::{DEFAULT_LIMIT, Item, MAX_LIMIT, Page};
use crate::problem::{PROBLEM_JSON, Problem, ProblemBody};
use crate::router::LESSONS;
use crate::routes::flaky::FlakyResult;
use crate::routes::jobs::Job;

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
};

/// The OpenAPI 3.1 description of the service, as JSON.
#[must_use]
pub fn openapi() -> String {
    let mut paths = PathsBuilder::new();
    for lesson in LESSONS.iter().chain([&METRICS]) {
        let item = if lesson.method == Method::POST {
            PathItemBuilder::new().operation(HttpMethod::Post, operation(lesson, &Method::POST))
        } else {
            PathItemBuilder::new()
                .operation(HttpMethod::Get, operation(lesson, &Method::GET))
                .operation(HttpMethod::Head, operation(lesson, &Method::HEAD))
        };
        paths = paths.path(lesson.path, item.build());
    }
    let allow = "the methods of the path";
    let not_allowed =
        DeclaredResponse::problem(Problem::METHOD_NOT_ALLOWED).with_header("Allow", allow);
    let components = ComponentsBuilder::new()
        .schema_from::<Page>()
        .schema_from::<Item>()
        .schema_from::<FlakyResult>()
        .schema_from::<Job>()
        .schema_from::<ProblemBody<'_>>()
        .response("NotFound", refusal(Problem::NOT_FOUND))
        .response("MethodNotAllowed", response(&[not_allowed], true))
        .response("InvalidHost", refusal(Problem::INVALID_HOST))
        .response("HostNotAllowed", refusal(Problem::HOST_NOT_ALLOWED))
        .response("CrossSite", refusal(Problem::CROSS_SITE));
    let info = InfoBuilder::new()
        .title("Teaching API")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(DESCRIPTION));

    OpenApiBuilder::new()
        .info(info)
        .paths(paths)
        .components(Some(components.build()))
        .build()
        .to_pretty_json()
        .expect("a document of strings and numbers is JSON")
}

fn operation(lesson: &Lesson, method: &Method) -> Operation {
    let name = lesson.path.trim_start_matches('/').replace('-', "_");
    let internal_error = DeclaredResponse::problem(Problem::INTERNAL_ERROR);
    let mut responses: BTreeMap<StatusCode, Vec<DeclaredResponse>> = BTreeMap::new();
    for declared in lesson.responses.iter().chain([&internal_error]) {
        responses
            .entry(declared.status)
            .or_default()
            .push(*declared);
    }

    let mut operation = OperationBuilder::new()
        .operation_id(Some(format!("{}_{name}", method.as_str().to_lowercase())))
        .summary(Some(lesson.summary));
    for (status, declared) in responses {
        operation =
            operation.response(status.as_str(), response(&declared, method != Method::HEAD));
    }
    match lesson.takes {
        Takes::Nothing => operation.build(),
        Takes::PageQuery => operation.parameter(cursor()).parameter(limit()).build(),
        Takes::Job => operation
            .parameter(idempotency_key())
            .request_body(Some(job()))
            .build(),
    }
}

fn refusal(problem: Problem) -> Response {
    response(&[DeclaredResponse::problem(problem)], true)
}

/// The one response for those that share a status.
fn response(declared: &[DeclaredResponse], has_body: bool) -> Response {
    let about: Vec<_> = declared.iter().map(|response| response.about).collect();
    let mut response = ResponseBuilder::new()
        .description(about.join("; or "))
        .header("X-Request-Id", header("the name of the request"));
    for (name, about) in declared.iter().filter_map(|response| response.header) {
        response = response.header(name, header(about));
    }
    let codes: Vec<_> = declared.iter().filter_map(code).collect();
    let schema = |name| Some(Ref::from_schema_name(name));
    match declared[0].content {
        _ if !has_body => response,
        Content::Empty => response,
        Content::Json(name) => response.content("application/json", MediaType::new(schema(name))),
        Content::BrokenJson(name) => response
            .content("application/json", MediaType::new(schema(name)))
            .extensions(Some(Extensions::from_iter([(BROKEN, json!(true))]))),
        Content::Text(media_type) => response.content(
            media_type,
            MediaType::new(Some(Object::with_type(Type::String))),
        ),
        Content::Problem(_) => response.content(PROBLEM_JSON, problem(codes)),
    }
    .build()
}

fn code(response: &DeclaredResponse) -> Option<&'static str> {
    match response.content {
        Content::Problem(code) => Some(code),
        _ => None,
    }
}

/// A problem with one of these codes.
fn problem(codes: Vec<&'static str>) -> MediaType {
    let code = ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some(codes));
    let schema = AllOfBuilder::new()
        .item(Ref::from_schema_name("Problem"))
        .item(ObjectBuilder::new().property("code", code));
    MediaType::new(Some(schema))
}

fn header(about: &str) -> Header {
    let mut header = Header::new(Object::with_type(Type::String));
    header.description = Some(about.to_owned());
    header
}

fn cursor() -> Parameter {
    ParameterBuilder::new()
        .name("cursor")
        .parameter_in(ParameterIn::Query)
        .description(Some("the next_cursor of an earlier page, unchanged"))
        .schema(Some(
            ObjectBuilder::new()
                .schema_type(Type::String)
                .min_length(Some(1)),
        ))
        .build()
}

fn limit() -> Parameter {
    let schema = ObjectBuilder::new()
        .schema_type(Type::Integer)
        .minimum(Some(1))
        .maximum(Some(MAX_LIMIT))
        .default(Some(json!(DEFAULT_LIMIT)));
    ParameterBuilder::new()
        .name("limit")
        .parameter_in(ParameterIn::Query)
        .description(Some("an upper bound; no page holds more than two records"))
        .schema(Some(schema))
        .build()
}

fn idempotency_key() -> Parameter {
    let schema = ObjectBuilder::new()
        .schema_type(Type::String)
        .min_length(Some(1))
        .max_length(Some(MAX_KEY_LENGTH))
        .pattern(Some("^[!-~]+$"));
    ParameterBuilder::new()
        .name("Idempotency-Key")
        .parameter_in(ParameterIn::Header)
        .required(Required::True)
        .description(Some("names this job; a retry sends the same key"))
        .schema(Some(schema))
        .build()
}

fn job() -> RequestBody {
    let object = || MediaType::new(Some(Object::with_type(Type::Object)));
    RequestBodyBuilder::new()
        .description(Some("any JSON object, at most 64 KiB"))
        .required(Some(Required::True))
        .content("application/json", object())
        .content("application/*+json", object())
        .build()
}
