//! A service with room for a few requests at once.

use std::{collections::HashSet, sync::Arc, time::Duration};

use axum::{
    Extension,
    response::{IntoResponse, Response},
};
use evidence::grade::{Goal, TaskWords};
use host::Fault;
use http::StatusCode;
use serde_json::json;
use tokio::sync::Semaphore;

use super::{Case, PLAIN, Received, Reply, Responder, Task};
use crate::grade::{
    draw::Draw,
    responses::{ok, refused},
};

/// How many URLs the index has.
const URLS: usize = 16;

/// How many requests the service takes at once.
const WORKERS: usize = 4;

/// How long each request takes. A refusal takes as long, so no client gets one before it
/// has sent all requests that it sends together.
const WORK: Duration = Duration::from_millis(100);

pub(super) const TASK: Task = Task {
    words: TaskWords {
        name: "crowded",
        path: "/index",
        text: "GET the URL for {\"urls\": [\"…\", …]}, then GET all sixteen of them at the same time, each \
               until it succeeds. The service has room for a few at a time. Print how many \
               succeeded.",
        goal: r#"{"done": 16}"#,
        hint: "A 429 says that all your requests together are too many, so one worker that backs \
               off alone changes nothing. Which part of your program knows how many requests are \
               under way?",
        scenario: "too-many-requests",
        ..PLAIN.words
    },
    rules: &["fewer-after-429"],
    more_routes: &["/work/{name}"],
    cases: &[Case {
        name: "room for four at once",
        responder: |draw| Box::new(Crowded::new(draw)),
    }],
    ..PLAIN
};

struct Crowded {
    /// What is to be asked for, in the order of the index.
    paths: Vec<String>,
    done: HashSet<usize>,
    workers: Arc<Semaphore>,
}

impl Crowded {
    fn new(draw: &mut Draw) -> Self {
        Self {
            paths: (0..URLS)
                .map(|_| format!("/work/{}", draw.word(6)))
                .collect(),
            done: HashSet::new(),
            workers: Arc::new(Semaphore::new(WORKERS)),
        }
    }

    fn index(&self, base_url: &str) -> Response {
        let paths = self.paths.iter();
        let urls: Vec<_> = paths.map(|path| format!("{base_url}{path}")).collect();
        ok(&json!({"urls": urls}))
    }

    fn work(&mut self, number: usize) -> Reply {
        let worker = Arc::clone(&self.workers).try_acquire_owned().ok();
        let response = match worker {
            Some(_) => {
                self.done.insert(number);
                ok(&json!({"done": true}))
            }
            None => {
                let detail = "the service has no room for another request at once";
                let status = StatusCode::TOO_MANY_REQUESTS;
                let refusal = refused(status, "too_many_requests", detail);
                (Extension(Fault("too_many_requests")), refusal).into_response()
            }
        };
        Reply {
            response,
            call: Some(number as u64),
            takes: WORK,
            worker,
        }
    }
}

impl Responder for Crowded {
    fn respond(&mut self, request: &Received) -> Reply {
        if request.path == TASK.words.path {
            return self.index(&request.base_url).into();
        }
        match self.paths.iter().position(|path| *path == request.path) {
            Some(number) => self.work(number),
            None => {
                let detail = "the index does not name this URL";
                refused(StatusCode::NOT_FOUND, "not_found", detail).into()
            }
        }
    }

    fn goal(&self) -> Goal {
        // A client that reports it before has treated a refusal as a success.
        let all = self.done.len() == URLS;
        Goal::result_of(all.then(|| json!({"done": URLS})))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_for_four_and_each_url_counts_once() {
        let mut crowded = Crowded::new(&mut Draw::new(7, "crowded", 0));
        let requests: Vec<_> = crowded.paths.iter().map(|it| Received::of(it)).collect();
        let done = Goal::result(json!({"done": 16}));

        let at_once: Vec<_> = requests.iter().map(|it| crowded.respond(it)).collect();
        let statuses = at_once.iter().map(|reply| reply.response.status());
        let successes = statuses.filter(|status| *status == StatusCode::OK).count();
        let calls: HashSet<_> = at_once.iter().map(|reply| reply.call).collect();
        drop(at_once);
        assert_eq!((successes, calls.len()), (WORKERS, URLS));
        assert_ne!(crowded.goal(), done);

        for request in &requests {
            assert_eq!(crowded.respond(request).response.status(), StatusCode::OK);
        }
        assert_eq!(crowded.goal(), done);
    }

    #[test]
    fn only_the_urls_of_the_index_are_work() {
        let mut crowded = Crowded::new(&mut Draw::new(7, "crowded", 0));

        let index = crowded.respond(&Received::of("/index"));
        let other = crowded.respond(&Received::of("/work/other"));

        assert_eq!(
            (index.response.status(), index.takes),
            (StatusCode::OK, Duration::ZERO)
        );
        assert_eq!(other.response.status(), StatusCode::NOT_FOUND);
        assert!(crowded.done.is_empty());
    }
}
