//! Ignores the media type of a body.

use http::{HeaderValue, header::CONTENT_TYPE};
use judge::rules::not_repeated;
use reqwest::Response;

use super::{super::reliable, Rewrites, Without};
use crate::Defence;

pub(super) const WITHOUT: Without = Without {
    name: "without-body-media-type",
    defence: &Defence {
        id: not_repeated::BODY_MEDIA_TYPE.id,
        instead: "It parses every body, whatever its media type, and treats the result as valid data.",
        file: "client/src/response_checks.rs",
        breaks: &[not_repeated::BODY_MEDIA_TYPE.id],
        shows_in: &["text-json"],
    },
    jitter: reliable::FULL_JITTER,
    allowed: |policy| policy,
    connect: |connection| {
        let client = reliable::client(connection, |builder| {
            builder.middleware(Rewrites(call_json))
        })?;
        Ok(Box::new(client))
    },
};

/// Marks the body of a success as JSON.
fn call_json(response: &mut Response) {
    if response.status().is_success() {
        let json = HeaderValue::from_static("application/json");
        response.headers_mut().insert(CONTENT_TYPE, json);
    }
}
