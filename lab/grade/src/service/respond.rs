//! The behaviour of a case: each request is checked, noted, and answered by the task.

use std::time::{Duration, SystemTime};

use axum::{
    body::to_bytes,
    extract::{Query, Request},
    response::{IntoResponse, Response},
};
use host::{ConnectionPosition, IDEMPOTENCY_KEY, Problem, problems};
use http::{
    HeaderValue, Method, StatusCode,
    header::{ALLOW, AUTHORIZATION},
};
use tokio::time::sleep;
use wire::header_lines::single;

use super::{Note, Served};
use crate::{
    responder::{Received, Reply, Responder},
    responses::unauthorized,
};

/// How long a client waits that sends an open case more than it takes, so that it does
/// not crowd out the others.
const TARRY: Duration = Duration::from_secs(1);

/// The largest body of a request, in bytes.
pub(super) const MOST_BODY: usize = 64 * 1024;

impl Served {
    pub(super) async fn respond(&self, request: Request) -> Response {
        self.called.notify_one();
        self.measured.call_once(|| {
            tokio::spawn(self.delay.clone().measure());
        });
        if request.method() != self.method {
            return self.another_method(request.method());
        }
        let Some(started) = self.started.get() else {
            return Problem::NOT_FOUND.into_response();
        };
        if self.is_shared && self.lock().requests >= self.most {
            sleep(TARRY).await;
            return TOO_MANY.into_response();
        }
        let position = request.extensions().get::<ConnectionPosition>().copied();
        let token = self.token.as_deref();
        let token_in_url = token.is_some_and(|token| request.uri().to_string().contains(token));
        let bearer = request.headers().get(AUTHORIZATION);
        let bearer = bearer.and_then(|value| value.to_str().ok()?.split_once(' '));
        let is_authorized = token.is_none_or(|token| {
            bearer.is_some_and(|(scheme, sent)| {
                scheme.eq_ignore_ascii_case("bearer") && sent.trim() == token
            })
        });
        let (head, body) = request.into_parts();
        // A case that fails a request has read it first, so that its end is not taken
        // for the failure.
        let Ok(body) = to_bytes(body, MOST_BODY).await else {
            return Problem::INTERNAL_ERROR.into_response();
        };
        let key = single(&head.headers, &IDEMPOTENCY_KEY);
        let received = Received {
            path: self.without_prefix(head.uri.path()),
            base_url: started.base_url.clone(),
            second_origin: started.second_origin.clone(),
            at: SystemTime::now(),
            is_fresh: position.is_none_or(|position| position.position == 1),
            query: query(&head.uri),
            key: key.and_then(|key| Some(key.to_str().ok()?.to_owned())),
            body,
        };
        let reply = self.reply(position, token_in_url, |responder| {
            if is_authorized {
                responder.respond(&received)
            } else {
                unauthorized().into()
            }
        });
        if !reply.takes.is_zero() {
            sleep(reply.takes).await;
        }
        // What it occupies is free again before the response is there.
        drop(reply.worker);
        reply.response
    }

    fn reply(
        &self,
        position: Option<ConnectionPosition>,
        token_in_url: bool,
        respond: impl FnOnce(&mut dyn Responder) -> Reply,
    ) -> Reply {
        let mut state = self.lock();
        state.requests += 1;
        if state.requests > self.most {
            self.flood.notify_one();
        }
        let reply = respond(&mut *state.responder);
        if let Some(position) = position {
            let note = Note {
                call: reply.call,
                token_in_url,
            };
            state
                .notes
                .insert((position.connection, position.position), note);
        }
        reply
    }

    /// A client may look before it asks; it learns nothing, and nothing has happened.
    pub(super) fn another_method(&self, method: &Method) -> Response {
        let mut response = match *method {
            Method::HEAD => StatusCode::OK.into_response(),
            Method::OPTIONS => StatusCode::NO_CONTENT.into_response(),
            _ => Problem::METHOD_NOT_ALLOWED.into_response(),
        };
        if let Ok(allow) = HeaderValue::from_str(self.method.as_str()) {
            response.headers_mut().insert(ALLOW, allow);
        }
        response
    }
}

problems! { ,
TOO_MANY = TOO_MANY_REQUESTS, "too_many_requests", "the case has had as many requests as it takes; begin it again";
}

/// The parameters of a query, decoded.
fn query(uri: &http::Uri) -> Vec<(String, String)> {
    let query = Query::<Vec<(String, String)>>::try_from_uri(uri);
    query.map(|Query(pairs)| pairs).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use axum::{Router, body::Body};
    use futures_util::FutureExt;
    use host::ServiceConfig;
    use tokio::time::Instant;

    use super::*;
    use crate::{
        draw::Draw,
        find,
        service::{
            Started,
            prepared::{MOST_OPEN, MOST_PAGES, Prepared},
        },
    };

    /// A case of a task, which no listener serves.
    fn case(task: &str, is_open: bool) -> Arc<Served> {
        let task = find(task).expect("a task");
        let draw = Draw::new(7, task.words.name, 0);
        let case = Prepared::new(task, task.cases(7)[0], draw, "/case".to_owned(), is_open);
        let config = ServiceConfig::default();
        case.served.started.get_or_init(|| Started {
            begun: Instant::now(),
            ledger: host::router(&config, Router::new()).1,
            base_url: String::new(),
            second_origin: None,
        });
        case.served
    }

    async fn ask(case: &Served) -> StatusCode {
        let position = ConnectionPosition {
            connection: 1,
            position: case.lock().requests as u64 + 1,
        };
        let mut request = Request::new(Body::empty());
        request.extensions_mut().insert(position);
        case.respond(request).await.status()
    }

    #[tokio::test(start_paused = true)]
    async fn an_open_case_takes_so_many_requests_and_refuses_the_rest_without_haste() {
        let down = case("down", true);
        assert_eq!(case("long-list", true).most, MOST_PAGES);

        for _ in 0..MOST_OPEN {
            assert_eq!(ask(&down).await, StatusCode::SERVICE_UNAVAILABLE);
        }
        let begun = Instant::now();
        let status = ask(&down).await;

        assert_eq!(status, StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(begun.elapsed(), TARRY);
        assert_eq!(down.lock().notes.len(), MOST_OPEN);
        down.again();
        assert_eq!(ask(&down).await, StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(down.lock().notes.len(), 1);
    }

    #[tokio::test]
    async fn one_request_more_than_a_case_has_room_for_is_a_flood() {
        let down = case("down", false);

        for _ in 0..down.most {
            ask(&down).await;
        }
        let before = down.flood.notified().now_or_never();
        ask(&down).await;

        assert_eq!(before, None);
        assert_eq!(down.flood.notified().now_or_never(), Some(()));
    }
}
