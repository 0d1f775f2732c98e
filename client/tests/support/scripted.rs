//! A transport that is a function, and its responses: for futures that are polled by
//! hand, requests that are counted while they are in flight, and for failures, bodies
//! and statuses that no server can send. All other tests use the bench.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use client::RawObject;
use http::Extensions;
use reqwest::{Request, Response};
use reqwest_middleware::{Middleware, Next, Result};
use serde_json::{Value, json};

/// Responds to every request with what `respond` makes of it.
pub(crate) fn scripted<F, A>(respond: F) -> Scripted<F>
where
    F: Fn(Request) -> A + Send + Sync + 'static,
    A: Future<Output = Result<Response>> + Send + 'static,
{
    Scripted(respond)
}

pub(crate) struct Scripted<F>(F);

#[async_trait::async_trait]
impl<F, A> Middleware for Scripted<F>
where
    F: Fn(Request) -> A + Send + Sync + 'static,
    A: Future<Output = Result<Response>> + Send + 'static,
{
    async fn handle(
        &self,
        request: Request,
        _extensions: &mut Extensions,
        _next: Next<'_>,
    ) -> Result<Response> {
        (self.0)(request).await
    }
}

/// A response without a body.
pub(crate) fn status(status: u16) -> Response {
    response(status, &[], String::new())
}

/// A response without a body that asks for a wait.
pub(crate) fn retry_after(status: u16, value: &str) -> Response {
    response(status, &[("retry-after", value)], String::new())
}

/// A JSON response.
pub(crate) fn json(status: u16, body: &Value) -> Response {
    response(
        status,
        &[("content-type", "application/json")],
        body.to_string(),
    )
}

/// A page whose items carry these numbers.
pub(crate) fn page(numbers: &[u64], next_cursor: Option<&str>) -> Response {
    let items: Vec<Value> = numbers.iter().map(|number| json!({"id": number})).collect();
    json(200, &json!({"items": items, "next_cursor": next_cursor}))
}

/// The number that an item of [`page`] carries.
pub(crate) fn number(item: &RawObject) -> u64 {
    let item = item.to_object().expect("an object with a number");
    item["id"].as_u64().expect("a number")
}

pub(crate) fn response(status: u16, headers: &[(&str, &str)], body: String) -> Response {
    let response = http::Response::builder().status(status);
    headers
        .iter()
        .fold(response, |response, (name, value)| {
            response.header(*name, *value)
        })
        .body(body)
        .expect("the parts of a response")
        .into()
}

/// The cursor that a request carries.
pub(crate) fn cursor(request: &Request) -> Option<String> {
    let mut query = request.url().query_pairs();
    query.find_map(|(name, value)| (name == "cursor").then(|| value.into_owned()))
}

/// How many requests a transport has in flight, now and at most.
#[derive(Clone, Default)]
pub(crate) struct InFlight(Arc<(AtomicUsize, AtomicUsize)>);

impl InFlight {
    /// Counts one request until the guard is dropped.
    pub(crate) fn enter(&self) -> impl Drop + Send + use<> {
        struct Guard(InFlight);
        impl Drop for Guard {
            fn drop(&mut self) {
                self.0.0.0.fetch_sub(1, Ordering::SeqCst);
            }
        }
        let now = self.0.0.fetch_add(1, Ordering::SeqCst) + 1;
        self.0.1.fetch_max(now, Ordering::SeqCst);
        Guard(self.clone())
    }

    pub(crate) fn now(&self) -> usize {
        self.0.0.load(Ordering::SeqCst)
    }

    /// The most at any time since this was last asked.
    pub(crate) fn take_most(&self) -> usize {
        self.0.1.swap(self.now(), Ordering::SeqCst)
    }
}
