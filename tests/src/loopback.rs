//! A service of the test's own on a free port, and a client of it.

use std::{sync::Arc, thread};

use client::{
    VirtualClock,
    teaching::{Builder, ReliableApiClient},
};
use host::{
    Drained, Host, RunningService, ServiceConfig,
    fault_injection::{ResponseFault, inject},
};
use scenario::SharedTime;
use tokio::{runtime::Handle, task::yield_now};
use wire::WireRecord;

use crate::bench::{client_of, clock};

/// A running service and a client of it, on one clock.
///
/// A test must [stop](Self::stop) it: what a test leaves open is an error.
#[derive(Debug)]
pub struct Loopback {
    /// The client.
    pub client: ReliableApiClient,
    /// The clock of both.
    pub clock: VirtualClock,
    /// The service.
    pub service: RunningService,
    stopped: MustBeStopped,
}

/// Fails a test that ends without a stop.
#[derive(Debug)]
struct MustBeStopped(bool);

impl Drop for MustBeStopped {
    fn drop(&mut self) {
        assert!(self.0 || thread::panicking(), "the service was not stopped");
    }
}

impl Loopback {
    /// A fresh service and a client with the default rules.
    pub fn start() -> Self {
        Self::start_with(|builder| builder)
    }

    /// A fresh service and a client with rules of the test's own.
    pub fn start_with(configure: impl FnOnce(Builder) -> Builder) -> Self {
        Self::start_all(&[], |service| service, configure)
    }

    /// A fresh service with these faults, one for each of the first requests, and a client
    /// with the default rules.
    pub fn with_faults(faults: &'static [ResponseFault]) -> Self {
        Self::start_all(faults, |service| service, |client| client)
    }

    /// A fresh service with these faults and a client, both with rules of the test's own.
    pub fn start_all(
        faults: &'static [ResponseFault],
        service: impl FnOnce(ServiceConfig) -> ServiceConfig,
        client: impl FnOnce(Builder) -> Builder,
    ) -> Self {
        let clock = clock();
        // The ledger judges in the time that the client waits in.
        let shared = SharedTime::new(Arc::new(clock.clone()));
        shared.begin();
        let config = service(ServiceConfig {
            clock: Arc::new(shared),
            ..ServiceConfig::default()
        });
        let served = inject(server::lessons(config.seed), faults, Arc::default());
        let service = Host::start(config, served).expect("a free port");
        let on_the_same = clock.clone();
        let (client, _) = client_of(&service.base_url(), |builder| {
            client(builder.clock(Arc::new(on_the_same)))
        });
        Self {
            client,
            clock,
            service,
            stopped: MustBeStopped(false),
        }
    }

    /// Stops the service, which must have nothing left to cut off, and returns its
    /// record. After it no task may be left on the runtime of the test, so no
    /// connection of another client: drop it first.
    pub async fn stop(mut self) -> WireRecord {
        self.stopped.0 = true;
        drop(self.client);
        let ledger = self.service.ledger_handle();
        let stopped = self.service.stop().await;
        assert_eq!(stopped, Ok(Drained { cut_off: 0 }));
        assert_no_task_left().await;
        ledger.snapshot()
    }
}

/// A task that drives a connection takes a moment to see that it was closed.
async fn assert_no_task_left() {
    let tasks = || Handle::current().metrics().num_alive_tasks();
    for _ in 0..100_000 {
        if tasks() == 0 {
            return;
        }
        yield_now().await;
    }
    panic!("{} tasks are left on the runtime of the test", tasks());
}
