//! What comes over the wire ends in a response or a close, and what the fault proxy sends
//! on has one meaning: the service sees one request on a connection, or refuses it.

#![cfg_attr(fuzzing, no_main)]

use std::{cell::OnceCell, time::Duration};

use fuzz::{target, wait};
use host::{RunningService, ServiceConfig};
use runner::fault_proxy::{Fault, FaultProxy};
use server::TeachingApi;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

/// Far more than any of it takes.
const PATIENCE: Duration = Duration::from_secs(5);

target!(proxied);

fn proxied(data: &[u8]) {
    thread_local! {
        static BOTH: OnceCell<(RunningService, FaultProxy)> = const { OnceCell::new() };
    }
    BOTH.with(|both| {
        let (service, proxy) = both.get_or_init(start);
        let before = service.ledger().total;
        wait(async { timeout(PATIENCE, send(proxy, data)).await }).expect("an end");
        assert!(service.ledger().total <= before + 1);
    });
}

fn start() -> (RunningService, FaultProxy) {
    let config = ServiceConfig::builder().port(0).build();
    let service = TeachingApi::start(config.expect("legal")).expect("a free port");
    let proxy = FaultProxy::start(service.local_addr(), std::iter::repeat(Fault::PassThrough));
    let proxy = wait(proxy).expect("a free port");
    (service, proxy)
}

/// Sends it all and reads to the end. A connection that was reset has ended as well.
async fn send(proxy: &FaultProxy, data: &[u8]) {
    let mut stream = TcpStream::connect(proxy.addr()).await.expect("it listens");
    if stream.write_all(data).await.is_ok() && stream.shutdown().await.is_ok() {
        let _ = stream.read_to_end(&mut Vec::new()).await;
    }
}
