//! The reference client without one of its defences.
//!
//! Each is one file: the removed defence, the scenarios in which that shows, and how the
//! client is built from the public parts of `client`, which has no switch for it. These
//! clients run only for comparison.

mod backoff_jitter;
mod body_media_type;
mod deadline;
mod idempotency_key_reuse;
mod retry_after_seconds;

use std::fmt;

use client::ConfigError;
use http::Extensions;
use reqwest::{Request, Response};
use reqwest_middleware::{Middleware, Next};

use super::{ClientUnderTest, Connection, RELIABLE, ScenarioClient, Task, reliable};
use crate::{Client, Defence, ScenarioPolicy};

/// Every defence that can be removed, with the client that remains.
pub static WITHOUT: &[&Without] = &[
    &retry_after_seconds::WITHOUT,
    &backoff_jitter::WITHOUT,
    &idempotency_key_reuse::WITHOUT,
    &body_media_type::WITHOUT,
    &deadline::WITHOUT,
];

/// The reference client without one of its defences.
pub struct Without {
    /// Its name.
    name: &'static str,
    /// The removed defence.
    pub defence: &'static Defence,
    /// The jitter of its backoff, in words.
    jitter: &'static str,
    /// Its limits, made from those of the reference client.
    allowed: fn(ScenarioPolicy) -> ScenarioPolicy,
    connect: fn(Connection) -> Result<Box<dyn ScenarioClient>, ConfigError>,
}

impl ClientUnderTest for Without {
    fn identity(&self) -> Client {
        Client {
            name: self.name,
            without: Some(self.defence),
            ..RELIABLE
        }
    }

    fn about(&self) -> &'static str {
        self.defence.instead
    }

    fn terms(&self, policy: &ScenarioPolicy, task: Task) -> Vec<String> {
        let rest = reliable::terms(&(self.allowed)(*policy), task, self.jitter);
        let missing = format!("without {}", self.defence.id);
        [missing].into_iter().chain(rest).collect()
    }

    fn connect(&self, connection: Connection) -> Result<Box<dyn ScenarioClient>, ConfigError> {
        let policy = (self.allowed)(connection.policy);
        (self.connect)(Connection {
            policy,
            ..connection
        })
    }
}

impl fmt::Debug for Without {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Without").field(&self.defence.id).finish()
    }
}

/// Changes every response before the client reads it.
pub(crate) struct Rewrites(pub(crate) fn(&mut Response));

#[async_trait::async_trait]
impl Middleware for Rewrites {
    async fn handle(
        &self,
        request: Request,
        extensions: &mut Extensions,
        next: Next<'_>,
    ) -> reqwest_middleware::Result<Response> {
        let mut response = next.run(request, extensions).await?;
        (self.0)(&mut response);
        Ok(response)
    }
}
