//! A response that is too large or takes too long.

use std::{convert::Infallible, time::Duration};

use axum::{
    Extension,
    body::{Body, Bytes},
    response::{IntoResponse, Response},
};
use evidence::grade::{Goal, TaskWords};
use futures_util::{StreamExt, stream};
use host::Fault;
use http::header::CONTENT_TYPE;
use serde_json::json;
use tokio::time::sleep;

use super::{Case, PLAIN, Received, Reply, Responder, Task};
use crate::grade::{draw::Draw, responses::ok};

/// The time between two bytes of a dripping body, shorter than any read timeout.
const DRIP: Duration = Duration::from_millis(300);

/// The size of a chunk of a body whose length is not announced, in bytes.
const PIECE: usize = 32 * 1024;

pub(super) const TASK: Task = Task {
    words: TaskWords {
        name: "unbounded",
        path: "/value",
        text: "GET the URL. Accept at most 64 KiB and five seconds for a response. This one \
               exceeds a limit: print an error, {\"error\": …}, or exit with a code other than 0.",
        goal: r#"{"error": "…"}"#,
        hint: "A body needs a size limit, whether or not its length is announced. A read timeout \
               starts again with every byte: what bounds the whole call?",
        scenario: "oversized-body",
        ..PLAIN.words
    },
    cases: &[
        Case {
            name: "a body that is too large, with its length announced",
            responder: |draw| Box::new(Unbounded::new(draw, Kind::Announced)),
        },
        Case {
            name: "a body that is too large, in chunks",
            responder: |draw| Box::new(Unbounded::new(draw, Kind::Chunked)),
        },
        Case {
            name: "a body that drips without an end",
            responder: |draw| Box::new(Unbounded::new(draw, Kind::Drips)),
        },
    ],
    ..PLAIN
};

/// How a body exceeds the limits.
#[derive(Clone, Copy)]
enum Kind {
    Announced,
    Chunked,
    Drips,
}

struct Unbounded {
    kind: Kind,
    /// The size of its body, in bytes; unused if it drips.
    size: usize,
}

impl Unbounded {
    fn new(draw: &mut Draw, kind: Kind) -> Self {
        let kib = draw.number(1_024..=2_048);
        Self {
            kind,
            size: kib as usize * 1_024,
        }
    }

    fn body(&self) -> Response {
        let object = json!({"value": "x".repeat(self.size)});
        let body = match self.kind {
            Kind::Announced => return ok(&object),
            Kind::Chunked => {
                let whole = Bytes::from(object.to_string());
                let pieces = (0..whole.len()).step_by(PIECE);
                let pieces: Vec<_> = pieces
                    .map(|at| Ok::<_, Infallible>(whole.slice(at..whole.len().min(at + PIECE))))
                    .collect();
                Body::from_stream(stream::iter(pieces))
            }
            Kind::Drips => {
                let begins = stream::iter([Ok::<_, Infallible>(Bytes::from("{\"value\": \""))]);
                let drops = stream::repeat(()).then(async |()| {
                    sleep(DRIP).await;
                    Ok(Bytes::from("x"))
                });
                Body::from_stream(begins.chain(drops))
            }
        };
        ([(CONTENT_TYPE, "application/json")], body).into_response()
    }
}

impl Responder for Unbounded {
    fn respond(&mut self, _: &Received) -> Reply {
        let fault = Fault(match self.kind {
            Kind::Announced | Kind::Chunked => "oversized_body",
            Kind::Drips => "drip",
        });
        (Extension(fault), self.body()).into_response().into()
    }

    fn goal(&self) -> Goal {
        Goal::Error
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_body_is_too_large_or_goes_on_for_longer_than_a_case() {
        let body = |kind| {
            let drawn = Unbounded::new(&mut Draw::new(7, "unbounded", 0), kind);
            let (size, response) = (drawn.size, drawn.body());
            (size, response.into_body().into_data_stream())
        };

        for kind in [Kind::Announced, Kind::Chunked] {
            let (size, body) = body(kind);
            let pieces: Vec<_> = body.collect().await;
            let whole: usize = pieces.iter().flatten().map(Bytes::len).sum();
            assert!(whole > size && size >= 1_024 * 1_024);
        }
        let (_, mut drips) = body(Kind::Drips);
        let begun = Instant::now();
        while begun.elapsed() < TASK.words.time {
            let piece = drips.next().await.expect("no end").expect("no failure");
            assert!(piece.len() < 20);
        }
    }
}
