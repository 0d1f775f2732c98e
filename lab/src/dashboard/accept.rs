//! The accept loop of the page, and how it ends.
//!
//! `axum::serve` detaches its connections, so that nothing could end a page
//! that no longer reads.

use std::{pin::pin, time::Duration};

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::{rt::TokioIo, service::TowerToHyperService};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinSet,
    time::{sleep, timeout},
};

/// How long the loop rests when the system refuses to accept, for want of
/// descriptors for example.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// How long connections may take to finish once the page is to stop.
pub(super) const DRAIN_DEADLINE: Duration = Duration::from_secs(2);

/// Serves until it is told to stop, or until whoever could tell it has gone;
/// then closes the socket, lets answers under way finish until the deadline,
/// and cuts off the rest.
pub(super) async fn serve(
    listener: TcpListener,
    router: Router,
    mut stopping: watch::Receiver<bool>,
) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            () = told(&mut stopping) => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(connection(stream, router.clone(), stopping.clone()));
                }
                Err(_) => sleep(ACCEPT_PAUSE).await,
            },
        }
    }
    drop(listener);
    let drained = async { while connections.join_next().await.is_some() {} };
    // Past the deadline, what is left is cut off.
    drop(timeout(DRAIN_DEADLINE, drained).await);
    connections.shutdown().await;
}

async fn connection(stream: TcpStream, router: Router, mut stopping: watch::Receiver<bool>) {
    // Events are small and should not wait to be joined with others. A failure
    // here costs speed only.
    drop(stream.set_nodelay(true));
    let service = TowerToHyperService::new(router);
    let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    tokio::select! {
        // An error means that the browser went away.
        _ = connection.as_mut() => return,
        () = told(&mut stopping) => {}
    }
    connection.as_mut().graceful_shutdown();
    drop(connection.await);
}

async fn told(stopping: &mut watch::Receiver<bool>) {
    drop(stopping.wait_for(|stopping| *stopping).await);
}
