use std::sync::Arc;

use futures_util::FutureExt;

use super::*;

/// The deliveries that a reader gets at once, as text.
fn take(reader: &mut Reader) -> Vec<String> {
    let frames = std::iter::from_fn(|| reader.next().now_or_never().flatten());
    frames
        .map(|frame| String::from_utf8(frame.to_vec()).expect("UTF-8"))
        .collect()
}

fn id(frame: &str) -> &str {
    frame
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("id: "))
        .expect("an id")
}

#[test]
fn an_event_has_an_id_a_kind_and_a_line_of_data() {
    let feed = Feed::new();
    let mut reader = feed.read(None);

    feed.publish("run", &"a\nb");

    let epoch = &feed.epoch;
    assert_eq!(
        take(&mut reader),
        [format!("id: {epoch}-1\nevent: run\ndata: \"a\\nb\"\n\n")]
    );
}

#[test]
fn a_reader_without_events_resumes_from_the_preamble() {
    let feed = Feed::new();
    feed.publish("run", &1);
    let greeting = feed.read(None).greeting();
    feed.publish("run", &2);

    let greeting = String::from_utf8(greeting.to_vec()).expect("UTF-8");
    let mut resumed = feed.read(Some(id(&greeting)));

    let frames = take(&mut resumed);
    assert!(
        frames.len() == 1 && frames[0].contains("data: 2\n"),
        "{frames:?}"
    );
}

#[test]
fn an_unknown_position_has_missed_everything() {
    let feed = Feed::new();
    (0..3).for_each(|n| feed.publish("run", &n));
    let epoch = feed.epoch.clone();
    for strange in [
        "",
        "7",
        "zzzzzzzz-1",
        &format!("{epoch}-4"),
        &format!("{epoch}-x"),
    ] {
        let mut reader = feed.read(Some(strange));

        let missed = format!("id: {epoch}-3\nevent: missed\ndata: {{\"from\":0,\"to\":3}}\n\n");
        assert_eq!(take(&mut reader), [missed], "{strange:?}");
    }
}

#[tokio::test]
async fn a_waiting_reader_wakes_for_an_event_and_for_the_end() {
    let feed = Feed::new();
    let mut reader = feed.read(None);
    let other = Arc::clone(&feed);

    let (frame, ()) = tokio::join!(reader.next(), async { other.publish("run", &1) });
    let (end, ()) = tokio::join!(reader.next(), async { other.close() });

    assert!(frame.is_some());
    assert_eq!(end, None);
}
