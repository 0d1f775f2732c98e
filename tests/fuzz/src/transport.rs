//! A client whose transport says what it is told to.

use std::{
    sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use client::{VirtualClock, teaching::ReliableApiClient};
use http::Extensions;
use reqwest::{Request, Response};
use reqwest_middleware::{Middleware, Next, Result};

/// What comes next, whoever asks.
static NEXT: Mutex<Option<http::Response<Vec<u8>>>> = Mutex::new(None);

static CLIENT: LazyLock<ReliableApiClient> = LazyLock::new(|| {
    let clock = VirtualClock::starting_at(SystemTime::UNIX_EPOCH);
    let client = ReliableApiClient::builder("http://service.test").transport(Says);
    let client = client.max_attempts(1).max_pages(2).clock(Arc::new(clock));
    client.build().expect("a legal configuration")
});

/// A client that makes one attempt, and gets what was [said](says) last.
pub fn client() -> &'static ReliableApiClient {
    &CLIENT
}

/// Decides what every request gets from here on.
pub fn says(response: http::Response<Vec<u8>>) {
    *next() = Some(response);
}

fn next() -> MutexGuard<'static, Option<http::Response<Vec<u8>>>> {
    NEXT.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Says;

#[async_trait::async_trait]
impl Middleware for Says {
    async fn handle(&self, _: Request, _: &mut Extensions, _: Next<'_>) -> Result<Response> {
        let response = next().clone();
        Ok(response.expect("something was said").into())
    }
}
