//! A response that is cut, in every way a connection can end.
//!
//! Once the head is there it decides, whatever becomes of the body; before, and
//! within the body of a success, the cut is a failure of the transport.

use std::time::Duration;

use client::{
    ApiError, Backoff, FailureKind, IncompleteBody, RetryReport, Timeouts, teaching::endpoint,
    without_hidden_requests,
};
use futures_util::future::join_all;
use reqwest_middleware::ClientBuilder;

use crate::bench::{client_of, clock, silently};
use crate::support::{
    retries, session,
    wire::{Then, Wire},
};

/// How long a silent connection is listened to.
const PATIENCE: Duration = Duration::from_secs(100);

const BODY: &str = r#"{"id":"j-1","attempt":3}"#;

/// A response by its status and its `Retry-After`, and the waits between the requests of
/// a call once its head is there, in seconds; `None` for those of the backoff.
type Sample = (u16, Option<&'static str>, Option<&'static [u64]>);

const SAMPLES: [Sample; 9] = [
    (200, None, Some(&[])),
    (300, None, Some(&[])),
    (302, None, Some(&[])),
    (401, None, Some(&[])),
    (409, None, Some(&[])),
    (429, None, None),
    (503, Some("7"), Some(&[7, 7])),
    (503, Some("120"), Some(&[])),
    // Nine seconds after the clock starts, and past the second time.
    (503, Some("Sun, 06 Nov 1994 08:49:46 GMT"), Some(&[9, 0])),
];

/// How a call ended: the status of a response that was judged, and why its body is
/// incomplete; without a status, the failure of the transport.
type End = (Option<u16>, Option<FailureKind>);

fn head((status, retry_after, _): Sample) -> String {
    let retry_after = retry_after.map(|value| format!("retry-after: {value}\r\n"));
    format!(
        "HTTP/1.1 {status} \r\ncontent-type: a/a+json\r\nconnection: close\r\n\
         {}content-length: {}\r\n\r\n",
        retry_after.unwrap_or_default(),
        BODY.len(),
    )
}

/// The waits and the end of a call whose every response is cut after `cut` bytes.
fn expected(sample: Sample, cut: usize, then: Then) -> (Vec<Duration>, End) {
    let (status, _, waits) = sample;
    let head = head(sample).len();
    let lost = match then {
        Then::Stall => FailureKind::ReadTimeout,
        _ => FailureKind::ConnectionLost,
    };
    let lost = (cut < head + BODY.len()).then_some(lost);
    let judged = cut >= head && (status != 200 || lost.is_none());
    let waits = match waits.filter(|_| judged) {
        Some(seconds) => seconds.iter().copied().map(Duration::from_secs).collect(),
        None => [1, 2]
            .map(|factor| Backoff::DEFAULT_BASE * factor / 2)
            .to_vec(),
    };
    (waits, (judged.then_some(status), lost))
}

/// Makes a call of the client: its waits and its end.
async fn of_the_client(status: u16, wire: &Wire) -> (Vec<Duration>, End) {
    let (client, clock) = client_of(&wire.base_url(), |builder| {
        builder.timeouts(PATIENCE, PATIENCE)
    });
    let result = match status {
        // What became of its body is no concern of whoever asks where to go.
        302 => client
            .redirect()
            .await
            .map(|redirect| redirect.status.as_u16()),
        _ => client.flaky().await.map(|_| 200),
    };
    let (waits, requests) = (clock.sleeps(), wire.requests());
    assert_eq!(requests.len(), waits.len() + 1, "{waits:?}");
    let end = match result {
        Ok(status) => (Some(status), None),
        Err(ApiError::Http(error)) => {
            assert_eq!(error.attempts as usize, requests.len(), "{error}");
            (Some(error.status.as_u16()), error.incomplete_body)
        }
        Err(ApiError::Transport(error)) => (None, Some(error.kind)),
        Err(other) => panic!("neither a status nor a transport failure: {other:?}"),
    };
    (waits, end)
}

/// Sends a request over the layer on a stack of one's own: the waits and the end.
async fn of_the_layer(wire: &Wire) -> (Vec<Duration>, End) {
    let clock = clock();
    let session = without_hidden_requests(session().read_timeout(PATIENCE)).build();
    let stack = ClientBuilder::new(session.expect("a session")).with(retries(&clock));
    let timeouts = Timeouts::new(PATIENCE, PATIENCE);
    let request = stack.build().get(wire.base_url()).with_extension(timeouts);
    let sent = request.with_extension(endpoint::FLAKY).send().await;
    let requests = wire.requests().len();
    let end = match sent {
        Ok(response) => {
            let report = response.extensions().get::<RetryReport>();
            assert_eq!(report.expect("a report").attempts as usize, requests);
            let incomplete = response.extensions().get::<IncompleteBody>();
            let incomplete = incomplete.map(|IncompleteBody(kind)| *kind);
            (Some(response.status().as_u16()), incomplete)
        }
        Err(error) => (None, Some(FailureKind::of(&error))),
    };
    (clock.sleeps(), end)
}

/// Cuts around the edges of the head and the body, and for a client whose connection is
/// closed at every byte.
async fn cut_a_response(then: Then) {
    for (sample, is_layer) in SAMPLES
        .into_iter()
        .flat_map(|sample| [(sample, false), (sample, true)])
    {
        let (head, response) = (head(sample), &(head(sample) + BODY));
        let edges = [0, head.len(), response.len()];
        let is_at_an_edge = |cut: &usize| edges.iter().any(|edge| edge.abs_diff(*cut) <= 1);
        let is_everywhere = !is_layer && matches!(then, Then::Close);
        let cuts = (0..=response.len()).filter(|cut| is_everywhere || is_at_an_edge(cut));
        let cuts = cuts.map(async |cut| {
            let wire = Wire::serve(&[(&response[..cut], then)]).await;
            let mut expected = expected(sample, cut, then);
            let seen = if is_layer {
                of_the_layer(&wire).await
            } else {
                if let (_, (Some(302), incomplete)) = &mut expected {
                    *incomplete = None;
                }
                of_the_client(sample.0, &wire).await
            };

            let cut = &response[..cut];
            assert_eq!(seen, expected, "layer: {is_layer}, cut after {cut:?}");
        });
        match then {
            Then::Stall => silently(PATIENCE, join_all(cuts)).await,
            _ => join_all(cuts).await,
        };
    }
}

#[tokio::test]
async fn the_head_decides_when_the_connection_is_closed() {
    cut_a_response(Then::Close).await;
}

#[tokio::test]
async fn the_head_decides_when_the_connection_is_silent() {
    cut_a_response(Then::Stall).await;
}

/// Elsewhere a reset takes with it what was received and not yet read, so that
/// nobody can say how much of a response came.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_head_decides_when_the_connection_is_reset() {
    cut_a_response(Then::Reset).await;
}
