//! The accept loop, and how it ends.
//!
//! `axum::serve` is not used: it detaches its connections, so that nothing could
//! close an idle one, cut off a slow one or wait for the last one.

use std::io::{self, ErrorKind};
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use axum::response::Response;
use http::header::CONTENT_LENGTH;
use http::{Request, StatusCode};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::admission::admit;
use crate::lingering::{Lingering, NotedBody, Unread};
use crate::problem;
use crate::request_id::{self, SeededIds};
use crate::service::Stopped;

/// How long the loop rests when the system refuses to accept, for want of
/// descriptors for example. Without a rest it would spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// How far the end of the service has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    Serving,
    /// No new connections; requests in flight may finish.
    Draining,
    /// Nothing may finish any more.
    CuttingOff,
}

/// Serves until it is told to end.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    request_ids: SeededIds,
    mut phases: watch::Receiver<Phase>,
    drain_deadline: Duration,
) -> Stopped {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            () = reached(&mut phases, Phase::Draining) => break,
            Some(_) = connections.join_next() => {}
            stream = accept(&listener) => if let Some(stream) = stream {
                let (router, request_ids) = (router.clone(), request_ids.clone());
                connections.spawn(connection(stream, router, request_ids, phases.clone()));
            },
        }
    }
    // From here on a new caller is refused at once, and not left to wait in the
    // backlog of a service that will never look at it.
    drop(listener);
    tokio::select! {
        () = reached(&mut phases, Phase::CuttingOff) => {}
        () = sleep(drain_deadline) => {}
        () = async { while connections.join_next().await.is_some() {} } => {}
    }
    let cut_off = connections.len();
    connections.shutdown().await;
    Stopped { cut_off }
}

/// Waits for a phase, or for the handle to be gone.
async fn reached(phases: &mut watch::Receiver<Phase>, phase: Phase) {
    drop(phases.wait_for(|current| *current >= phase).await);
}

async fn accept(listener: &TcpListener) -> Option<TcpStream> {
    match listener.accept().await {
        Ok((stream, _)) => Some(stream),
        Err(error) if concerns_one_connection(&error) => None,
        Err(_) => {
            sleep(ACCEPT_PAUSE).await;
            None
        }
    }
}

/// Whether the caller went away before it was accepted, so that the next one can
/// be accepted right away.
fn concerns_one_connection(error: &io::Error) -> bool {
    use ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(
        error.kind(),
        ConnectionAborted | ConnectionRefused | ConnectionReset
    )
}

async fn connection(
    stream: TcpStream,
    router: Router,
    request_ids: SeededIds,
    mut phases: watch::Receiver<Phase>,
) {
    // Small answers should not wait to be joined with others. A failure here costs
    // speed only.
    drop(stream.set_nodelay(true));
    let router = TowerToHyperService::new(router);
    let unread = Unread::default();
    let service = service_fn(|request: Request<Incoming>| {
        let request = request.map(|body| NotedBody::new(body, unread.clone()));
        let headers = request.headers();
        let answer = match admit(request.version(), headers) {
            Ok(()) => Ok(router.call(request)),
            Err(problem) => {
                let request_id = request_id::outside_the_layers(headers, &request_ids);
                Err(problem::refuse(problem, &request_id))
            }
        };
        async {
            match answer {
                Ok(answer) => answer.await.map(without_length_of_nothing),
                Err(refusal) => Ok(refusal),
            }
        }
    });
    let stream = TokioIo::new(Lingering::new(stream, unread.clone()));
    let connection = http1::Builder::new().serve_connection(stream, service);
    let mut connection = pin!(connection);
    tokio::select! {
        // An error means that the caller went away; there is nobody left to tell.
        _ = connection.as_mut() => return,
        () = reached(&mut phases, Phase::Draining) => {}
    }
    connection.as_mut().graceful_shutdown();
    drop(connection.await);
}

/// Takes away the length that axum gives to every body that it knows. A 204 must
/// not have one (RFC 9110 §8.6); hyper sees to that for GET, and not for HEAD.
fn without_length_of_nothing(mut answer: Response) -> Response {
    if answer.status() == StatusCode::NO_CONTENT {
        answer.headers_mut().remove(CONTENT_LENGTH);
    }
    answer
}
