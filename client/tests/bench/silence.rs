//! Services that do not respond, and the timeouts of their callers without a real wait.

use std::{future::pending, sync::Arc, time::Duration};

use reqwest::dns::{Name, Resolve, Resolving};
use tokio::time;

/// Runs `work` in a time that passes only here, and only after all that is on
/// the sockets had many chances to be read: so a timer ends a silence, and no
/// load of the machine passes for one. `patience` is how long a silence may last,
/// and a thousandth of the time that the work may take.
pub async fn silently<T>(patience: Duration, work: impl Future<Output = T>) -> T {
    time::pause();
    let work = time::timeout(patience * 1000, work);
    let passing = async {
        loop {
            for _ in 0..20 {
                // Each lets the runtime look at its sockets.
                tokio::task::yield_now().await;
            }
            time::advance(patience / 20).await;
        }
    };
    let done = tokio::select! {
        done = work => done,
        never = passing => never,
    };
    time::resume();
    done.expect("the work comes to an end")
}

/// A base URL at which nothing listens: only the system may use the first port.
pub const NOWHERE: &str = "http://127.0.0.1:1";

/// A session for which no name is ever resolved.
pub fn never_resolving() -> reqwest::ClientBuilder {
    reqwest::Client::builder()
        .no_proxy()
        .tls_certs_only([])
        .dns_resolver(Arc::new(Silent))
}

struct Silent;

impl Resolve for Silent {
    fn resolve(&self, _: Name) -> Resolving {
        Box::pin(pending())
    }
}
