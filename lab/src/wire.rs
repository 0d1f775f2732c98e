//! What stands between client and service in a run.

use std::{
    io,
    net::{Ipv4Addr, TcpListener},
};

use server::RunningApi;

use crate::{
    fault_proxy::{Fault, FaultProxy},
    run::RunError,
    scenario::Network,
};

/// The way from the client to the service, for the length of a run.
pub(crate) struct Wire {
    /// What the client takes for the service.
    pub(crate) base_url: String,
    proxy: Option<FaultProxy>,
}

impl Wire {
    /// Sets up what a scenario asks for.
    pub(crate) async fn lay(network: Network, service: &RunningApi) -> Result<Self, RunError> {
        let upstream = service.local_addr();
        let (base_url, proxy) = match network {
            Network::Direct => (service.base_url(), None),
            Network::Nobody => (nobody().map_err(RunError::Network)?, None),
            Network::Faults(faults) => {
                let proxy = FaultProxy::start(upstream, faults.iter().copied()).await;
                let proxy = proxy.map_err(RunError::Network)?;
                (proxy.base_url(), Some(proxy))
            }
            Network::RefusedTls => {
                let always = std::iter::repeat(Fault::RefuseTls);
                let proxy = FaultProxy::start(upstream, always).await;
                let proxy = proxy.map_err(RunError::Network)?;
                (proxy.tls_base_url(), Some(proxy))
            }
        };
        Ok(Self { base_url, proxy })
    }

    /// Takes it down again; nothing of it remains.
    pub(crate) async fn take_down(self) {
        if let Some(proxy) = self.proxy {
            proxy.stop().await;
        }
    }
}

/// The address of a port that was free a moment ago.
fn nobody() -> io::Result<String> {
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    Ok(format!("http://{}", free.local_addr()?))
}
