//! A client whose transport says what it is told to.

use std::{
    cell::RefCell,
    sync::{Arc, LazyLock},
    time::SystemTime,
};

use client::{VirtualClock, teaching::ReliableApiClient};
use http::Extensions;
use reqwest::{Request, Response};
use reqwest_middleware::{Middleware, Next, Result};

thread_local! {
    /// The next response, for any request.
    static NEXT: RefCell<http::Response<Vec<u8>>> = RefCell::default();
}

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

/// Decides what every request of this thread gets from here on.
pub fn says(response: http::Response<Vec<u8>>) {
    NEXT.set(response);
}

struct Says;

#[async_trait::async_trait]
impl Middleware for Says {
    async fn handle(&self, _: Request, _: &mut Extensions, _: Next<'_>) -> Result<Response> {
        Ok(NEXT.with_borrow(Clone::clone).into())
    }
}
