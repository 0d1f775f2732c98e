//! A transport that is a function: for futures that are polled by
//! hand, requests that are counted while they are in flight, and for failures, bodies
//! and statuses that no server can send. All other tests use the bench.

use client::{JsonObject, RawObject};
use http::Extensions;
use reqwest::{Request, Response};
use reqwest_middleware::{Middleware, Next, Result};

/// Responds to every request with what `respond` makes of it.
pub(crate) fn scripted<F, A, R>(respond: F) -> Scripted<F>
where
    F: Fn(Request) -> A + Send + Sync + 'static,
    A: Future<Output = Result<R>> + Send + 'static,
    R: Into<Response>,
{
    Scripted(respond)
}

pub(crate) struct Scripted<F>(F);

#[async_trait::async_trait]
impl<F, A, R> Middleware for Scripted<F>
where
    F: Fn(Request) -> A + Send + Sync + 'static,
    A: Future<Output = Result<R>> + Send + 'static,
    R: Into<Response>,
{
    async fn handle(
        &self,
        request: Request,
        _extensions: &mut Extensions,
        _next: Next<'_>,
    ) -> Result<Response> {
        (self.0)(request).await.map(Into::into)
    }
}

/// The number that an item of a [page](crate::bench::page) carries.
pub(crate) fn number(item: &RawObject) -> u64 {
    let item: JsonObject = item.parse().expect("an object with a number");
    item["id"].as_u64().expect("a number")
}
