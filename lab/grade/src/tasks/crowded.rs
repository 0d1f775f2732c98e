//! A service with room for a few requests at the same time, and little patience.
//!
//! A limit that all calls share reaches the goal. One call after another takes half as long
//! again. Retries that know nothing of each other are refused too often, unless
//! each waits for seconds: then so few are under way that the waits are a limit.

use std::{
    collections::HashSet,
    sync::Arc,
    time::{Duration, SystemTime},
};

use axum::response::Response;
use http::StatusCode;
use judge::rules::CaseKind;
use serde_json::json;
use tokio::sync::Semaphore;

use crate::{
    Goal, TaskWords,
    draw::Draw,
    responder::{Received, Reply, Responder},
    responses::{ok, refused, too_many},
    task::{Case, PLAIN, Task},
};

/// How many URLs the index has.
const URLS: usize = 64;

/// How many requests the service takes at once.
const WORKERS: usize = 4;

/// How long each request takes. A refusal takes as long, so no client gets one before it
/// has sent all requests that it sends together.
const WORK: Duration = Duration::from_millis(200);

/// How long a client has after the index. A client with room for four needs 3.2 s, and one
/// call after another 12.8 s. One that halves its limit needs five seconds, and more on a busy
/// machine.
const TIME: Duration = Duration::from_secs(8);

/// How many requests the service refuses before it serves the client no longer. A client
/// that begins with sixteen calls and halves a shared limit has 16 refusals, or up to 24 if
/// it tries a higher limit again. Sixteen callers that retry on their own, each after a
/// second at most, have 29 or more.
const PATIENCE: usize = 26;

pub(super) const TASK: Task = Task {
    words: TaskWords {
        name: "crowded",
        path: "/index",
        text: "GET the URL for {\"urls\": [\"…\", …]}, 64 URLs. GET all of them within eight seconds, \
               each until it succeeds: sixteen at the same time at first. The service has room for \
               fewer and refuses the others with 429. After 26 refusals it serves you no longer \
               (403), and after the eight seconds neither (410). Print how many succeeded.",
        goal: r#"{"done": 64}"#,
        hint: "A 429 says that all your requests together are too many, so one worker that backs \
               off alone changes nothing. Let all workers share one limit of requests in flight, \
               halve it at least once for each burst of 429s, and let successes raise it slowly.",
        scenario: "too-many-requests",
        // The process may start slowly and end slowly.
        time: Duration::from_secs(14),
        ..PLAIN.words
    },
    kind: CaseKind::SeveralInFlight,
    more_routes: &["/work/{name}"],
    cases: &[Case::new("room for four at once", |draw| {
        Box::new(Crowded::new(draw))
    })],
    ..PLAIN
};

struct Crowded {
    /// The resources to ask for, in the order of the index.
    paths: Vec<String>,
    done: HashSet<usize>,
    workers: Arc<Semaphore>,
    refused: usize,
    /// When the index was first asked for.
    began: Option<SystemTime>,
}

impl Crowded {
    fn new(draw: &mut Draw) -> Self {
        Self {
            paths: (0..URLS)
                .map(|_| format!("/work/{}", draw.word(6)))
                .collect(),
            done: HashSet::new(),
            workers: Arc::new(Semaphore::new(WORKERS)),
            refused: 0,
            began: None,
        }
    }

    fn index(&mut self, request: &Received) -> Response {
        self.began.get_or_insert(request.at);
        let paths = self.paths.iter();
        let urls: Vec<_> = paths
            .map(|path| format!("{}{path}", request.base_url))
            .collect();
        ok(&json!({"urls": urls}))
    }

    /// The response that says why the service serves the client no longer.
    fn is_over(&self, now: SystemTime) -> Option<Response> {
        let took = self.began.and_then(|began| now.duration_since(began).ok());
        match took {
            _ if self.refused >= PATIENCE => {
                let why = "the service refused 26 requests before this";
                Some(refused(StatusCode::FORBIDDEN, "refused_too_often", why))
            }
            Some(took) if took > TIME => Some(refused(
                StatusCode::GONE,
                "too_late",
                "the eight seconds are over",
            )),
            _ => None,
        }
    }

    fn work(&mut self, number: usize, now: SystemTime) -> Reply {
        let call = Some(number as u64);
        if let Some(response) = self.is_over(now) {
            return Reply {
                call,
                ..response.into()
            };
        }
        let worker = Arc::clone(&self.workers).try_acquire_owned().ok();
        let response = match worker {
            Some(_) => {
                self.done.insert(number);
                ok(&json!({"done": true}))
            }
            None => {
                self.refused += 1;
                too_many()
            }
        };
        Reply {
            response,
            call,
            takes: WORK,
            worker,
        }
    }
}

impl Responder for Crowded {
    fn respond(&mut self, request: &Received) -> Reply {
        if request.path == TASK.words.path {
            return self.index(request).into();
        }
        match self.paths.iter().position(|path| *path == request.path) {
            Some(number) => self.work(number, request.at),
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

    fn status(crowded: &mut Crowded, path: &str, seconds: u64) -> (StatusCode, Reply) {
        let mut request = Received::of(path);
        request.at += Duration::from_secs(seconds);
        let reply = crowded.respond(&request);
        (reply.response.status(), reply)
    }

    #[test]
    fn there_is_room_for_four_and_each_url_counts_once() {
        let mut crowded = Crowded::new(&mut Draw::new(7, "crowded", 0));
        let paths = crowded.paths.clone();
        let done = Goal::result(json!({"done": URLS}));

        let (at_once, replies): (Vec<_>, Vec<_>) = paths[..16]
            .iter()
            .map(|path| status(&mut crowded, path, 0))
            .unzip();
        let served = at_once.iter().filter(|status| **status == StatusCode::OK);
        assert_eq!((served.count(), crowded.refused), (WORKERS, 12));
        let calls: HashSet<_> = replies.iter().map(|reply| reply.call).collect();
        assert_eq!(calls.len(), 16);
        drop(replies);
        assert_ne!(crowded.goal(), done);

        for path in &paths {
            assert_eq!(status(&mut crowded, path, 0).0, StatusCode::OK);
        }
        assert_eq!(crowded.goal(), done);
    }

    #[test]
    fn whoever_is_late_or_was_refused_too_often_is_served_no_longer() {
        let mut crowded = Crowded::new(&mut Draw::new(7, "crowded", 0));
        let path = crowded.paths[0].clone();

        assert_eq!(status(&mut crowded, "/index", 0).0, StatusCode::OK);
        assert_eq!(status(&mut crowded, &path, 8).0, StatusCode::OK);
        assert_eq!(status(&mut crowded, &path, 9).0, StatusCode::GONE);

        let _served = [(); WORKERS].map(|()| status(&mut crowded, &path, 0));
        for _ in 0..PATIENCE {
            let refused = status(&mut crowded, &path, 0).0;
            assert_eq!(refused, StatusCode::TOO_MANY_REQUESTS);
        }
        assert_eq!(status(&mut crowded, &path, 0).0, StatusCode::FORBIDDEN);
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
