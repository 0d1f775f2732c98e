//! A service between the clients and the last service: it calls the next one with a client
//! of its own. It works on a call to its end, even if its caller has given up.

use std::future::pending;

use client::{Failure, FailureKind};
use futures_executor::LocalSpawner;
use http::{Extensions, StatusCode};
use reqwest::{Request, Response};
use reqwest_middleware::{Error, Middleware, Next, Result as Sent};
use tokio::sync::{mpsc, oneshot};

use super::{
    service::{Service, respond},
    timeline::spawn,
};
use crate::clients::{Client, attempts::as_one_call};

/// The next service, as the transport of any number of clients.
#[derive(Clone)]
pub(crate) struct Hop {
    pub(crate) last: Service,
    /// The calls to a service that calls the next one; none if the last is next.
    calls: Option<mpsc::UnboundedSender<oneshot::Sender<bool>>>,
}

impl Hop {
    /// The way to the last service.
    pub(crate) fn to(last: &Service) -> Self {
        Self {
            last: last.clone(),
            calls: None,
        }
    }

    /// The way to a service that calls the next one with this client.
    pub(crate) fn through(client: Client, last: &Service, spawner: &LocalSpawner) -> Self {
        let (calls, mut called) = mpsc::unbounded_channel::<oneshot::Sender<bool>>();
        let (service, tasks) = (last.clone(), spawner.clone());
        spawn(spawner, async move {
            while let Some(response) = called.recv().await {
                let (client, service) = (client.clone(), service.clone());
                spawn(&tasks, async move {
                    let has_succeeded = as_one_call(Box::pin(client.call())).await;
                    service.counts.nested_ended();
                    // The caller may have given up.
                    let _ = response.send(has_succeeded);
                });
            }
        });
        Self {
            calls: Some(calls),
            ..Self::to(last)
        }
    }
}

#[async_trait::async_trait]
impl Middleware for Hop {
    async fn handle(
        &self,
        request: Request,
        extensions: &mut Extensions,
        _: Next<'_>,
    ) -> Sent<Response> {
        let Some(calls) = &self.calls else {
            return self.last.exchange(&request, extensions).await;
        };
        let (call, response) = oneshot::channel();
        if !self.last.counts.nested() || calls.send(call).is_err() {
            // The run is about to end.
            return pending().await;
        }
        let patience = self.last.patience(&request, extensions);
        match self.last.timeline.within(patience, response).await {
            Some(Ok(true)) => Ok(respond(&request, StatusCode::OK, None)),
            Some(_) => Ok(respond(&request, StatusCode::SERVICE_UNAVAILABLE, None)),
            None => Err(Error::from(Failure(FailureKind::ReadTimeout))),
        }
    }
}
