//! A response that is cut at every byte, in every way a connection can end.
//!
//! Once the head is there it decides, whatever becomes of the body; before, and
//! within the body of a success, the cut is a failure of the transport.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use client::{
    ApiError, Backoff, Classifier, FailureKind, IdempotencyKey, IncompleteBody, JsonObject, Random,
    RetryMiddleware, RetryReport, SeededRandom, Timeouts, VirtualClock,
    teaching::{ReliableApiClient, endpoint},
    without_hidden_requests,
};
use futures_util::future::join_all;

use crate::bench::silently;
use crate::support::{
    virtual_clock,
    wire::{Then, Wire},
};

/// How long a silent connection is listened to.
const PATIENCE: Duration = Duration::from_secs(100);

const ATTEMPTS: u32 = 3;

/// One response and what it makes of a call, once its head is there.
struct Sample {
    status: u16,
    retry_after: Option<&'static str>,
    requests: u32,
    waits: Waits,
}

/// What the client waits for between its requests.
#[derive(Clone, Copy)]
enum Waits {
    /// What the server asked for, in seconds.
    Asked(&'static [u64]),
    /// What the backoff draws.
    Backoff,
}

impl Waits {
    fn lengths(self) -> Vec<Duration> {
        let random = SeededRandom::new(SEED);
        match self {
            Self::Asked(seconds) => seconds.iter().copied().map(Duration::from_secs).collect(),
            Self::Backoff => [1, 2]
                .map(|factor| (Backoff::DEFAULT_BASE * factor).mul_f64(random.unit()))
                .to_vec(),
        }
    }
}

/// What the jitter is drawn from.
const SEED: u64 = 7;

/// The clock starts with 1970, so this date is nine seconds away.
const NINE_SECONDS_LATER: &str = "Thu, 01 Jan 1970 00:00:09 GMT";

const SAMPLES: [Sample; 8] = [
    Sample::of(200, None, 1, Waits::Asked(&[])),
    Sample::of(302, None, 1, Waits::Asked(&[])),
    Sample::of(401, None, 1, Waits::Asked(&[])),
    Sample::of(409, None, 1, Waits::Asked(&[])),
    Sample::of(429, None, ATTEMPTS, Waits::Backoff),
    Sample::of(503, Some("7"), ATTEMPTS, Waits::Asked(&[7, 7])),
    Sample::of(503, Some("120"), 1, Waits::Asked(&[])),
    // The second time it is past.
    Sample::of(
        503,
        Some(NINE_SECONDS_LATER),
        ATTEMPTS,
        Waits::Asked(&[9, 0]),
    ),
];

impl Sample {
    const fn of(
        status: u16,
        retry_after: Option<&'static str>,
        requests: u32,
        waits: Waits,
    ) -> Self {
        Self {
            status,
            retry_after,
            requests,
            waits,
        }
    }

    /// Head and body.
    fn bytes(&self) -> (String, &'static str) {
        let body = r#"{"id":"j-1","attempt":3}"#;
        let retry_after = self
            .retry_after
            .map(|value| format!("retry-after: {value}\r\n"))
            .unwrap_or_default();
        let head = format!(
            "HTTP/1.1 {} \r\ncontent-type: a/a+json\r\nconnection: close\r\n\
             {retry_after}content-length: {}\r\n\r\n",
            self.status,
            body.len(),
        );
        (head, body)
    }

    /// What a call must come to whose every response is cut after `cut` bytes.
    fn expected(&self, cut: usize, then: Then) -> Seen {
        let (head, body) = self.bytes();
        let whole = cut == head.len() + body.len();
        let lost = match then {
            Then::Stall => FailureKind::ReadTimeout,
            _ => FailureKind::ConnectionLost,
        };
        if cut < head.len() || (self.status == 200 && !whole) {
            return Seen {
                requests: ATTEMPTS,
                waits: Waits::Backoff.lengths(),
                end: End::Transport(lost),
            };
        }
        Seen {
            requests: self.requests,
            waits: self.waits.lengths(),
            end: End::Status(self.status, (!whole).then_some(lost)),
        }
    }
}

/// What came of a call.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    requests: u32,
    waits: Vec<Duration>,
    end: End,
}

#[derive(Debug, PartialEq, Eq)]
enum End {
    /// A response was judged; the second is why its body is incomplete.
    Status(u16, Option<FailureKind>),
    Transport(FailureKind),
}

/// A way to make the call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Caller {
    /// A method of the client that may be retried.
    Get,
    /// `create_job`, whose every attempt must speak of the same job.
    CreateJob,
    /// The layer on a stack of one's own.
    Layer,
}

impl Caller {
    async fn call(self, sample: &Sample, wire: &Wire) -> Seen {
        let clock = virtual_clock();
        let end = match self {
            Self::Get => by_get(sample, &client(wire, &clock)).await,
            Self::CreateJob => by_create_job(&client(wire, &clock)).await,
            Self::Layer => by_layer(wire, &clock).await,
        };
        let requests = wire.requests();
        if self == Self::CreateJob {
            let keys = requests.iter().filter_map(|head| key(head));
            let keys = keys.collect::<BTreeSet<_>>();
            assert_eq!(keys, BTreeSet::from(["order-4711"]), "one job");
        }
        Seen {
            requests: u32::try_from(requests.len()).expect("a few"),
            waits: clock.sleeps(),
            end,
        }
    }
}

fn key(head: &str) -> Option<&str> {
    head.lines()
        .find_map(|line| line.strip_prefix("idempotency-key: "))
}

