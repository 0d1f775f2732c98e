//! The route of loads.

use std::{convert::Infallible, time::Duration};

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    response::{IntoResponse, Response},
    routing::post,
};
use futures_util::stream;
use http::header::CONTENT_TYPE;
use tokio::{
    sync::watch,
    time::{sleep, timeout},
};

use super::{
    super::{
        json,
        problem::Problem,
        shared::{Shared, json_body},
    },
    request,
};
use crate::load::MEDIA_TYPE;
use evidence::load::Progress;

/// How long progress is gathered before it is sent: not noticeable to a person.
const GATHER: Duration = Duration::from_millis(250);

/// The longest silence of the stream, so that its reader can distinguish an idle load
/// from a server that hangs.
const KEEP_ALIVE: Duration = Duration::from_secs(1);

/// The route that starts a load.
pub(in crate::web) fn routes() -> Router<Shared> {
    Router::new().route("/api/loads", post(start))
}

/// A load goes on while its progress is read: closing the connection stops it.
async fn start(State(shared): State<Shared>, request: Request) -> Result<Response, Problem> {
    let body = json_body(request, "a load").await?;
    let progress = shared.loads.start(request::read(&body)?)?;
    Ok(respond(progress))
}

/// The progress of a load until its end, as lines of JSON. A stream that ends before the
/// load is finished was interrupted.
fn respond(progress: watch::Receiver<Progress>) -> Response {
    let lines = stream::unfold((Some(progress), false), async |(reader, begun)| {
        let mut reader = reader?;
        if begun {
            sleep(GATHER).await;
            if let Ok(changed) = timeout(KEEP_ALIVE, reader.changed()).await {
                changed.ok()?;
            }
        }
        let progress = reader.borrow_and_update().clone();
        let mut line = json(&progress);
        line.push('\n');
        let rest = (!progress.finished).then_some(reader);
        Some((Ok::<_, Infallible>(line), (rest, true)))
    });
    ([(CONTENT_TYPE, MEDIA_TYPE)], Body::from_stream(lines)).into_response()
}
