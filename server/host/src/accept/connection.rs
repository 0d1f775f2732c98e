//! One connection, from its first byte to its end.

use std::convert::Infallible;
use std::future::pending;
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::Body;
use axum::response::Response;
use http::Request;
use http_body_util::BodyExt;
use hyper::body::{Body as _, Incoming};
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio::time::{Instant, Sleep, sleep_until};
use wire::ClosedBy;

use super::activity::{Activity, RequestPhase, State};
use super::observer::Observed;
use super::stream::{Resettable, Stream};
use super::{
    ConnectionBounds, ConnectionFault, ConnectionPosition, HEAD_LINES, HeaderCase, Phase, reached,
};
use crate::request_body::{BoundedBody, io_errors};

/// The largest head of a request, in bytes: twice the longest request target that hyper
/// takes. A connection holds about so much while it is open, and its client decides how
/// much of it; hyper's own bound is more than three times as high.
const MAX_HEAD: usize = 128 * 1024;

/// Serves a connection until it ends, by itself, by its bounds, or by a drain.
pub(super) async fn connection<I, S>(
    stream: I,
    service: S,
    observed: Observed,
    bounds: ConnectionBounds,
    header_case: HeaderCase,
    mut phases: watch::Receiver<Phase>,
) where
    I: AsyncRead + AsyncWrite + Resettable + Unpin,
    S: Service<Request<Body>, Response = Response, Error = Infallible>,
{
    let activity = &observed.activity;
    let stream = TokioIo::new(Stream::new(stream, Arc::clone(activity)));
    let number = observed.number;
    let noted = Arc::clone(activity);
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectionPosition {
            connection: number,
            position: noted.request_began(),
        });
        let end = RequestEnd(Arc::clone(&noted));
        let response = service.call(request.map(|body| {
            if body.is_end_stream() {
                Body::empty()
            } else {
                let unread = Arc::clone(&noted);
                let left_unread = move || unread.lock().is_unread = true;
                Body::new(BoundedBody::new(body, bounds.body, left_unread))
            }
        }));
        async move {
            let response = response.await.unwrap_or_else(|never| match never {});
            match response.extensions().get().copied() {
                None => {}
                Some(ConnectionFault::Silence) => {
                    // A guard in its extensions learns by this that the silence begins.
                    drop(response);
                    return pending().await;
                }
                Some(fault) => {
                    if fault == ConnectionFault::Reset {
                        end.0.lock().is_to_be_reset = true;
                    }
                    end.0.is_closed_by(ClosedBy::Service);
                    return Err(Withheld);
                }
            }
            // The body holds the end, and drops it when it is dropped itself. Unlike
            // `map_frame`, `map_err` keeps what is known of the length.
            let hold = move |error: axum::Error| {
                // A connection that was reset on the far side is reset here as well.
                if is_reset(&error) {
                    end.0.lock().is_to_be_reset = true;
                }
                error
            };
            Ok(response.map(|body| body.map_err(hold)))
        }
    });
    let mut http = http1::Builder::new();
    http.title_case_headers(header_case == HeaderCase::Title)
        .max_header_size(MAX_HEAD)
        // It may read twice as much before it looks at what it has.
        .max_buf_size(MAX_HEAD);
    if bounds.head_lines != HEAD_LINES {
        http.max_headers(bounds.head_lines.get());
    }
    let mut connection = pin!(http.serve_connection(stream, service));
    let mut deadline = pin!(Deadline {
        activity,
        bounds: &bounds,
        timer: None,
    });

    // An error of a connection means that the client went away: it gets no response.
    tokio::select! {
        biased;
        ended = connection.as_mut() => {
            if ended.is_err_and(|error| error.is_parse_version_h2()) {
                activity.is_closed_by(ClosedBy::Http2);
            }
            return;
        }
        () = deadline.as_mut() => return activity.is_closed_by(ClosedBy::Bound),
        () = reached(&mut phases, Phase::Draining) => {}
    }
    // Without a request in flight there is nothing to drain, and a graceful shutdown would
    // wait for the rest of a head that has begun.
    if is_idle(&activity.lock()) {
        return;
    }
    connection.as_mut().graceful_shutdown();
    tokio::select! {
        biased;
        _ = connection => {}
        () = deadline => activity.is_closed_by(ClosedBy::Bound),
    }
}

