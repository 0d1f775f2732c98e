//! A service between the clients and the last service: it calls the next one with a client
//! of its own. It works on a call to its end, even if its caller has left.

use std::{future::pending, time::Duration};

use client::{Clock, Failure, FailureKind};
use futures_executor::LocalSpawner;
use futures_util::{
    future::{Either, select},
    pin_mut,
};
use http::{Extensions, StatusCode};
use reqwest::{Request, Response};
use reqwest_middleware::{Error, Middleware, Next, Result as Sent};
use tokio::sync::{mpsc, oneshot};

use super::{
    call::as_one_call,
    clients::Client,
    counts::Counts,
    service::{Service, patience, respond},
    timeline::{Timeline, spawn},
};

/// The next service, as the transport of any number of clients.
#[derive(Clone)]
pub(super) enum Hop {
    /// The last one.
    Service(Box<Service>),
    /// One that calls the next.
    Layer(Layer),
}

/// A service that calls the next one.
#[derive(Clone)]
pub(super) struct Layer {
    calls: mpsc::UnboundedSender<oneshot::Sender<bool>>,
    timeout: Duration,
    timeline: Timeline,
    counts: Counts,
}

impl Layer {
    /// A service that calls the next one with this client.
    pub(super) fn start(
        client: Client,
        timeout: Duration,
        (timeline, counts): (&Timeline, &Counts),
        spawner: &LocalSpawner,
    ) -> Self {
        let (calls, mut called) = mpsc::unbounded_channel::<oneshot::Sender<bool>>();
        let layer = Self {
            calls,
            timeout,
            timeline: timeline.clone(),
            counts: counts.clone(),
        };
        let (timeline, counts, tasks) = (timeline.clone(), counts.clone(), spawner.clone());
        spawn(spawner, async move {
            while let Some(response) = called.recv().await {
                let (client, timeline, counts) = (client.clone(), timeline.clone(), counts.clone());
                spawn(&tasks, async move {
                    let (has_succeeded, last) = as_one_call(client.call()).await;
                    counts.nested_ended(timeline.monotonic(), last);
                    // The caller may have left.
                    let _ = response.send(has_succeeded);
                });
            }
        });
        layer
    }
}

#[async_trait::async_trait]
impl Middleware for Hop {
    async fn handle(
        &self,
        request: Request,
        extensions: &mut Extensions,
        next: Next<'_>,
    ) -> Sent<Response> {
        let layer = match self {
            Self::Service(service) => return service.handle(request, extensions, next).await,
            Self::Layer(layer) => layer,
        };
        let (call, response) = oneshot::channel();
        if !layer.counts.nested() || layer.calls.send(call).is_err() {
            // The run is about to end.
            return pending().await;
        }
        let patience = patience(&request, extensions, layer.timeout);
        let timeout = layer.timeline.sleep(patience);
        pin_mut!(response);
        match select(response, timeout).await {
            Either::Left((Ok(true), _)) => Ok(respond(StatusCode::OK, None)),
            Either::Left(_) => Ok(respond(StatusCode::SERVICE_UNAVAILABLE, None)),
            Either::Right(_) => Err(Error::from(Failure(FailureKind::ReadTimeout))),
        }
    }
}
