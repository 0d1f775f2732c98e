//! Lesson: a POST can be repeated safely if the server remembers its key. The first
//! request with a key creates a job; the same key and body name that job again,
//! also when the first response was lost on its way; the same key with another body
//! is refused.
//!
//! `curl -i http://127.0.0.1:8765/jobs -H 'Content-Type: application/json' -H 'Idempotency-Key: k1' -d '{"kind":"report"}'`
//!
//! The checks run from the outside of a request to its inside: media type (415),
//! key (400), size (413), JSON (400), object (422), record (409, 507). A body that is
//! announced as too large is refused without being read, and one that does not come
//! is not waited for (408). A request whose body broke off is not checked, and counts as
//! no submission: its content is not known, and no client waits for the response.
//!
//! The IETF draft on the Idempotency-Key header has a 422 for a reused key; this service
//! keeps to its own contract, which says 409.

use axum::extract::Request;
use axum::response::Response;
use axum::routing::post;
use bytes::Bytes;
use http::header::{CONNECTION, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue};
use serde::Serialize;

use super::prelude::*;
use crate::idempotency::{IdempotencyKey, Submission};
use crate::job_body::{self, BodyDigest, NotAJob};
use host::Purpose;
use host::request_body::{self as request_body, BodyError};
use wire::{JobResult, header_lines::single, media_type};

pub(crate) const LESSON: Lesson = Lesson {
    path: "/jobs",
    method: Method::POST,
    statuses: &[
        StatusCode::CREATED,
        StatusCode::BAD_REQUEST,
        StatusCode::REQUEST_TIMEOUT,
        StatusCode::CONFLICT,
        StatusCode::PAYLOAD_TOO_LARGE,
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        StatusCode::UNPROCESSABLE_ENTITY,
        StatusCode::INSUFFICIENT_STORAGE,
    ],
    has_retry_after: false,
    fault: None,
    serve: || post(jobs),
};

/// Set to `true` on the response to a replay, and absent otherwise.
const IDEMPOTENCY_REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// A job, as the response names it.
#[derive(Debug, Serialize)]
pub(crate) struct Job {
    /// Its identifier, the same for every replay.
    id: String,
}

async fn jobs(State(state): State<ServiceState>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = request_body::read(body).await;
    if body == Err(BodyError::BrokeOff) {
        return problem::INCOMPLETE_BODY.into_response();
    }
    // hyper closes the connection rather than read the rest, and the header announces that.
    let is_unread = matches!(body, Err(BodyError::TooLarge | BodyError::TimedOut));
    let (result, mut response) = match check(&parts.headers, body) {
        Ok((key, body)) => respond(&state, state.submit(key, body)),
        Err(problem) => (JobResult::Rejected, problem.into_response()),
    };
    if is_unread {
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(CONNECTION, close);
    }
    (Extension(result), response).into_response()
}

/// Everything that can be checked without the table of records.
fn check(
    headers: &HeaderMap,
    body: Result<Bytes, BodyError>,
) -> Result<(IdempotencyKey, BodyDigest), Problem> {
    if !is_json(headers) {
        return Err(problem::UNSUPPORTED_MEDIA_TYPE);
    }
    let key = IdempotencyKey::from_headers(headers)?;
    let body = body.map_err(|error| match error {
        BodyError::TooLarge => problem::PAYLOAD_TOO_LARGE,
        BodyError::BrokeOff | BodyError::Malformed => problem::INCOMPLETE_BODY,
        BodyError::TimedOut => problem::BODY_TIMEOUT,
    })?;
    let digest = job_body::digest(&body).map_err(|error| match error {
        NotAJob::InvalidJson => problem::INVALID_JSON,
        NotAJob::NotAnObject => problem::INVALID_JOB,
    })?;
    Ok((key, digest))
}

fn respond(state: &ServiceState, submission: Submission) -> (JobResult, Response) {
    let created = |number: u64| {
        let id = state.key().hash(Purpose::JobId, &number.to_be_bytes());
        let id = format!("job-{id}");
        (StatusCode::CREATED, Json(Job { id }))
    };
    let replayed = [(IDEMPOTENCY_REPLAYED, "true")];
    match submission {
        Submission::Created(job) => (JobResult::Created, created(job).into_response()),
        Submission::Replayed(job) => {
            let response = (replayed, created(job)).into_response();
            (JobResult::Replayed, response)
        }
        Submission::Conflict => {
            let response = problem::IDEMPOTENCY_CONFLICT.into_response();
            (JobResult::Conflict, response)
        }
        Submission::Full => (JobResult::Rejected, problem::JOB_STORE_FULL.into_response()),
    }
}

