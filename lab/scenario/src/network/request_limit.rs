//! The most requests that one run may send.
//!
//! A scenario or a reader may set a client's own limits to any value. This limit is the
//! lab's, so that every run ends.

use std::{
    future::pending,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use http::Extensions;
use reqwest::{Request, Response};
use reqwest_middleware::{Middleware, Next, Result};
use tokio::sync::Notify;

/// Counts requests, and holds back those beyond the limit. Clones share the count.
#[derive(Clone, Debug)]
pub(crate) struct RequestLimit {
    most: u64,
    asked: Arc<AtomicU64>,
    exceeded: Arc<Notify>,
}

impl RequestLimit {
    pub(crate) fn new(most: u64) -> Self {
        Self {
            most,
            asked: Arc::default(),
            exceeded: Arc::default(),
        }
    }

    /// How many requests were sent.
    pub(crate) fn sent(&self) -> u64 {
        self.asked.load(Ordering::Relaxed).min(self.most)
    }

    /// Waits until more requests than the limit are to be sent.
    pub(crate) async fn exceeded(&self) {
        self.exceeded.notified().await;
    }
}

#[async_trait::async_trait]
impl Middleware for RequestLimit {
    async fn handle(
        &self,
        request: Request,
        extensions: &mut Extensions,
        next: Next<'_>,
    ) -> Result<Response> {
        if self.asked.fetch_add(1, Ordering::Relaxed) >= self.most {
            self.exceeded.notify_one();
            // An error would be one more failure to the client, and might be
            // tried again. The run ends while this waits.
            return pending().await;
        }
        let response = next.run(request, extensions).await;
        // The client is a part of this process: it fails if the process is out of descriptors.
        response.inspect_err(|error| host::note_refusal(error))
    }
}