/// Ends the request of a connection when it is dropped: with the body of its response,
/// or without one.
struct RequestEnd(Arc<Activity>);

impl Drop for RequestEnd {
    fn drop(&mut self) {
        self.0.request_ended(Instant::now());
    }
}

/// Tells hyper that there is no response: it closes the connection.
#[derive(Debug, thiserror::Error)]
#[error("the response is withheld on purpose")]
struct Withheld;

/// Whether a body broke off because its connection was reset.
fn is_reset(error: &axum::Error) -> bool {
    io_errors(error).any(|error| error.kind() == io::ErrorKind::ConnectionReset)
}

/// Whether a connection can be closed without a loss: no request is in flight, and every
/// response was taken.
fn is_idle(state: &State) -> bool {
    !matches!(state.request, RequestPhase::InFlight)
        && state.stalled.is_none()
        && state.closing.is_none()
}

/// When a connection is to be closed, if nothing happens before. The bounds of a body and of
/// a close are kept where these are read.
fn deadline(state: &State, bounds: &ConnectionBounds) -> Option<Instant> {
    match (state.closing, state.stalled, state.request) {
        (Some(_), ..) => None,
        (None, Some(since), _) => since.checked_add(bounds.stalled),
        (None, None, RequestPhase::Awaited { since }) => since.checked_add(bounds.idle),
        (None, None, RequestPhase::HeadBegun { since }) => since.checked_add(bounds.head),
        (None, None, RequestPhase::InFlight) => None,
    }
}

/// Ready when a connection has waited for its client for too long.
///
/// The timer is set anew only for an earlier deadline; for a later one it expires and
/// is set again. A connection that is in use does not touch it.
struct Deadline<'a> {
    activity: &'a Activity,
    bounds: &'a ConnectionBounds,
    timer: Option<Pin<Box<Sleep>>>,
}

