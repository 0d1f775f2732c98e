//! A key for each attempt.

use std::sync::Arc;

use client::{IdempotencyKey, Random, SeededRandom};
use http::{Extensions, HeaderValue};
use judge::rules::{idempotency_key_reuse, one_job};
use reqwest::{Request, Response};
use reqwest_middleware::{Middleware, Next, Result};

use super::{super::reliable, Without};
use crate::Defence;

pub(super) const WITHOUT: Without = Without {
    name: "without-idempotency-key-reuse",
    defence: &Defence {
        id: idempotency_key_reuse::RULE.id,
        instead: "It makes up a new key for every attempt, so the service treats every attempt as \
                  a new request.",
        file: "client/src/request.rs",
        breaks: &[idempotency_key_reuse::RULE.id, one_job::RULE.id],
        shows_in: &["lost-response", "replay", "conflict"],
    },
    jitter: reliable::FULL_JITTER,
    allowed: |policy| policy,
    connect: |connection| {
        // A separate source, so that the waits are the same as with the whole client.
        let keys = NewKeys(Arc::new(SeededRandom::new(!connection.seed)));
        let client = reliable::client(connection, |builder| builder.middleware(keys))?;
        Ok(Box::new(client))
    },
};

/// Replaces the caller's key with a new one.
struct NewKeys(Arc<dyn Random>);

#[async_trait::async_trait]
impl Middleware for NewKeys {
    async fn handle(
        &self,
        mut request: Request,
        extensions: &mut Extensions,
        next: Next<'_>,
    ) -> Result<Response> {
        if let Some(key) = request.headers_mut().get_mut(IdempotencyKey::HEADER) {
            let drawn = self.0.unit().to_bits();
            *key = HeaderValue::from(drawn);
        }
        next.run(request, extensions).await
    }
}
