//! A response that is too large or takes too long.

use std::{convert::Infallible, time::Duration};

use axum::{
    Extension,
    body::{Body, Bytes},
    response::{IntoResponse, Response},
};
use futures_util::{StreamExt, stream};
use host::FaultLabel;
use http::header::CONTENT_TYPE;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::{
    Goal, TaskWords,
    draw::Draw,
    fixed_goal::fixed_goal,
    responder::Responder,
    responses::ok,
    task::{Case, PLAIN, Task},
};

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
        Case::new(
            "a body that is too large, with its length announced",
            |draw| {
                let size = size(draw);
                unbounded(FaultLabel::OVERSIZED_BODY, move || ok(&object(size)))
            },
        ),
        Case::new("a body that is too large, in chunks", |draw| {
            let size = size(draw);
            unbounded(FaultLabel::OVERSIZED_BODY, move || chunks(size))
        }),
        Case::new("a body that drips without an end", |_| {
            unbounded(FaultLabel::DRIP, drip)
        }),
    ],
    ..PLAIN
};

fn unbounded(
    fault: FaultLabel,
    response: impl Fn() -> Response + Send + 'static,
) -> Box<dyn Responder> {
    let respond = move |_: &_| (Extension(fault), response()).into_response();
    fixed_goal(Goal::Error, respond)
}

/// The size of a body that is too large, in bytes.
fn size(draw: &mut Draw) -> usize {
    draw.number(1_024..=2_048) as usize * 1_024
}

fn object(size: usize) -> Value {
    json!({"value": "x".repeat(size)})
}

fn chunks(size: usize) -> Response {
    let whole = Bytes::from(object(size).to_string());
    let pieces = (0..whole.len()).step_by(PIECE);
    let pieces = pieces.map(|at| Ok::<_, Infallible>(whole.slice(at..whole.len().min(at + PIECE))));
    let pieces: Vec<_> = pieces.collect();
    streamed(Body::from_stream(stream::iter(pieces)))
}

fn drip() -> Response {
    let begins = stream::iter([Ok::<_, Infallible>(Bytes::from("{\"value\": \""))]);
    let drops = stream::repeat(()).then(async |()| {
        sleep(DRIP).await;
        Ok(Bytes::from("x"))
    });
    streamed(Body::from_stream(begins.chain(drops)))
}

fn streamed(body: Body) -> Response {
    ([(CONTENT_TYPE, "application/json")], body).into_response()
}

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::*;
    use crate::responder::Received;

    #[tokio::test(start_paused = true)]
    async fn a_body_is_too_large_or_goes_on_for_longer_than_a_case() {
        let body = |case: &Case| {
            let mut responder = (case.responder)(&mut Draw::new(7, "unbounded", 0));
            let response = responder.respond(&Received::of("/value")).response;
            response.into_body().into_data_stream()
        };
        let [announced, chunked, drips] = TASK.cases else {
            panic!("three cases");
        };

        for case in [announced, chunked] {
            let pieces: Vec<_> = body(case).collect().await;
            let whole: usize = pieces.iter().flatten().map(Bytes::len).sum();
            assert!(whole > 1_024 * 1_024);
        }
        let mut drips = body(drips);
        let begun = Instant::now();
        while begun.elapsed() < TASK.words.time {
            let piece = drips.next().await.expect("no end").expect("no failure");
            assert!(piece.len() < 20);
        }
    }
}