impl Future for Deadline<'_> {
    type Output = ();

    /// Has to be polled after each step of the connection.
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let Some(deadline) = deadline(&self.activity.lock(), self.bounds) else {
            return Poll::Pending;
        };
        let timer = self
            .timer
            .get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        if deadline < timer.deadline() {
            timer.as_mut().reset(deadline);
        }
        while timer.as_mut().poll(cx).is_ready() {
            if deadline <= Instant::now() {
                return Poll::Ready(());
            }
            timer.as_mut().reset(deadline);
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::routing::{get, post};
    use axum::{Extension, Router};
    use http::StatusCode;
    use hyper_util::service::TowerToHyperService;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
    use tokio::time::{sleep, timeout};

    use super::*;

    const BOUNDS: ConnectionBounds = ConnectionBounds {
        head: Duration::from_secs(10),
        body: Duration::from_secs(30),
        idle: Duration::from_secs(60),
        stalled: Duration::from_secs(45),
        connections: std::num::NonZeroUsize::MIN,
        head_lines: HEAD_LINES,
    };

    const WORK: Duration = Duration::from_secs(3600);

    const ASK: &str = "GET /quick HTTP/1.1\r\nhost: localhost\r\n\r\n";

    /// The client's end of a connection that is served in virtual time, and the sender of
    /// its phases.
    fn connect() -> (DuplexStream, watch::Sender<Phase>) {
        let read = async |body: Body| match body.collect().await {
            Ok(_) => StatusCode::OK,
            Err(_) => StatusCode::REQUEST_TIMEOUT,
        };
        let router = Router::new()
            .route("/quick", get(async || "quick"))
            .route("/slow", get(async || sleep(WORK).await))
            .route("/silent", get(async || Extension(ConnectionFault::Silence)))
            .route("/closed", get(async || Extension(ConnectionFault::Close)))
            .route("/large", get(async || "x".repeat(4096)))
            .route("/read", post(read));
        let (client, here) = duplex(512);
        let (phase, phases) = watch::channel(Phase::Serving);
        let activity = Arc::new(Activity::new(Instant::now()));
        let service = TowerToHyperService::new(router);
        let observed = Observed::open(1, activity, None);
        let case = HeaderCase::Lower;
        tokio::spawn(connection(here, service, observed, BOUNDS, case, phases));
        (client, phase)
    }

    /// The bytes until the connection is closed, and the seconds until then.
    async fn end_of(mut client: DuplexStream) -> (String, u64) {
        let begun = Instant::now();
        let mut came = Vec::new();
        client.read_to_end(&mut came).await.unwrap();
        (String::from_utf8(came).unwrap(), begun.elapsed().as_secs())
    }

    #[test]
    fn each_wait_has_its_bound_and_work_has_none() {
        let bounds = ConnectionBounds {
            head: Duration::from_secs(1),
            idle: Duration::from_secs(2),
            stalled: Duration::from_secs(3),
            ..ConnectionBounds::default()
        };
        let came = Instant::now();
        let [spoke, responded] = [10, 20].map(|after| came + Duration::from_secs(after));
        let activity = Activity::new(came);
        let after = |since: Instant, bound| Some(since + Duration::from_secs(bound));
        let deadline = || deadline(&activity.lock(), &bounds);

        assert_eq!(deadline(), after(came, 2), "silent");
        activity.received(spoke);
        activity.received(responded);
        assert_eq!(deadline(), after(spoke, 1), "half a head");
        activity.request_began();
        assert_eq!(deadline(), None, "in flight");
        activity.is_stalled(Some(spoke));
        activity.is_stalled(Some(responded));
        assert_eq!(deadline(), after(spoke, 3), "a response that is not taken");
        activity.is_stalled(None);
        activity.request_ended(responded);
        assert_eq!(deadline(), after(responded, 2), "between two requests");
        activity.closes(responded);
        assert_eq!(deadline(), None, "closing");
    }

    #[test]
    fn it_is_idle_where_a_close_would_lose_nothing() {
        let now = Instant::now();
        let activity = Activity::new(now);

        let silent = is_idle(&activity.lock());
        activity.received(now);
        let half_a_head = is_idle(&activity.lock());
        activity.request_began();
        let in_flight = is_idle(&activity.lock());
        activity.is_stalled(Some(now));
        activity.request_ended(now);
        let not_taken = is_idle(&activity.lock());
        activity.is_stalled(None);
        let responded = is_idle(&activity.lock());
        activity.closes(now);
        let closing = is_idle(&activity.lock());

        assert_eq!([silent, half_a_head, responded], [true; 3]);
        assert_eq!([in_flight, not_taken, closing], [false; 3]);
    }

    #[tokio::test(start_paused = true)]
    async fn silence_is_bounded_before_a_request_within_its_head_and_after_it() {
        for (late, said, bound) in [
            (0, "", 60),
            (0, "GET /quick", 10),
            (20, "GET /quick", 10),
            (0, ASK, 60),
        ] {
            let (mut client, _phase) = connect();

            sleep(Duration::from_secs(late)).await;
            client.write_all(said.as_bytes()).await.unwrap();
            let (_, seconds) = end_of(client).await;

            assert_eq!(seconds, bound, "{said:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_head_that_drips_is_bounded_as_a_whole() {
        let (mut client, _phase) = connect();
        let begun = Instant::now();

        while client.write_all(b"G").await.is_ok() {
            sleep(Duration::from_secs(3)).await;
        }

        assert_eq!(begun.elapsed().as_secs(), 12, "the first write after 10 s");
    }

    #[tokio::test(start_paused = true)]
    async fn each_request_has_a_bound_of_its_own() {
        let (mut client, _phase) = connect();

        for _ in 0..20 {
            sleep(Duration::from_secs(50)).await;
            let (begin, end) = ASK.split_at(7);
            client.write_all(begin.as_bytes()).await.unwrap();
            sleep(Duration::from_secs(9)).await;
            client.write_all(end.as_bytes()).await.unwrap();
            client.read_exact(&mut [0; 16]).await.unwrap();
            let mut rest = [0; 512];
            let _rest = client.read(&mut rest).await.unwrap();
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_does_not_come_times_out() {
        let head = "POST /read HTTP/1.1\r\nhost: localhost\r\n";
        for rest in [
            "content-length: 10\r\n\r\nhalf",
            "transfer-encoding: chunked\r\n\r\n5\r\nhalf",
        ] {
            let (mut client, _phase) = connect();

            let ask = format!("{head}{rest}");
            client.write_all(ask.as_bytes()).await.unwrap();
            let mut status_line = [0; 12];
            let begun = Instant::now();
            let came = timeout(BOUNDS.body * 2, client.read_exact(&mut status_line)).await;

            assert!(came.is_ok(), "nothing comes: {rest}");
            assert_eq!(&status_line, b"HTTP/1.1 408", "{rest}");
            assert_eq!(begun.elapsed().as_secs(), 30, "{rest}");
            assert!(end_of(client).await.1 <= 1, "{rest}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_drips_is_bounded_as_a_whole() {
        let (mut client, _phase) = connect();
        let head = "POST /read HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n";
        client.write_all(head.as_bytes()).await.unwrap();
        let begun = Instant::now();

        let mut status_line = [0; 12];
        for _ in 0..40 {
            let read = client.read_exact(&mut status_line);
            if timeout(Duration::from_secs(1), read).await.is_ok() {
                break;
            }
            client.write_all(b"x").await.unwrap();
        }

        assert_eq!(&status_line, b"HTTP/1.1 408");
        assert_eq!(begun.elapsed().as_secs(), 30);
    }

    #[tokio::test(start_paused = true)]
    async fn a_fault_of_the_connection_takes_the_place_of_the_response() {
        let (silent, _phase) = connect();
        let (closed, _phase) = connect();
        let (mut silent, mut closed) = (silent, closed);

        for (client, path) in [(&mut silent, "/silent"), (&mut closed, "/closed")] {
            let ask = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n");
            client.write_all(ask.as_bytes()).await.unwrap();
        }
        let silence = timeout(WORK, silent.read_u8()).await;
        let (came, seconds) = end_of(closed).await;

        assert!(silence.is_err(), "the client that waits is left waiting");
        assert_eq!((&*came, seconds), ("", 0));
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_takes_nothing_is_cut_off_and_a_slow_one_is_not() {
        let ask = "GET /large HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
        let (mut slow, _phase) = connect();
        let (mut stalled, _phase) = connect();

        slow.write_all(ask.as_bytes()).await.unwrap();
        stalled.write_all(ask.as_bytes()).await.unwrap();
        let mut came = 0;
        loop {
            sleep(Duration::from_secs(40)).await;
            match slow.read(&mut [0; 512]).await.unwrap() {
                0 => break,
                bytes => came += bytes,
            }
        }
        let (cut, _) = end_of(stalled).await;

        assert!(came > 4096, "{came} bytes came");
        assert_eq!(cut.len(), 512, "what the pipe holds");
    }

    #[tokio::test(start_paused = true)]
    async fn a_drain_does_not_cost_a_response_to_a_body_that_was_left_unread() {
        let (mut client, phase) = connect();
        let ask = "POST /quick HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n";
        client.write_all(ask.as_bytes()).await.unwrap();
        sleep(Duration::from_millis(1)).await;

        phase.send_replace(Phase::Draining);
        sleep(Duration::from_millis(1)).await;
        let sent_on = client.write_all(b"body").await;
        let (came, seconds) = end_of(client).await;

        assert!(sent_on.is_ok(), "the connection was reset: {sent_on:?}");
        assert!(came.starts_with("HTTP/1.1 405"), "{came}");
        assert!(seconds <= 1, "{seconds}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_drain_waits_for_a_request_and_not_for_half_of_one() {
        for (said, seconds) in [
            ("", 0),
            ("GET /quick", 0),
            (ASK, 0),
            ("GET /slow HTTP/1.1\r\nhost: localhost\r\n\r\n", 3600),
        ] {
            let (mut client, phase) = connect();
            client.write_all(said.as_bytes()).await.unwrap();
            sleep(Duration::from_millis(1)).await;

            phase.send_replace(Phase::Draining);
            let (_, took) = end_of(client).await;

            assert!(took.abs_diff(seconds) <= 1, "{said:?} took {took} s");
        }
    }
}
