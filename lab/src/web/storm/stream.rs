//! Streams the frames of a storm in the event stream format of the HTML standard. Closing
//! the connection ends the storm.

use std::convert::Infallible;

use axum::{
    body::{Body, Bytes},
    response::{IntoResponse, Response},
};
use futures_util::stream;
use http::header::CONTENT_TYPE;
use tokio::sync::mpsc::UnboundedReceiver;

use super::performance::Frame;

/// A response with the frames as they are received.
pub(super) fn respond(frames: UnboundedReceiver<Frame>) -> Response {
    let body = stream::unfold(frames, async |mut frames| {
        let Frame { kind, data } = frames.recv().await?;
        // serde writes JSON without line breaks, so one line of data is enough.
        let event = Bytes::from(format!("event: {kind}\ndata: {data}\n\n"));
        Some((Ok::<_, Infallible>(event), frames))
    });
    (
        [(CONTENT_TYPE, "text/event-stream")],
        Body::from_stream(body),
    )
        .into_response()
}
