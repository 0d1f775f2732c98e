use std::sync::Arc;

use axum::response::IntoResponse;
use futures_util::{FutureExt, StreamExt};

use super::{routes::respond, *};

/// The first response to a reader: its position if it has one, and its events.
fn take(reader: Reader) -> Vec<String> {
    let mut body = respond(reader)
        .into_response()
        .into_body()
        .into_data_stream();
    std::iter::from_fn(|| body.next().now_or_never().flatten())
        .map(|frame| String::from_utf8(frame.expect("a body").to_vec()).expect("UTF-8"))
        .collect()
}

#[tokio::test]
async fn an_event_has_an_id_a_kind_and_a_line_of_data() {
    let feed = Feed::new();
    feed.publish("run", &1);
    let reader = feed.read(None);
    feed.publish("run", &"a\nb");

    let id = format!("{}-1", feed.epoch);
    let event = format!("id: {}-2\nevent: run\ndata: \"a\\nb\"\n\n", feed.epoch);
    assert_eq!(take(reader), [format!("id: {id}\n\n"), event.clone()]);
    // A reader that was cut off after its preamble goes on there.
    assert_eq!(take(feed.read(Some(&id)))[1..], [event]);
}

#[tokio::test]
async fn an_unknown_position_has_missed_everything() {
    let feed = Feed::new();
    (0..3).for_each(|n| feed.publish("run", &n));
    let epoch = &feed.epoch;
    for strange in [
        "",
        "7",
        "zzzzzzzz-1",
        &format!("{epoch}-4"),
        &format!("{epoch}-x"),
    ] {
        let missed = format!("id: {epoch}-3\nevent: missed\ndata: {{\"from\":0,\"to\":3}}\n\n");
        assert_eq!(
            take(feed.read(Some(strange))).pop(),
            Some(missed),
            "{strange:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_quiet_stream_is_kept_alive() {
    let reader = Feed::new().read(None);
    let body = respond(reader).into_response().into_body();

    let frames = body.into_data_stream().skip(1).next().await;

    assert_eq!(frames.expect("more").expect("a body"), ":\n\n");
}

#[tokio::test]
async fn a_waiting_reader_wakes_for_an_event_and_for_the_end() {
    let feed = Feed::new();
    let mut reader = feed.read(None);
    let other = Arc::clone(&feed);

    let (event, ()) = tokio::join!(reader.next(), async { other.publish("run", &1) });
    let (end, ()) = tokio::join!(reader.next(), async { other.close() });

    assert!(event.is_some() && end.is_none());
}
