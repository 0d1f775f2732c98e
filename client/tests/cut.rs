//! A response that is cut at every byte, in every way a connection can end. What the other
//! callers make of it depends only on how much of it there is: none, part of the head, the
//! head, part of the body, or all.
//!
//! Once the head is there it decides, whatever becomes of the body; before, and
//! within the body of a success, the cut is a failure of the transport.

use std::time::Duration;

use client::{
    ApiError, Backoff, FailureKind, IdempotencyKey, IncompleteBody, JsonObject, RetryReport,
    Timeouts, VirtualClock, teaching::endpoint, without_hidden_requests,
};
use futures_util::future::join_all;
use reqwest_middleware::ClientBuilder;

use crate::bench::{client_of, silently};
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

const SAMPLES: [Sample; 8] = [
    (200, None, Some(&[])),
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

/// A way to make the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Caller {
    /// A method of the client that may be retried.
    Get,
    /// `create_job`, whose every attempt must speak of the same job.
    CreateJob,
    /// The layer on a stack of one's own.
    Layer,
}

/// Makes a call: its waits and its end.
async fn call(caller: Caller, status: u16, wire: &Wire) -> (Vec<Duration>, End) {
    let (client, clock) = client_of(&wire.base_url(), |builder| {
        builder.timeouts(PATIENCE, PATIENCE)
    });
    let (key, job) = (IdempotencyKey::new("k-1"), JsonObject::new());
    let key = key.expect("a key");
    if caller == Caller::Layer {
        let end = by_layer(wire, &clock).await;
        return (clock.sleeps(), end);
    }
    let result = match caller {
        // What became of its body is no concern of whoever asks where to go.
        Caller::Get if status == 302 => client
            .redirect()
            .await
            .map(|redirect| redirect.status.as_u16()),
        Caller::Get | Caller::Layer => client.flaky().await.map(|_| 200),
        Caller::CreateJob => client.create_job(&key, &job).await.map(|_| 200),
    };
    let (waits, requests) = (clock.sleeps(), wire.requests());
    assert_eq!(requests.len(), waits.len() + 1, "{waits:?}");
    let of_one_job = |head: &String| head.contains("idempotency-key: k-1");
    assert!(caller != Caller::CreateJob || requests.iter().all(of_one_job));
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

async fn by_layer(wire: &Wire, clock: &VirtualClock) -> End {
    let session = without_hidden_requests(session().read_timeout(PATIENCE)).build();
    let stack = ClientBuilder::new(session.expect("a session")).with(retries(clock));
    let timeouts = Timeouts::new(PATIENCE, PATIENCE);
    let request = stack.build().get(wire.base_url()).with_extension(timeouts);
    let sent = request.with_extension(endpoint::FLAKY).send().await;
    let requests = wire.requests().len();
    match sent {
        Ok(response) => {
            let report = response.extensions().get::<RetryReport>();
            assert_eq!(report.expect("a report").attempts as usize, requests);
            let incomplete = response.extensions().get::<IncompleteBody>();
            let incomplete = incomplete.map(|IncompleteBody(kind)| *kind);
            (Some(response.status().as_u16()), incomplete)
        }
        Err(error) => (None, Some(FailureKind::of(&error))),
    }
}

async fn cut_everywhere(then: Then) {
    for (caller, sample) in [Caller::Get, Caller::CreateJob, Caller::Layer]
        .into_iter()
        .flat_map(|caller| SAMPLES.map(|sample| (caller, sample)))
    {
        let (head, response) = (head(sample), &(head(sample) + BODY));
        let edges = [0, head.len(), response.len()];
        let is_at_an_edge = |cut: &usize| edges.iter().any(|edge| edge.abs_diff(*cut) <= 1);
        let cuts = (0..=response.len()).filter(|cut| caller == Caller::Get || is_at_an_edge(cut));
        let cuts = cuts.map(async |cut| {
            let wire = Wire::serve(&[(&response[..cut], then)]).await;

            let seen = call(caller, sample.0, &wire).await;

            let mut expected = expected(sample, cut, then);
            if let (Caller::Get, (_, (Some(302), incomplete))) = (caller, &mut expected) {
                *incomplete = None;
            }
            let cut = &response[..cut];
            assert_eq!(seen, expected, "{caller:?}, cut after {cut:?}");
        });
        match then {
            Then::Stall => silently(PATIENCE, join_all(cuts)).await,
            _ => join_all(cuts).await,
        };
    }
}

#[tokio::test]
async fn the_head_decides_when_the_connection_is_closed() {
    cut_everywhere(Then::Close).await;
}

#[tokio::test]
async fn the_head_decides_when_the_connection_is_silent() {
    cut_everywhere(Then::Stall).await;
}

/// Elsewhere a reset takes with it what was received and not yet read, so that
/// nobody can say how much of a response came.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_head_decides_when_the_connection_is_reset() {
    cut_everywhere(Then::Reset).await;
}
