//! A service as a function: slow, failing, and a witness of what it was sent.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex},
};

use reqwest::Request;
use reqwest_middleware::Middleware;
use serde_json::json;

use crate::bench::{Reply, cursor, json, page, status};

use super::{drive::give_way, scripted::scripted};

/// Gives way several times in every request; every other request to a path gets a
/// 503.
#[derive(Clone, Default)]
pub(crate) struct Service(Arc<Mutex<Seen>>);

#[derive(Default)]
struct Seen {
    failing: HashSet<String>,
    /// Every request in flight holds a clone.
    in_flight: Arc<()>,
    firsts: u32,
    retries: u32,
    responses: u32,
    /// Requests for no content.
    gathered: usize,
}

impl Service {
    /// A transport to this service. A request for no content succeeds once
    /// `together` of them are there.
    pub(crate) fn transport(&self, together: usize) -> impl Middleware + use<> {
        let service = self.clone();
        scripted(move |request| {
            let service = service.clone();
            async move { Ok(service.respond(&request, together).await) }
        })
    }

    /// Requests that were the first of their call, and those that were not.
    pub(crate) fn firsts_and_retries(&self) -> (u32, u32) {
        self.with(|seen| (seen.firsts, seen.retries))
    }

    /// Requests that have neither ended nor been dropped.
    pub(crate) fn in_flight(&self) -> usize {
        self.with(|seen| Arc::strong_count(&seen.in_flight) - 1)
    }

    /// Requests that got a response, and were not dropped before.
    pub(crate) fn responses(&self) -> u32 {
        self.with(|seen| seen.responses)
    }

    async fn respond(&self, request: &Request, together: usize) -> Reply {
        let path = request.url().path().to_owned();
        let _entered = self.with(|seen| Arc::clone(&seen.in_flight));
        let fails = self.with(|seen| {
            let retry = seen.failing.remove(&path);
            seen.gathered += usize::from(path == "/no-content");
            *if retry {
                &mut seen.retries
            } else {
                &mut seen.firsts
            } += 1;
            !retry && path != "/no-content"
        });
        give_way(2).await;
        while path == "/no-content" && self.with(|seen| seen.gathered) < together {
            give_way(1).await;
        }
        self.with(|seen| {
            seen.responses += 1;
            if fails {
                seen.failing.insert(path.clone());
            }
        });
        match path.as_str() {
            _ if fails => status(503),
            "/no-content" => status(204),
            "/flaky" => json(200, &json!({"attempt": 3})),
            "/jobs" => json(201, &json!({"id": "j-1"})),
            _ => match cursor(request.url()).as_deref() {
                None => page([1, 2], Some("c1")),
                Some("c1") => page([3], Some("c2")),
                Some(_) => page([4, 5], None),
            },
        }
    }

    fn with<T>(&self, body: impl FnOnce(&mut Seen) -> T) -> T {
        body(&mut self.0.lock().expect("no panic while held"))
    }
}