/// Whether the body is declared as JSON.
fn is_json(headers: &HeaderMap) -> bool {
    let line = single(headers, &CONTENT_TYPE);
    line.is_some_and(|line| media_type::is_json(line.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lessons::with_room_for;
    use crate::testing::{JSON, Service, TestResponse};
    use host::ServiceConfig;

    async fn submit(service: &Service, key: &str, body: &str) -> TestResponse {
        let headers = [JSON, ("idempotency-key", key)];
        service.post("/jobs", &headers, body).await
    }

    #[tokio::test]
    async fn a_replay_names_the_same_job() {
        let service = Service::new();

        let first = submit(&service, "k", r#"{"a": 1, "b": [true]}"#).await;
        let replay = submit(&service, "k", r#" {"b":[true],"a":1} "#).await;

        assert_eq!(first.status, StatusCode::CREATED);
        assert_eq!(replay.status, StatusCode::CREATED);
        assert_eq!(first.json(), replay.json());
        assert!(!first.headers.contains_key(IDEMPOTENCY_REPLAYED));
        assert_eq!(replay.headers[IDEMPOTENCY_REPLAYED], "true");
    }

    #[tokio::test]
    async fn the_same_key_with_another_body_conflicts_and_changes_nothing() {
        let service = Service::new();
        let first = submit(&service, "k", r#"{"a": 1}"#).await;

        let conflict = submit(&service, "k", r#"{"a": 2}"#).await;
        let other = submit(&service, "other", r#"{"a": 1}"#).await;
        let replay = submit(&service, "k", r#"{"a": 1}"#).await;

        assert_eq!(conflict.status, StatusCode::CONFLICT);
        assert_eq!(conflict.code(), "idempotency_conflict");
        assert_eq!(replay.json(), first.json());
        assert_ne!(other.json(), first.json());
    }

    #[tokio::test]
    async fn a_body_of_64_kib_is_the_largest() {
        let service = Service::new();
        let body_of = |length: usize| format!("{{\"a\":\"{}\"}}", "x".repeat(length - 8));

        let largest = submit(&service, "k", &body_of(65_536)).await;
        let too_large = submit(&service, "k", &body_of(65_537)).await;

        assert_eq!(largest.status, StatusCode::CREATED);
        assert_eq!(too_large.status, StatusCode::PAYLOAD_TOO_LARGE);
        assert_eq!(too_large.code(), "payload_too_large");
    }

    #[tokio::test]
    async fn checks_run_from_media_type_to_record() {
        let service = Service::new();
        let large = "x".repeat(65_537);
        let key = ("idempotency-key", "k");

        let no_media_type = service.post("/jobs", &[], &large).await;
        let no_key = service.post("/jobs", &[JSON], &large).await;
        let spaced = ("idempotency-key", "a b");
        let bad_key = service.post("/jobs", &[JSON, spaced], &large).await;
        let two_keys = service.post("/jobs", &[JSON, key, key], "{}").await;
        let too_large = service.post("/jobs", &[JSON, key], &large).await;

        let (of_type, of_key) = ("header.Content-Type", "header.Idempotency-Key");
        for (response, code, field) in [
            (no_media_type, "unsupported_media_type", of_type),
            (no_key, "idempotency_key_missing", of_key),
            (bad_key, "idempotency_key_invalid", of_key),
            (two_keys, "idempotency_key_invalid", of_key),
            (too_large, "payload_too_large", "body"),
        ] {
            assert_eq!(response.fault(), (code.into(), field.into()));
        }
    }

    #[tokio::test]
    async fn results_are_counted_and_entered() {
        let service = Service::serving(with_room_for(1, 1), ServiceConfig::default());

        let bodies = [
            ("k", "{}"),
            ("k", "{}"),
            ("k", "{\"a\":1}"),
            ("new", "{}"),
            ("k", "[]"),
        ];
        for (key, body) in bodies {
            submit(&service, key, body).await;
        }
        service.get("/items").await;

        let entries = service.ledger().entries.into_iter();
        let jobs: Vec<_> = entries.map(|entry| entry.job).collect();
        use JobResult::{Conflict, Created, Rejected, Replayed};
        let expected = [Created, Replayed, Conflict, Rejected, Rejected].map(Some);
        assert_eq!(jobs, [&expected[..], &[None]].concat());
        for (result, count) in [
            ("created", 1),
            ("replayed", 1),
            ("conflict", 1),
            ("rejected", 2),
        ] {
            let sample = format!("service_jobs_total{{result=\"{result}\"}} {count}");
            service.assert_counts(&[&sample]).await;
        }
    }
}