fn client(wire: &Wire, clock: &VirtualClock) -> ReliableApiClient {
    ReliableApiClient::builder(&wire.base_url())
        .timeouts(PATIENCE, PATIENCE)
        .clock(Arc::new(clock.clone()))
        .random(Arc::new(SeededRandom::new(SEED)))
        .build()
        .expect("a client")
}

async fn by_get(sample: &Sample, client: &ReliableApiClient) -> End {
    if sample.status == 302 {
        return match client.redirect().await {
            // What became of its body is no concern of whoever asks where to go.
            Ok(redirect) => End::Status(redirect.status.as_u16(), None),
            Err(error) => failed(error),
        };
    }
    match client.flaky().await {
        Ok(_) => End::Status(200, None),
        Err(error) => failed(error),
    }
}

async fn by_create_job(client: &ReliableApiClient) -> End {
    let key = IdempotencyKey::new("order-4711").expect("a key");
    match client.create_job(&key, &JsonObject::new()).await {
        Ok(_) => End::Status(200, None),
        Err(error) => failed(error),
    }
}

fn failed(error: ApiError) -> End {
    match error {
        ApiError::Http(error) => End::Status(error.status.as_u16(), error.incomplete_body),
        ApiError::Transport(error) => End::Transport(error.kind),
        other => panic!("neither a status nor a transport failure: {other:?}"),
    }
}

async fn by_layer(wire: &Wire, clock: &VirtualClock) -> End {
    let session = reqwest::Client::builder()
        .no_proxy()
        .tls_certs_only([])
        .read_timeout(PATIENCE);
    let session = without_hidden_requests(session).build().expect("a session");
    let clock = Arc::new(clock.clone());
    let backoff = Backoff::new(
        Backoff::DEFAULT_BASE,
        Backoff::DEFAULT_CAP,
        Arc::<VirtualClock>::clone(&clock),
        Arc::new(SeededRandom::new(SEED)),
    );
    let backoff = backoff.expect("legal");
    let retries =
        RetryMiddleware::with_policy(backoff, Classifier::default(), clock).max_attempts(ATTEMPTS);
    let stack = reqwest_middleware::ClientBuilder::new(session)
        .with(retries)
        .build();
    let timeouts = Timeouts {
        connect: PATIENCE,
        read: PATIENCE,
    };

    let sent = stack
        .get(wire.base_url())
        .with_extension(endpoint::FLAKY)
        .with_extension(timeouts)
        .send()
        .await;

    match sent {
        Ok(response) => {
            let extensions = response.extensions();
            let report = extensions.get::<RetryReport>().expect("a report");
            assert_eq!(report.attempts as usize, wire.requests().len());
            let incomplete = extensions.get().map(|IncompleteBody(kind)| *kind);
            End::Status(response.status().as_u16(), incomplete)
        }
        Err(error) => End::Transport(FailureKind::of(&error)),
    }
}

async fn cut_everywhere(caller: Caller, then: Then) {
    for sample in &SAMPLES {
        let (head, body) = sample.bytes();
        let response = &(head + body);
        let cuts = (0..=response.len()).map(async |cut| {
            let wire = Wire::serve(&[(&response[..cut], then)]).await;

            let seen = caller.call(sample, &wire).await;

            let mut expected = sample.expected(cut, then);
            if let (Caller::Get, End::Status(302, incomplete)) = (caller, &mut expected.end) {
                *incomplete = None;
            }
            assert_eq!(seen, expected, "cut after {:?}", &response[..cut]);
        });
        match then {
            Then::Stall => silently(PATIENCE, join_all(cuts)).await,
            _ => join_all(cuts).await,
        };
    }
}

#[tokio::test]
async fn the_head_decides_when_the_connection_is_closed() {
    cut_everywhere(Caller::Get, Then::Close).await;
}

#[tokio::test]
async fn the_head_decides_when_the_connection_is_silent() {
    cut_everywhere(Caller::Get, Then::Stall).await;
}

#[tokio::test]
async fn the_head_decides_for_a_permitted_post_when_the_connection_is_closed() {
    cut_everywhere(Caller::CreateJob, Then::Close).await;
}

#[tokio::test]
async fn the_head_decides_for_a_permitted_post_when_the_connection_is_silent() {
    cut_everywhere(Caller::CreateJob, Then::Stall).await;
}

#[tokio::test]
async fn the_head_decides_for_the_layer_on_its_own_when_the_connection_is_closed() {
    cut_everywhere(Caller::Layer, Then::Close).await;
}

#[tokio::test]
async fn the_head_decides_for_the_layer_on_its_own_when_the_connection_is_silent() {
    cut_everywhere(Caller::Layer, Then::Stall).await;
}

/// Elsewhere a reset takes with it what was received and not yet read, so that
/// nobody can say how much of a response came.
#[cfg(target_os = "linux")]
mod reset {
    use super::{Caller, Then, cut_everywhere};

    #[tokio::test]
    async fn the_head_decides_when_the_connection_is_reset() {
        cut_everywhere(Caller::Get, Then::Reset).await;
    }

    #[tokio::test]
    async fn the_head_decides_for_a_permitted_post_when_the_connection_is_reset() {
        cut_everywhere(Caller::CreateJob, Then::Reset).await;
    }

    #[tokio::test]
    async fn the_head_decides_for_the_layer_on_its_own_when_the_connection_is_reset() {
        cut_everywhere(Caller::Layer, Then::Reset).await;
    }
}
