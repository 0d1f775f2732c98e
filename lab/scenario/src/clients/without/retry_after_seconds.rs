//! Ignores a Retry-After in seconds.

use http::{HeaderValue, header::RETRY_AFTER};
use judge::rules::retry_after;
use reqwest::Response;

use super::{super::reliable, Rewrites, Without};
use crate::Defence;

pub(super) const WITHOUT: Without = Without {
    name: "without-retry-after-seconds",
    defence: &Defence {
        id: retry_after::RETRY_AFTER_SECONDS.id,
        instead: "It takes no notice of a Retry-After in seconds, and comes back when its own \
                  backoff says so.",
        file: "client/src/retry/retry_after.rs",
        breaks: &[retry_after::RETRY_AFTER_SECONDS.id],
        shows_in: &["retry-after-seconds", "retry-later", "deadline"],
    },
    jitter: reliable::FULL_JITTER,
    allowed: |policy| policy,
    connect: |connection| {
        let client = reliable::client(connection, |builder| {
            builder.middleware(Rewrites(hide_seconds))
        })?;
        Ok(Box::new(client))
    },
};

/// Removes a Retry-After in seconds.
fn hide_seconds(response: &mut Response) {
    let value = response.headers().get(RETRY_AFTER);
    let is_number =
        |value: &HeaderValue| !value.is_empty() && value.as_bytes().iter().all(u8::is_ascii_digit);
    if value.is_some_and(is_number) {
        response.headers_mut().remove(RETRY_AFTER);
    }
}
